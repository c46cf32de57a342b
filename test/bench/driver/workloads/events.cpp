#include "sizes.hpp"
#include "workloads.hpp"

#include <chrono>
#include <string>

namespace kubecoro::bench {

result<> run_events(session& s)
{
    const auto count = saturated_events(s.objects());
    if (auto armed = s.ask("expect " + std::to_string(count)); !armed) return armed.error();
    const auto before = s.used();
    if (!before) return before.error();
    const auto begin = std::chrono::steady_clock::now();
    if (auto sent = s.change(count, 0); !sent) return sent;
    auto done = s.answer();
    if (!done) return done.error();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const auto after = s.used();
    if (!after) return after.error();

    const auto n = static_cast<double>(count);
    s.events_per_second = n / wall.count();
    s.add("rate", "events/s", s.events_per_second);
    s.add("cpu", "us/event", (after->cpu_s - before->cpu_s) * 1e6 / n);
    s.add("peak", "MB", static_cast<double>(after->peak_bytes) / 1e6);
    return s.wait_until_idle();
}

} // namespace kubecoro::bench
