#include "select/search_plan.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::tool {

namespace {

constexpr backoff_policy pauses{
    .initial = std::chrono::seconds{1}, .factor = 2.0, .cap = std::chrono::seconds{30}, .jitter = 0.5};

bool is_wrong_usage(const failure& why) { return why == cond::invalid && why.status() == nullptr; }

} // namespace

search_plan::search_plan(std::uint64_t seed) : delays_(pauses, seed) {}

std::optional<duration> search_plan::after(const failure& why)
{
    if (why == cond::cancelled || is_wrong_usage(why)) return std::nullopt;
    const std::chrono::seconds asked = why.retry_after().value_or(std::chrono::seconds{0});
    return std::max<duration>(delays_.next(), std::min<std::chrono::seconds>(asked, longest_pause));
}

bool search_plan::is_news(const failure& why)
{
    auto words = why.describe();
    if (words == told_) return false;
    told_ = std::move(words);
    return true;
}

} // namespace kubecoro::tool
