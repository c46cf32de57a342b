// The columns and cells of `kubectl get` for each kind.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/base/clock.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

[[nodiscard]] std::vector<table_column> table_columns(const resource_info& info, std::string_view version);

/// Returns one cell per column. An object without metadata (a bookmark) yields cells with zero values.
[[nodiscard]] boost::json::array table_cells(const resource_info& info, const std::vector<table_column>& columns,
                                             const boost::json::value& body, wall_time now);

/// Formats a duration as Kubernetes does: "3d4h", "5m10s"; "<invalid>" below -1 s.
[[nodiscard]] std::string human_duration(std::chrono::seconds d);

} // namespace kubecoro::apiserver
