#include "events/spam_filter.hpp"

#include <algorithm>
#include <chrono>

namespace kubecoro::detail {

spam_filter::spam_filter(unsigned burst, duration interval, std::size_t most_objects)
    : burst_(burst),
      per_second_(interval > duration::zero() ? 1.0 / std::chrono::duration<double>(interval).count() : burst_),
      buckets_(most_objects)
{
}

bool spam_filter::admits(std::string_view object, time_point now)
{
    if (burst_ == 0) return true;
    bucket& b = buckets_.use(object);
    if (!b.since) b = {.since = now, .tokens = burst_};
    if (now > *b.since) {
        const double passed = std::chrono::duration<double>(now - *b.since).count();
        b.tokens = std::min(burst_, b.tokens + passed * per_second_);
        b.since = now;
    }
    if (b.tokens < 1) return false;
    b.tokens -= 1;
    return true;
}

} // namespace kubecoro::detail
