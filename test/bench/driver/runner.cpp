#include "runner.hpp"

#include "calm.hpp"
#include "micro_results.hpp"
#include "plan_time.hpp"
#include "prepare.hpp"
#include "session.hpp"
#include "warm.hpp"
#include "workloads/workloads.hpp"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <tuple>

namespace kubecoro::bench {

namespace {

/// The share of other programs above which a session's numbers are unreliable.
constexpr double noise_limit = 0.03;

class bench_run
{
public:
    bench_run(const bench_options& options, const std::vector<subject>& subjects, const places& where,
              const save_rows& save, double expected_s)
        : options_(options),
          subjects_(subjects),
          where_(where),
          save_(save),
          progress_(expected_s),
          machine_(options.warm_mb)
    {
    }

    void group(const group_plan& group)
    {
        note_missing(group);
        std::string why;
        auto server = start_server(group, why);
        const auto rounds = rounds_of(options_, group);
        for (unsigned round = 0; round < rounds; ++round) {
            if (server) machine_.warm();
            for (const auto& plan : sessions_of_round(group, round, options_)) {
                const auto& who = subjects_[plan.subject];
                if (!who.missing.empty() || stop_of(plan) == plan.workloads.front()) continue;
                if (server) {
                    std::cerr << "  round " << round + 1 << "/" << rounds << "  " << group.data.name << " "
                              << group.data.objects << "  " << plan.cores << " core(s)  " << who.name << std::flush;
                    machine_.calm_down();
                    live(plan, who, *server);
                } else {
                    fail_rest(plan, who, 0, why);
                }
                progress_.done(expected_seconds(plan, who, options_));
            }
            std::cerr << "  about " << time_text(progress_.seconds_left()) << " left\n";
            save_(book_.rows());
        }
    }

    void micro()
    {
        std::cerr << "  micro-benchmarks\n";
        const auto program = where_.programs + "/kubecoro_bench_micro";
        const auto done = run_micro(program, rounds_of(options_, "micro"), options_.micro_s, where_.work, book_);
        if (!done) {
            std::cerr << "  FAILED: " << done.error().describe() << '\n';
            book_.missing(
                {.workload = "micro", .subject = "all", .data = "-", .objects = 0, .metric = "all", .unit = "-"},
                (done.error() == cond::not_found ? "" : "failed: ") + done.error().describe());
        }
        save_(book_.rows());
    }

private:
    std::optional<replay_server> start_server(const group_plan& group, std::string& why)
    {
        auto protobuf = prepare_protobuf(group.data, where_);
        if (!protobuf) std::cerr << "no protobuf: " << protobuf.error().describe() << '\n';
        auto server = replay_server::start(where_.programs + "/kubecoro_replay", group.data,
                                           protobuf ? *protobuf : std::string(), {0}, where_.work + "/replay.log");
        if (server) return std::move(*server);
        why = server.error().describe();
        std::cerr << "no replay server: " << why << '\n';
        return {};
    }

    /// The workload in which this subject was given up in an earlier round; empty when none.
    std::string& stop_of(const session_plan& plan)
    {
        return stops_[{plan.data.name + std::to_string(plan.data.objects), plan.cores, plan.subject}];
    }

    /// One subject from its start to its end.
    void live(const session_plan& plan, const subject& who, replay_server& server)
    {
        machine_.left_unknown(); // replaced by the measured value
        const auto begin = std::chrono::steady_clock::now();
        const auto machine_before = machine_time_now();
        const auto server_before = usage_of(server.pid());
        auto opened = session::open(plan, who, server, options_, book_, where_.work + "/" + log_name(who.name));
        if (!opened) return fail_rest(plan, who, 0, opened.error().describe());
        for (std::size_t i = 0; i < plan.workloads.size() && stop_of(plan) != plan.workloads[i]; ++i) {
            opened->begin(plan.workloads[i]);
            const auto run = workload_named(plan.workloads[i]);
            auto outcome = run ? run(*opened) : result<>(failure(cond::internal, "no such workload"));
            if (!outcome) return end_early(plan, who, i, outcome.error());
        }
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
        const auto used = opened->used();
        const auto server_after = usage_of(server.pid());
        if (used) machine_.left_behind(used->peak_bytes);
        std::cerr << "  " << static_cast<long>(wall.count() * 10) / 10.0 << " s";
        if (used && server_before && server_after)
            check_noise(machine_before, wall.count(), used->cpu_s + server_after->cpu_s - server_before->cpu_s);
        std::cerr << '\n';
    }

    /// A failure may occur once; a subject that takes too long would do so in each round.
    void end_early(const session_plan& plan, const subject& who, std::size_t at, const failure& why)
    {
        std::cerr << "  FAILED in " << plan.workloads[at] << ": " << why.describe() << '\n';
        if (why != cond::timed_out) return fail_rest(plan, who, at, why.describe());
        stop_of(plan) = plan.workloads[at];
        const auto reason = std::string(given_up) + " after " + std::to_string(options_.limit_s) + " s";
        missing_row(plan, who, plan.workloads[at], reason);
        for (auto rest = at + 1; rest < plan.workloads.size(); ++rest)
            missing_row(plan, who, plan.workloads[rest], reason + " in " + plan.workloads[at]);
    }

    static void check_noise(const machine_time& before, double wall_s, double own_s)
    {
        const auto now = machine_time_now();
        const double others = (now.busy_s - before.busy_s - own_s + now.stolen_s - before.stolen_s) / wall_s;
        if (others > noise_limit)
            std::cerr << "  (noisy: other programs and the host took " << static_cast<int>(others * 100)
                      << " % of a core)";
    }

    void fail_rest(const session_plan& plan, const subject& who, std::size_t from, const std::string& why)
    {
        for (std::size_t i = from; i < plan.workloads.size(); ++i)
            missing_row(plan, who, plan.workloads[i], "failed: " + why);
    }

    void note_missing(const group_plan& group)
    {
        for (const auto& plan : group.sessions)
            if (const auto& who = subjects_[plan.subject]; !who.missing.empty())
                for (const auto& workload : plan.workloads) missing_row(plan, who, workload, who.missing);
    }

    void missing_row(const session_plan& plan, const subject& who, const std::string& workload, const std::string& why)
    {
        if (!is_asked(options_, workload)) return;
        book_.missing({.workload = plan.label(workload),
                       .subject = who.name,
                       .data = plan.data.name,
                       .objects = plan.data.objects,
                       .metric = "all",
                       .unit = "-"},
                      why);
    }

    static std::string log_name(std::string subject)
    {
        for (char& c : subject)
            if (c == '/') c = '-';
        return subject + ".log";
    }

    const bench_options& options_;
    const std::vector<subject>& subjects_;
    const places& where_;
    const save_rows& save_;
    progress progress_;
    sample_book book_;
    calm_machine machine_;
    /// By data, cores and subject.
    std::map<std::tuple<std::string, unsigned, std::size_t>, std::string> stops_;
};

} // namespace

void run_bench(const std::vector<group_plan>& plan, bool micro, const bench_options& options,
               const std::vector<subject>& subjects, const places& where, const save_rows& save)
{
    std::error_code ignored;
    std::filesystem::create_directories(where.work, ignored);
    pin_this_thread({0}); // on the server's core, away from the subjects
    bench_run run(options, subjects, where, save, expected_seconds(plan, subjects, options));
    for (const auto& group : plan) run.group(group);
    if (micro) run.micro();
}

} // namespace kubecoro::bench
