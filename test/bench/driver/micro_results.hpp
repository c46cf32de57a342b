#pragma once

#include "results.hpp"

#include <string>
#include <string_view>

namespace kubecoro::bench {

/** Adds Google Benchmark's JSON results to the book: nanoseconds, allocations and bytes of each operation.

    The subject is the benchmark's name, the data its label. Errors: corrupt. */
result<> add_micro_results(std::string_view json, sample_book& book);

/// Runs the micro-benchmarks `repetitions` times, each for this number of seconds. Errors: not_found when they are not
/// built; any other is a failure of the micro-benchmarks.
result<> run_micro(const std::string& program, unsigned repetitions, double seconds, const std::string& work,
                   sample_book& book);

} // namespace kubecoro::bench
