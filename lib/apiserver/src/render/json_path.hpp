// Evaluates the subset of JSONPath that columns of custom resources use.
#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::apiserver {

/** Returns the first value at a path such as `.spec.size`, `.metadata.labels['a.b']`, `.items[0].name`, `.list[*].name`
    or `.status.conditions[?(@.type=="Ready")].status`; null when absent or when the path has another form. */
[[nodiscard]] const boost::json::value* find_json_path(const boost::json::value& v, std::string_view path);

} // namespace kubecoro::apiserver
