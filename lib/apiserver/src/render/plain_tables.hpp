// The columns and cells of kinds that are stored without rules of their own.
#pragma once

#include "objects/registry.hpp"

#include <boost/json/array.hpp>

#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The columns of a kind without rules of its own; name and age for one that needs no others.
[[nodiscard]] std::vector<table_column> plain_columns(const resource_info& info);

/// One cell per column. @param age  As `kubectl get` shows it.
[[nodiscard]] boost::json::array plain_cells(const resource_info& info, const boost::json::value& body,
                                             std::string_view age);

} // namespace kubecoro::apiserver
