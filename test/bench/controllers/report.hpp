#pragma once

#include "driver/report.hpp"
#include "driver/results.hpp"
#include "driver/table.hpp"
#include "driver/targets.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kubecoro::bench::controllers {

/// The targets of controllers.
[[nodiscard]] std::span<const target> controller_targets();

/// Each metric a line: the medians of kubecoro and its peers, and kubecoro's ratios to them.
[[nodiscard]] table comparison_of(const std::vector<row>& rows);

/// The comparison, then the targets that could be judged.
[[nodiscard]] std::string terminal_report(const std::vector<row>& rows);

/** The generated part of the page: comparison, targets, versions, all tables. Empty when nothing is measured.

    @param reasons  The reasons for missed targets, by `work`. */
[[nodiscard]] std::string controllers_part(const std::vector<row>& rows, const machine_facts& machine,
                                           const std::map<std::string, std::string>& reasons);

} // namespace kubecoro::bench::controllers
