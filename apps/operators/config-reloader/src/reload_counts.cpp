#include "reload_counts.hpp"

#include <string>

namespace kubecoro::config_reloader {

std::string_view to_string(outcome o) noexcept
{
    switch (o) {
    case outcome::rolled:
        return "rolled";
    case outcome::adopted:
        return "adopted";
    case outcome::recorded:
        return "recorded";
    case outcome::waiting:
        return "waiting";
    }
    return "unknown";
}

reload_counts::reload_counts(metrics& sink)
{
    for (std::size_t i = 0; i < outcomes; ++i)
        meters_[i].sent = sink.make_counter(metric, {{"outcome", std::string(to_string(static_cast<outcome>(i)))}});
}

void reload_counts::note(outcome o) noexcept
{
    auto& m = meters_[static_cast<std::size_t>(o)];
    m.count.fetch_add(1, std::memory_order_relaxed);
    m.sent->add();
}

std::uint64_t reload_counts::of(outcome o) const noexcept
{
    return meters_[static_cast<std::size_t>(o)].count.load(std::memory_order_relaxed);
}

} // namespace kubecoro::config_reloader
