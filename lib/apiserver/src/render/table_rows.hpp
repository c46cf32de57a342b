// What `kubectl get` shows of each kind.
#pragma once

#include "state/registry.hpp"

#include <kubecoro/base/clock.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

[[nodiscard]] std::vector<table_column> table_columns(const resource_info& info, std::string_view version);

/// One cell per column. An object without metadata (a bookmark) gives zero cells.
[[nodiscard]] boost::json::array table_cells(const resource_info& info, const std::vector<table_column>& columns,
                                             const boost::json::value& body, wall_time now);

/// "3d4h", "5m10s", as Kubernetes shortens durations; "<invalid>" for the future.
[[nodiscard]] std::string human_duration(std::chrono::seconds d);

} // namespace kubecoro::apiserver
