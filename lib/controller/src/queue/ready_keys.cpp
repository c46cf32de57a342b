#include "queue/ready_keys.hpp"

namespace kubecoro::detail {

std::size_t ready_keys::aged_level() noexcept
{
    if (fair_) {
        // Not the level of the oldest key: that of a class with many old keys would keep the others waiting.
        last_aged_ = filled_.below(last_aged_);
        if (last_aged_ == filled_.top()) last_aged_ = filled_.below(last_aged_);
        return last_aged_;
    }
    std::size_t oldest = filled_.top();
    filled_.each([&](std::size_t level) {
        if (entries_.at(lists_[level].first).sequence < entries_.at(lists_[oldest].first).sequence) oldest = level;
    });
    return oldest;
}

} // namespace kubecoro::detail
