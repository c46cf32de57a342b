#include "runner.hpp"

#include "memory.hpp"
#include "server.hpp"

#include "driver/usage.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <thread>

namespace kubecoro::bench::controllers {

namespace {

using namespace std::chrono_literals;
using wall_clock = std::chrono::steady_clock;

/// Longest step: 1,000 controllers, or 100,000 objects, on a busy machine.
constexpr auto patience = 5min;

double seconds_since(wall_clock::time_point begin)
{
    return std::chrono::duration<double>(wall_clock::now() - begin).count();
}

constexpr double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

class task_runs
{
public:
    task_runs(const run_options& options, const places& where) : options_(options), where_(where) {}

    void run(const task& t)
    {
        const auto done = try_run(t);
        if (done) return;
        std::cerr << "  FAILED: " << done.error().describe() << '\n';
        missing(t, "failed: " + done.error().describe());
    }
    void missing(const task& t, const std::string& why)
    {
        auto what = t.place;
        what.metric = "all";
        what.unit = "-";
        book_.missing(what, why);
    }
    [[nodiscard]] std::vector<row> rows() const { return book_.rows(); }

private:
    result<> try_run(const task& t)
    {
        if (auto served = serve(t.served); !served) return served;
        switch (t.how) {
        case course::reconcile:
            return reconcile(t);
        case course::rest:
            return rest(t);
        default:
            return fail_over(t);
        }
    }

    result<> serve(std::uint64_t config_maps)
    {
        if (server_ && server_->config_maps() == config_maps) return {};
        server_.reset(); // before the next one, which takes its files
        auto started = api_server::start(where_.programs, where_.work, config_maps, options_.server_core);
        if (!started) return started.error();
        server_.emplace(std::move(*started));
        return {};
    }

    /// Starts the program and waits for its first answer, `ready`.
    result<child_process> start(const task& t)
    {
        auto command = t.run;
        for (auto& word : command.words) {
            if (word == kubeconfig_word) word = server_->kubeconfig();
            if (word == lease_word) word = lease_;
        }
        auto process = child_process::start(command, where_.work + "/controllers.log");
        if (!process) return process;
        if (const auto ready = process->read_answer(patience); !ready) return ready.error();
        return process;
    }

    result<> reconcile(const task& t)
    {
        const auto begin = wall_clock::now();
        auto process = start(t);
        const double wall = seconds_since(begin);
        if (!process) return process.error();
        const auto used = usage_of(process->pid());
        if (!used) return used.error();
        add(t, "start", "s", wall);
        add(t, "start_cpu", "s", used->cpu_s);
        add(t, "peak", "MB", megabytes(used->peak_bytes));
        auto rested = at_rest(t, *process);
        return rested && t.again != 0 ? run_again(t, *process) : rested;
    }

    result<> run_again(const task& t, child_process& process)
    {
        const auto before = usage_of(process.pid());
        const auto answer = process.ask("again " + std::to_string(t.again), patience);
        const auto after = usage_of(process.pid());
        if (!answer) return answer.error();
        if (!before || !after) return failure(cond::not_found, "the subject has ended");
        const auto* count = answer->if_contains("reconciled");
        if (!count || !count->is_number()) return failure(cond::corrupt, "no number of reconciles");
        add(t, "runs_per_cpu_s", "runs/s", count->to_number<double>() / (after->cpu_s - before->cpu_s));
        return {};
    }

    result<> rest(const task& t)
    {
        auto process = start(t);
        return process ? at_rest(t, *process) : process.error();
    }

    /// The memory of a program that has nothing to do.
    result<> at_rest(const task& t, child_process& process)
    {
        if (t.settles)
            if (const auto settled = process.ask("settle", patience); !settled) return settled.error();
        if (auto silent = process.stay_silent(options_.rest); !silent) return silent;
        const auto used = memory_of(process.pid());
        if (!used) return used.error();
        add(t, "private", "MB", megabytes(used->private_bytes));
        add(t, "proportional", "MB", megabytes(used->proportional_bytes));
        add(t, "resident", "MB", megabytes(used->resident_bytes));
        return {};
    }

    /// From the signal to the leader until the other candidate leads.
    result<> fail_over(const task& t)
    {
        lease_ = "bench-" + std::to_string(++leases_);
        auto leader = start(t);
        if (!leader) return leader.error();
        if (const auto leads = leader->read_answer(patience); !leads) return leads.error();
        auto other = start(t);
        if (!other) return other.error();
        if (auto silent = other->stay_silent(options_.rest); !silent) return silent;
        const auto begin = wall_clock::now();
        ::kill(leader->pid(), t.how == course::kill ? SIGKILL : SIGTERM);
        if (const auto leads = other->read_answer(patience); !leads) return leads.error();
        add(t, "until_led", "s", seconds_since(begin));
        return {};
    }

    void add(const task& t, std::string metric, std::string unit, double value)
    {
        auto what = t.place;
        what.metric = std::move(metric);
        what.unit = std::move(unit);
        book_.add(what, value);
    }

    const run_options& options_;
    const places& where_;
    sample_book book_;
    std::optional<api_server> server_;
    /// Each failover has a Lease of its own: the one before may still be held.
    unsigned leases_ = 0;
    std::string lease_;
};

} // namespace

void run_tasks(const std::vector<task>& tasks, const run_options& options, const places& where, const save_rows& save)
{
    task_runs runs(options, where);
    for (unsigned round = 0; round < options.rounds; ++round) {
        for (const auto* t : tasks_of_round(tasks, round)) {
            std::cerr << "  round " << round + 1 << "/" << options.rounds << "  " << t->place.workload << "  "
                      << t->place.objects << "  " << t->place.subject << std::endl;
            if (t->missing.empty())
                runs.run(*t);
            else
                runs.missing(*t, t->missing);
        }
        save(runs.rows());
    }
}

} // namespace kubecoro::bench::controllers
