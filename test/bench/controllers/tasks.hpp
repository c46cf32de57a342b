#pragma once

#include "driver/process.hpp"
#include "driver/results.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench::controllers {

/// The choice of measurements from the command line.
struct task_options
{
    /// Workloads, see workload_names(); empty = all.
    std::vector<std::string> names = {};
    /// Numbers of config maps that are reconciled.
    std::vector<std::uint64_t> objects = {10'000, 100'000};
    /// Runs that change nothing, at least, in each round.
    std::uint64_t runs = 1'000'000;
    /// Controllers in one program, each of `own` config maps.
    std::uint64_t controllers = 1'000;
    std::uint64_t own = 30;
    /// Objects of an idle operator.
    std::uint64_t idle = 1'000;

    /// Core of the subject.
    int subject_core = 1;
};

/// Folders of a run.
struct places
{
    /// Folder of our programs, and of the peers'.
    std::string programs;
    std::string peers;
    /// For objects, logs and the kubeconfig.
    std::string work;
};

/// Words of a command line that stand for a kubeconfig and for a new Lease.
inline constexpr std::string_view kubeconfig_word = "{kubeconfig}";
inline constexpr std::string_view lease_word = "{lease}";

enum class course
{
    /// From the start until every object has been reconciled, and then runs that change nothing.
    reconcile,
    /// The memory of a program that has synced and has nothing to do.
    rest,
    /// A second candidate leads after the leader was killed.
    kill,
    /// The same after the leader has released the Lease.
    release
};

/// A line of a table: a program that runs once in each round.
struct task
{
    /// Without metric and unit.
    cell place;
    course how = course::rest;
    /// Starts a program; the words `kubeconfig_word` and `lease_word` are replaced when the run begins.
    command_line run = {};
    /// Whether it releases unused memory when asked to.
    bool settles = true;
    /// Config maps that the server holds.
    std::uint64_t served = 0;
    /// Repetitions of all runs that change nothing; 0 = none.
    std::uint64_t again = 0;
    /// The reason why it cannot run here; empty when it can.
    std::string missing = {};
};

/// Valid values of task_options::names, in the order of the tables.
[[nodiscard]] const std::vector<std::string>& workload_names();

/// All tasks of the options, in the order of the tables; those that lack a program say so.
[[nodiscard]] std::vector<task> make_tasks(const task_options& options, const places& where);

/// The tasks in the order of a round: the lines of a table side by side, another one first each time.
[[nodiscard]] std::vector<const task*> tasks_of_round(const std::vector<task>& tasks, unsigned round);

/// The tasks that have fewer rounds in `rows`.
[[nodiscard]] std::vector<task> without_finished(std::vector<task> tasks, unsigned rounds,
                                                 const std::vector<row>& rows);

/// A line for each table.
[[nodiscard]] std::string describe_tasks(const std::vector<task>& tasks, unsigned rounds);

} // namespace kubecoro::bench::controllers
