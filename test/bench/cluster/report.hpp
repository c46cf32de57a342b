#pragma once

#include "driver/report.hpp"
#include "driver/results.hpp"
#include "driver/targets.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kubecoro::bench::live {

/// The targets of informers on a real server.
[[nodiscard]] std::span<const target> informer_targets();
/// The targets of requests and watches without an informer.
[[nodiscard]] std::span<const target> request_targets();

/// The title of chart_of().
inline constexpr std::string_view chart_title = "Informers on a real kube-apiserver: 20,000 pods";
/// The main figures as an SVG; empty when they are not measured.
[[nodiscard]] std::string chart_of(const std::vector<row>& rows);

/// All tables, then the targets that could be judged.
[[nodiscard]] std::string terminal_report(const std::vector<row>& rows);

/** The generated part of the page about informers: targets, versions, all tables. Empty when none is measured.

    @param reasons  The reasons for missed targets, by `work`. */
[[nodiscard]] std::string informers_part(const std::vector<row>& rows, const machine_facts& machine,
                                         const std::map<std::string, std::string>& reasons);
/// The same of requests and watches without an informer.
[[nodiscard]] std::string requests_part(const std::vector<row>& rows, const machine_facts& machine,
                                        const std::map<std::string, std::string>& reasons);

} // namespace kubecoro::bench::live
