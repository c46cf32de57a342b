#pragma once

#include "results.hpp"

#include <map>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// What the numbers were measured on, line by line.
struct machine_facts
{
    std::vector<std::pair<std::string, std::string>> lines;
};
/// Of this machine: processor, cores, memory, kernel, compiler, libraries, and the peers' `versions` file.
[[nodiscard]] machine_facts facts_of_this_machine(const std::string& versions_file);

/// The terminal's form: all tables, then the targets that could be judged.
[[nodiscard]] std::string terminal_report(const std::vector<row>& rows);

/** The generated part of docs/benchmarks.md: a short table, machine, targets, all tables.

    @param reasons  Why a target is not reached, by its `work`. */
[[nodiscard]] std::string document_part(const std::vector<row>& rows, const machine_facts& machine,
                                        const std::map<std::string, std::string>& reasons);

/// Puts `part` between the lines `<!-- results: begin -->` and `<!-- results: end -->`. Errors: misconfigured when the document has
/// no such lines.
[[nodiscard]] result<std::string> put_between_markers(const std::string& document, const std::string& part);

/// "work: reason" lines; those that begin with '#' and empty ones are passed over.
[[nodiscard]] std::map<std::string, std::string> parse_reasons(std::string_view text);

} // namespace kubecoro::bench
