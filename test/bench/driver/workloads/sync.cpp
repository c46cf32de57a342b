#include "workloads.hpp"

#include <boost/json.hpp>

#include <chrono>

namespace kubecoro::bench {

result<> run_sync(session& s)
{
    const auto before = s.used();
    if (!before) return before.error();
    const auto begin = std::chrono::steady_clock::now();
    auto synced = s.ask("sync");
    if (!synced) return synced.error();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const auto after = s.used();
    if (!after) return after.error();
    auto count = number_in(*synced, "synced");
    if (!count) return count.error();
    if (*count != static_cast<double>(s.objects()))
        return failure(cond::corrupt, "synced " + boost::json::serialize(*synced));

    const double cpu = after->cpu_s - before->cpu_s;
    s.add("cpu", "us/object", cpu * 1e6 / *count);
    s.add("cpu_total", "s", cpu);
    s.add("wall", "s", wall.count());
    s.add("rss", "MB", static_cast<double>(after->rss_bytes) / 1e6);
    s.add("peak", "MB", static_cast<double>(after->peak_bytes) / 1e6);
    s.add("faults", "1/object", static_cast<double>(after->minor_faults - before->minor_faults) / *count);
    return s.wait_until_idle();
}

result<> run_steady(session& s)
{
    if (auto settled = s.ask("settle"); !settled) return settled.error();
    if (auto idle = s.wait_until_idle(); !idle) return idle;
    const auto now = s.used();
    if (!now) return now.error();
    const auto bytes = static_cast<double>(now->rss_bytes);
    s.add("rss", "MB", bytes / 1e6);
    s.add("rss_per_object", "KB/object", bytes / 1e3 / static_cast<double>(s.objects()));
    return {};
}

} // namespace kubecoro::bench
