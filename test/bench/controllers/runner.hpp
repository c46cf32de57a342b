#pragma once

#include "tasks.hpp"

#include <kubecoro/base/clock.hpp>

#include <functional>

namespace kubecoro::bench::controllers {

/// Called after each round with the results so far.
using save_rows = std::function<void(const std::vector<row>&)>;

/// How a run goes.
struct run_options
{
    unsigned rounds = 5;
    int server_core = 0;
    /// Time at rest before memory is read.
    duration rest = std::chrono::seconds{3};
};

/// Runs the tasks. Prints progress and failures to standard error; failed measurements are missing.
void run_tasks(const std::vector<task>& tasks, const run_options& options, const places& where, const save_rows& save);

} // namespace kubecoro::bench::controllers
