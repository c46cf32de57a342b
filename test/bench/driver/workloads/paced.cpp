#include "workloads.hpp"

#include <array>
#include <string>
#include <utility>

namespace kubecoro::bench {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> percentiles{
    {{"p50", "p50_us"}, {"p90", "p90_us"}, {"p99", "p99_us"}, {"p99.9", "p999_us"}, {"max", "max_us"}}};

result<> run_paced(session& s, std::uint64_t rate, std::uint64_t length_s)
{
    if (s.events_per_second > 0 && s.events_per_second < 1.2 * static_cast<double>(rate)) {
        s.missing("p50", "handles only " + std::to_string(static_cast<long>(s.events_per_second)) + " events/s");
        return {};
    }
    const auto count = std::max<std::uint64_t>(rate * length_s, 10);
    if (auto armed = s.ask("expect " + std::to_string(count)); !armed) return armed.error();
    const auto before = s.used();
    if (!before) return before.error();
    if (auto sent = s.change(count, rate); !sent) return sent;
    auto done = s.answer();
    if (!done) return done.error();
    const auto after = s.used();
    if (!after) return after.error();

    for (const auto& [metric, name] : percentiles) {
        auto us = number_in(*done, name);
        if (!us) return us.error();
        s.add(metric, "us", *us);
    }
    s.add("cpu", "us/event", (after->cpu_s - before->cpu_s) * 1e6 / static_cast<double>(count));
    return s.wait_until_idle();
}

} // namespace

result<> run_paced_1000(session& s) { return run_paced(s, 1000, s.options().paced_s); }
result<> run_paced_5000(session& s) { return run_paced(s, 5000, s.options().paced_s); }
result<> run_tail(session& s) { return run_paced(s, 1000, s.options().tail_s); }

} // namespace kubecoro::bench
