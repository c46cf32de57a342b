#pragma once

#include "command_line.hpp"
#include "results.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// The steps in which the drivers differ.
struct course_steps
{
    /// Measures, and updates the rows and the results file after each round.
    std::function<result<>(std::vector<row>&)> measure;
    /// The tables for the terminal.
    std::function<std::string(const std::vector<row>&)> report;
    /// Renews the document.
    std::function<result<>(const std::vector<row>&)> renew_document;
};

/** The course of each driver: earlier results, measurements, tables, document.

    @param keeps_rows  Whether earlier results are read even without --resume and --report-only.
    @par Errors        those of the steps; cond::internal if a measurement failed. */
[[nodiscard]] result<> run_course(const shared_options& o, const course_steps& steps, bool keeps_rows = false);

/// The exit status of a command line that starts no run: the text goes where it belongs.
[[nodiscard]] int say(const refusal& no);
/// The exit status of a run. A failure is printed.
[[nodiscard]] int finish(const result<>& outcome);

} // namespace kubecoro::bench
