// Validates objects before they are stored: metadata of all kinds, and a few rules per kind.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Checks the format and limits of names, labels, annotations, owner references and finalizers.
void validate_metadata(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks the additional rules of a built-in kind. @param before  Null for a new object.
void validate_kind(const resource_info& info, const boost::json::value* before, const boost::json::value& body,
                   std::vector<status_cause>& causes);

/// Checks that an update leaves immutable fields unchanged. `before` and `after` are complete objects.
void validate_update(const resource_info& info, const boost::json::value& before, const boost::json::value& after,
                     std::vector<status_cause>& causes);
/// The same for ephemeral containers, which are added, and never changed or removed. The words are those of Kubernetes.
void validate_ephemeral_containers(const boost::json::value& before, const boost::json::value& after,
                                   std::vector<status_cause>& causes);

/// Makes null an empty text in maps of texts (labels, annotations, data), as Go reads it.
void fill_null_texts(const resource_info& info, boost::json::value& body);

/// Checks the JSON types of common fields (metadata, labels, data). @return a 400 with Go's wording, or empty.
[[nodiscard]] std::optional<status_error> check_types(const resource_info& info, std::string_view version,
                                                      const boost::json::value& body);

/// Compares an object with the schema of a built-in kind. @return the first value of a wrong type in Go's wording; empty:
/// there is none.
[[nodiscard]] std::string type_problem(std::string_view api_version, std::string_view kind,
                                       const boost::json::value& body);
/// The same. @return a 400, or empty.
[[nodiscard]] std::optional<status_error> check_builtin_types(std::string_view api_version, std::string_view kind,
                                                              const boost::json::value& body);

/// Returns the paths of unknown fields. Kinds without a schema are searched at the top level and in metadata with its
/// owner references.
[[nodiscard]] std::vector<std::string> unknown_fields(const resource_info& info, std::string_view version,
                                                      const boost::json::value& body);

/// True for the kinds of which unevaluated_parts() may say something.
[[nodiscard]] bool may_be_unevaluated(const resource_info& info) noexcept;

/** Says what a new or updated definition asks for without effect: conversion webhooks of
    CustomResourceDefinitions, admission webhooks and policies, quotas, limits of resources, disruption budgets and
    aggregated APIs.

    @return one sentence of at most about 1 KiB, for a `Warning` header; empty if all of the object has its effect. */
[[nodiscard]] std::string unevaluated_parts(const resource_info& info, const boost::json::value& body);

} // namespace kubecoro::apiserver
