#pragma once

#include "results.hpp"
#include "table.hpp"
#include "targets.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// The environment of the measurements, line by line.
struct machine_facts
{
    std::vector<std::pair<std::string, std::string>> lines;
};
/// This machine's environment: processor, cores, memory, kernel, compiler, libraries, and the peers' `versions` file.
[[nodiscard]] machine_facts facts_of_this_machine(const std::string& versions_file);

/// The output for the terminal: all tables, the comparison with an earlier commit if there is one, then the targets that
/// could be judged.
[[nodiscard]] std::string terminal_report(const std::vector<row>& rows);

/// The title of chart_of().
inline constexpr std::string_view replay_title = "Informers on replayed objects: 150,000 pods, one core";
/// The main figures as an SVG; empty when they are not measured.
[[nodiscard]] std::string chart_of(const std::vector<row>& rows);

/// The name of a document's chart, "docs/benchmarks-replay.svg" of "docs/benchmarks.md" and "replay".
[[nodiscard]] std::string chart_file(const std::string& document, std::string_view name);
/// The line of a document that shows its chart; empty without a chart.
[[nodiscard]] std::string chart_line_of(const std::string& document, std::string_view name, std::string_view title,
                                        const std::string& chart);

/** The generated part of docs/benchmarks.md: a short table, machine, targets.

    @param reasons  The reasons for missed targets, by `work`. */
[[nodiscard]] std::string document_part(const std::vector<row>& rows, const machine_facts& machine,
                                        const std::map<std::string, std::string>& reasons);

/// The targets with their outcomes. @param all  Includes those that could not be judged.
[[nodiscard]] table target_table(std::span<const target> targets, const std::vector<row>& rows,
                                 const std::map<std::string, std::string>& reasons, bool all);
/// One sentence.
[[nodiscard]] std::string machine_text(const machine_facts& machine);
/// The targets, the machine, and the medians of the workloads that have targets. All else is in the file of results.
[[nodiscard]] std::string documented(std::span<const target> targets, const std::vector<row>& rows,
                                     const machine_facts& machine, const std::map<std::string, std::string>& reasons);

/// Puts `part` between the lines `<!-- NAME: begin -->` and `<!-- NAME: end -->`. Errors: misconfigured when the
/// document has no such lines.
[[nodiscard]] result<std::string> put_between_markers(const std::string& document, const std::string& part,
                                                      const std::string& name = "results");

/// Parses "work: reason" lines; skips empty lines and those that begin with '#'.
[[nodiscard]] std::map<std::string, std::string> parse_reasons(std::string_view text);

} // namespace kubecoro::bench
