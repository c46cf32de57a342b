// Checks on objects before they are stored: metadata for all, a few rules per kind.
#pragma once

#include "state/registry.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Names, labels, annotations, owner references, finalizers: shapes and limits.
void validate_metadata(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// What a kind requires beyond that.
void validate_kind(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// What an update may not change. `before` and `after` are complete objects.
void validate_update(const resource_info& info, const boost::json::value& before, const boost::json::value& after,
                     std::vector<status_cause>& causes);

/// Wrong JSON types where every kind has the same ones (metadata, labels, data): Go's words, or empty.
[[nodiscard]] std::optional<status_error> check_types(const resource_info& info, std::string_view version,
                                                      const boost::json::value& body);

/// Members nobody knows, as paths: top level and metadata with its owner references; for custom resources all the schema
/// does not know. What is deeper inside built-in kinds is not looked at: their schemas are not here.
[[nodiscard]] std::vector<std::string> unknown_fields(const resource_info& info, std::string_view version,
                                                      const boost::json::value& body);

} // namespace kubecoro::apiserver
