#pragma once

#include "driver/process.hpp"
#include "driver/results.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::bench::types {

/// The choice of measurements from the command line.
struct task_options
{
    /// Workloads, see workload_names(); empty = all.
    std::vector<std::string> names = {};
    /// Pods of 5 KB that every subject holds at once.
    std::uint64_t pods = 2'000;
    /// Time for each figure of a pod.
    std::uint64_t milliseconds = 300;
    std::vector<std::string> compilers = {"g++", "clang++-16"};
    /// Files of users, see user_files(); empty = all.
    std::vector<std::string> files = {};
    /// Optimisation levels, without the dash.
    std::vector<std::string> levels = {"O0", "O2"};
};

/// Folders of a run.
struct places
{
    /// The work tree.
    std::string source;
    /// Folder of our programs, and of the generated headers of the built-in kinds.
    std::string programs;
    std::string kinds;
    /// Folder of the peers' programs.
    std::string peers;
    /// Folder with a folder of definitions for each project, as test/crds/fetch.sh makes it.
    std::string definitions;
    /// For records, logs and what is generated.
    std::string work;
};

/// A line of a table: a program that runs once in each round.
struct task
{
    /// Without metric and unit.
    cell place;
    command_line run;
    /// The program prints its figures as a line of JSON, in nanoseconds; otherwise its time and memory are the figures.
    bool prints = false;
    /// The file or folder that it writes, removed before; empty = none.
    std::string output = {};
    /// The reason why it cannot run here; empty when it can.
    std::string missing = {};
};

/// Valid values of task_options::names, in the order of the tables.
[[nodiscard]] const std::vector<std::string>& workload_names();

/// Valid values of task_options::files: sources of the folder `users`, without their ending; `operator` and `reconciler`, the main file of a
/// whole operator and the one of its work.
[[nodiscard]] const std::vector<std::string>& user_files();

/// The records of pods in a form, "json" or "protobuf".
[[nodiscard]] std::string pod_records(const places& where, std::uint64_t pods, std::string_view form);

/// All tasks of the options, in the order of the tables; those that lack a program say so.
[[nodiscard]] std::vector<task> make_tasks(const task_options& options, const places& where);

/// The tasks in the order of a round: the lines of a table side by side, another one first each time.
[[nodiscard]] std::vector<const task*> tasks_of_round(const std::vector<task>& tasks, unsigned round);

/// The tasks that have fewer rounds in `rows`.
[[nodiscard]] std::vector<task> without_finished(std::vector<task> tasks, unsigned rounds,
                                                 const std::vector<row>& rows);

/// A line for each table.
[[nodiscard]] std::string describe_tasks(const std::vector<task>& tasks, unsigned rounds);

} // namespace kubecoro::bench::types
