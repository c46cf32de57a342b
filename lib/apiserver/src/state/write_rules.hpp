// The rules that every created or updated object is held to.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/apiserver/detail/object_requests.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace kubecoro::apiserver {

/// Whether a change of the object raises its metadata.generation.
[[nodiscard]] bool raises_generation(generation_rule rule, const boost::json::value& before,
                                     const boost::json::value& after);

[[nodiscard]] status_error too_large_to_store();

/// Checks metadata, the rules of the kind, its schema with its rules, and limits of size. @param before  Null for a new object.
[[nodiscard]] std::optional<status_error> check_object(const write_flags& flags, const resource_info& info,
                                                       std::string_view version, const boost::json::value* before,
                                                       const boost::json::value& after);

/// Removes fields that the schema of a version does not know, and nulls that it does not allow.
void prune_by_schema(const resource_info& info, std::string_view version, boost::json::value& body);

/// Adds the defaults of the schema of a version.
[[nodiscard]] std::optional<status_error> add_schema_defaults(const resource_info& info, std::string_view version,
                                                              boost::json::value& body);

/** Whether the part of a custom resource that a write ignores, its status or all but its status, is as the schema says. A
    kube-apiserver records no owners otherwise. @param before  Null for a new object. */
[[nodiscard]] bool has_typed_rest(const resource_info& info, std::string_view version, std::string_view subresource,
                                  const boost::json::value* before, const boost::json::value& body);

} // namespace kubecoro::apiserver
