#include "plan_time.hpp"

#include "table.hpp"
#include "workloads/sizes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kubecoro::bench {

namespace {

/// Microseconds of one core for an object of 5 KB.
struct pace
{
    std::string_view subject;
    double sync;
    double event;
    double relist;
};

/// The first entry that is a prefix of the subject's name.
constexpr std::array paces{pace{"kubecoro/compressed", 28, 28, 7},
                           pace{"kubecoro/", 20, 20, 7},
                           pace{"floor", 3, 3, 3},
                           pace{"client-go/protobuf", 50, 45, 45},
                           pace{"client-go/json", 290, 240, 290},
                           pace{"client-go/", 450, 400, 450},
                           pace{"controller-runtime/", 50, 45, 45},
                           pace{"kube-rs/controller", 100, 100, 150},
                           pace{"kube-rs/", 50, 50, 90}};

const pace& pace_of(std::string_view subject)
{
    const auto* found =
        std::find_if(paces.begin(), paces.end(), [&](const pace& p) { return subject.starts_with(p.subject); });
    return found == paces.end() ? paces.back() : *found;
}

/// The cost of an object of this data, relative to one of 5 KB.
double weight_of(const std::string& data) { return data == "large" ? 2.2 : data == "small" ? 1 : 1.6; }

double workload_seconds(std::string_view workload, const pace& p, const session_plan& plan,
                        const bench_options& options)
{
    constexpr double quiet = 0.4; // until it counts as idle
    const auto objects = static_cast<double>(plan.data.objects) * weight_of(plan.data.name) / 1e6;
    if (workload == "sync" || workload == "namespaces") return quiet + objects * p.sync;
    if (workload == "events")
        return quiet +
               static_cast<double>(saturated_events(plan.data.objects)) * weight_of(plan.data.name) / 1e6 * p.event;
    if (workload == "relist") return quiet + objects * p.relist;
    if (workload == "tail") return quiet + static_cast<double>(options.tail_s);
    if (workload.starts_with("paced")) return quiet + static_cast<double>(options.paced_s);
    if (workload == "peak") return 0;
    if (workload == "queue") return 5e-6 * static_cast<double>(options.queue_keys);
    return 1.5; // settling and reading hardly depend on the size
}

std::string words(const std::vector<std::string>& all)
{
    std::string text;
    for (const auto& one : all) text += " " + one;
    return text;
}

/// The rounds of each workload in this session, as "events x5", with prerequisites in brackets.
std::vector<std::string> with_rounds(const session_plan& s, const bench_options& options)
{
    std::vector<std::string> all;
    for (const auto& w : s.workloads)
        all.push_back(is_asked(options, w) ? w + " x" + std::to_string(rounds_of(options, w)) : "(" + w + ")");
    return all;
}

/// This subject's share of the group's time.
double seconds_of(const session_plan& session, const subject& who, const bench_options& options)
{
    const group_plan alone{.data = session.data, .sessions = {session}};
    double seconds = 0;
    for (unsigned round = 0; round < rounds_of(options, alone); ++round)
        for (const auto& s : sessions_of_round(alone, round, options)) seconds += expected_seconds(s, who, options);
    return seconds;
}

} // namespace

double expected_seconds(const session_plan& plan, const subject& who, const bench_options& options)
{
    if (!who.missing.empty()) return 0;
    const auto& p = pace_of(who.name);
    // Until the memory of the subject before has been returned.
    double seconds = options.warm_mb != 0 && plan.data.objects >= 50'000 ? 6 : 0.2;
    for (const auto& w : plan.workloads) seconds += workload_seconds(w, p, plan, options);
    return seconds;
}

double expected_seconds(const std::vector<group_plan>& plan, const std::vector<subject>& subjects,
                        const bench_options& options)
{
    double seconds = 0;
    for (const auto& group : plan)
        for (const auto& s : group.sessions) seconds += seconds_of(s, subjects[s.subject], options);
    return seconds;
}

double progress::seconds_left() const
{
    constexpr double enough_to_learn = 30;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    const double pace = done_s_ > enough_to_learn ? took.count() / done_s_ : 1;
    return std::max(0., expected_s_ - done_s_) * pace;
}

std::string time_text(double seconds)
{
    const auto s = std::llround(seconds);
    return s < 100 ? std::to_string(s) + " s" : std::to_string((s + 30) / 60) + " min";
}

std::string describe_plan(const std::vector<group_plan>& plan, const std::vector<subject>& subjects,
                          const bench_options& options)
{
    std::string text;
    double all = 0;
    for (const auto& group : plan) {
        const auto seconds = expected_seconds({group}, subjects, options);
        all += seconds;
        text += count_text(group.data.objects) + " " + group.data.name + ": " + time_text(seconds) + "\n";
        for (const auto& s : group.sessions) {
            const auto& who = subjects[s.subject];
            text += "  " + std::to_string(s.cores) + " core(s)  " + who.name + "  ";
            text += who.missing.empty() ? time_text(seconds_of(s, who, options)) : who.missing;
            text += " " + words(with_rounds(s, options)) + "\n";
        }
    }
    return text + "total about " + time_text(all) + "\n";
}

} // namespace kubecoro::bench
