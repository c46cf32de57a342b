#pragma once
// Debug pages of a manager and of its clusters.

#include <kubecoro/endpoints/debug_pages.hpp>
#include <kubecoro/manager/manager_options.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// @param text  As manager::describe() makes it.
[[nodiscard]] debug_page manager_page(std::function<std::string()> text, std::function<manager_stats()> stats);
/// One line or element for each cluster, and for `?cluster=NAME` that of one.
[[nodiscard]] debug_page clusters_page(std::function<std::vector<cluster_stats>()> clusters);

} // namespace kubecoro::detail
