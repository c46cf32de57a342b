// The kind and apiVersion that a body states.
#pragma once

#include "verbs/exchange.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// The fault of an object's kind and apiVersion.
struct type_fault
{
    /// In Go's words. Empty if there is a verdict.
    std::string why = {};
    /// Kind and apiVersion cannot be read. Otherwise they are those of another kind.
    bool unreadable = false;
    /// The refusal, whatever the request is.
    std::optional<status_error> verdict = {};
};

/// Compares them with the kind of the route's resource. @return nothing if they fit.
[[nodiscard]] std::optional<type_fault> find_type_fault(const exchange& x, const boost::json::value& object);

/// The beginning of refusals of an object of the resource: `ConfigMap in version "v1" cannot be handled as a ConfigMap`.
[[nodiscard]] std::string in_version(std::string_view kind, std::string_view version, const resource_info& info);

} // namespace kubecoro::apiserver
