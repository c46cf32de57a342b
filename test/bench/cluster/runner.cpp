#include "runner.hpp"

#include "workloads.hpp"

#include "driver/calm.hpp"

#include <chrono>
#include <iostream>
#include <map>

namespace kubecoro::bench::live {

namespace {

class plan_run
{
public:
    plan_run(const std::vector<subject>& subjects, real_cluster& cluster, const places& where,
             const run_options& options)
        : subjects_(subjects), cluster_(cluster), where_(where), options_(options), machine_(options.warm_mb)
    {
    }

    void round(const group_plan& group, unsigned number)
    {
        if (group.resource != config_maps) machine_.warm(); // clients without objects take little
        for (const auto& plan : sessions_of_round(group, number)) {
            const auto& who = subjects_[plan.subject];
            if (!who.missing.empty()) {
                missing(plan, who.missing);
                continue;
            }
            if (given_up_.contains(place_of(plan))) continue;
            std::cerr << "  round " << number + 1 << "/" << options_.rounds << "  " << plan.workload << "  "
                      << plan.objects << " " << plan.resource << "  " << who.name << std::flush;
            live(plan);
        }
    }

    [[nodiscard]] std::vector<row> rows() const { return book_.rows(); }

private:
    using place = std::pair<std::string, std::size_t>;
    static place place_of(const session_plan& plan)
    {
        return {plan.workload + plan.resource + std::to_string(plan.objects), plan.subject};
    }

    void live(const session_plan& plan)
    {
        const auto begin = std::chrono::steady_clock::now();
        const session s{.plan = plan,
                        .subjects = subjects_,
                        .options = options_,
                        .where = where_,
                        .cluster = cluster_,
                        .book = book_};
        machine_.calm_down();
        auto outcome = cluster_.settle();
        std::uint64_t held = 0;
        if (outcome) outcome = run_session(s, held);
        machine_.left_behind(held);
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
        std::cerr << "  " << static_cast<long>(wall.count() * 10) / 10.0 << " s\n";
        if (outcome) return;
        std::cerr << "  FAILED: " << outcome.error().describe() << '\n';
        if (outcome.error() == cond::timed_out) {
            given_up_.emplace(place_of(plan), true);
            missing(plan, std::string(given_up) + " after " + std::to_string(options_.limit_s) + " s");
        } else {
            missing(plan, "failed: " + outcome.error().describe());
        }
    }

    void missing(const session_plan& plan, const std::string& why)
    {
        book_.missing(plan.cell_of(subjects_, "all", "-"), why);
    }

    const std::vector<subject>& subjects_;
    real_cluster& cluster_;
    const places& where_;
    const run_options& options_;
    sample_book book_;
    calm_machine machine_;
    std::map<place, bool> given_up_;
};

} // namespace

result<> run_plan(const std::vector<group_plan>& plan, const std::vector<subject>& subjects, real_cluster& cluster,
                  const places& where, const run_options& options, const save_rows& save)
{
    plan_run run(subjects, cluster, where, options);
    for (const auto& group : plan) {
        std::cerr << "  filling: " << group.objects << " " << group.resource << std::endl;
        if (auto filled = cluster.fill(group.resource, group.objects); !filled) return filled;
        for (unsigned round = 0; round < options.rounds; ++round) {
            run.round(group, round);
            save(run.rows());
        }
    }
    return {};
}

} // namespace kubecoro::bench::live
