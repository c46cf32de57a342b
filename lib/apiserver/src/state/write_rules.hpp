// The rules that every created or updated object is held to.
#pragma once

#include "state/registry.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace kubecoro::apiserver {

/// Whether a change of the object raises its metadata.generation.
[[nodiscard]] bool raises_generation(generation_rule rule, const boost::json::value& before,
                                     const boost::json::value& after);

[[nodiscard]] status_error too_large_to_store();

/// Checks metadata, the rules of the kind, its schema, and limits of size. @param before  Null for a new object.
[[nodiscard]] std::optional<status_error> check_object(const resource_info& info, std::string_view version,
                                                       const boost::json::value* before,
                                                       const boost::json::value& after);

/// Removes fields that the schema of a version does not know, and adds its defaults.
[[nodiscard]] std::optional<status_error> settle_schema(const resource_info& info, std::string_view version,
                                                        boost::json::value& body);

} // namespace kubecoro::apiserver
