#include "workloads.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace kubecoro::bench {

namespace {

constexpr unsigned changed_percent = 1;

result<double> handler_calls(session& s)
{
    auto counters = s.ask("counters");
    if (!counters) return counters.error();
    return number_in(*counters, "handler_calls");
}

} // namespace

result<> run_relist(session& s)
{
    const auto changed = s.objects() * changed_percent / 100;
    const auto calls_before = handler_calls(s);
    if (!calls_before) return calls_before.error();
    if (auto begun = s.begin_peak(); !begun) return begun;
    const auto before = s.used();
    if (!before) return before.error();

    if (auto armed = s.ask("relist " + std::to_string(changed)); !armed) return armed.error();
    const auto begin = std::chrono::steady_clock::now();
    if (auto expired = s.server().expire(changed_percent); !expired) return expired;
    if (auto relisted = s.answer(); !relisted) return relisted.error();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    // Work after the last change counts as well: notifying handlers of unchanged objects, collecting garbage.
    if (auto idle = s.wait_until_idle(); !idle) return idle;
    const auto after = s.used();
    if (!after) return after.error();
    const auto calls = handler_calls(s);
    if (!calls) return calls.error();

    const auto rss = static_cast<double>(before->rss_bytes);
    s.add("cpu_total", "s", after->cpu_s - before->cpu_s);
    s.add("cpu", "us/object", (after->cpu_s - before->cpu_s) * 1e6 / static_cast<double>(s.objects()));
    s.add("wall", "s", wall.count());
    s.add("growth", "%", (static_cast<double>(after->peak_bytes) - rss) / rss * 100);
    s.add("spurious_calls", "calls", *calls - *calls_before - static_cast<double>(changed));
    return {};
}

result<> run_peak(session& s)
{
    const auto peak = s.peak();
    if (!peak) return peak.error();
    s.add("peak", "MB", static_cast<double>(*peak) / 1e6);
    return {};
}

} // namespace kubecoro::bench
