// The JSON types of a CustomResourceDefinition.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>

namespace kubecoro::apiserver {

/// Checks the JSON types of versions and schemas. @return a 400 with Go's wording, or empty.
[[nodiscard]] std::optional<status_error> check_crd_types(const boost::json::value& crd);

} // namespace kubecoro::apiserver
