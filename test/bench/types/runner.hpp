#pragma once

#include "tasks.hpp"

#include <functional>

namespace kubecoro::bench::types {

/// Called after each round with the results so far.
using save_rows = std::function<void(const std::vector<row>&)>;

/// Writes the records of pods. Without the program that encodes them only those of JSON. Errors: misconfigured, timed_out.
result<> write_pods(const places& where, std::uint64_t pods);

/// Runs the tasks. Prints progress and failures to standard error; failed measurements are missing.
void run_tasks(const std::vector<task>& tasks, unsigned rounds, const places& where, const save_rows& save);

} // namespace kubecoro::bench::types
