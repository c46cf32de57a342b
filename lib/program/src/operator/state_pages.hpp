#pragma once
// Debug pages of a manager, of its clusters, and of the settings.

#include <kubecoro/base/log.hpp>
#include <kubecoro/endpoints/debug_pages.hpp>
#include <kubecoro/manager/manager_options.hpp>
#include <kubecoro/program/operator_options.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// @param text  As manager::describe() makes it.
[[nodiscard]] debug_page manager_page(std::function<std::string()> text, std::function<manager_stats()> stats);
/// One line or element for each cluster, and for `?cluster=NAME` that of one.
[[nodiscard]] debug_page clusters_page(std::function<std::vector<cluster_stats>()> clusters);
/// The settings of an operator, with the present level of its log.
/// @param namespaces  Those that it works in.
[[nodiscard]] debug_page settings_page(const operator_options& o, std::string server,
                                       const std::vector<std::string>& namespaces, logger log);

} // namespace kubecoro::detail
