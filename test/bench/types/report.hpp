#pragma once

#include "driver/report.hpp"
#include "driver/results.hpp"
#include "driver/targets.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kubecoro::bench::types {

/// The targets of types.
[[nodiscard]] std::span<const target> type_targets();

/// Fails if a compiler took more CPU for a file than it may.
[[nodiscard]] result<> within_budgets(const std::vector<row>& rows);

/// All tables, then the targets that could be judged.
[[nodiscard]] std::string terminal_report(const std::vector<row>& rows);

/** The generated part of the page: targets, versions, all tables. Empty when nothing is measured.

    @param reasons  The reasons for missed targets, by `work`. */
[[nodiscard]] std::string types_part(const std::vector<row>& rows, const machine_facts& machine,
                                     const std::map<std::string, std::string>& reasons);

} // namespace kubecoro::bench::types
