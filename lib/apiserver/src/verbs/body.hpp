// Request bodies: format, kind, unknown fields, and the options that govern writes.
#pragma once

#include "http/exchange.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The body of a create or update as an object of the route's resource, without kind and apiVersion. Errors: 400, 413,
/// 415, 422.
[[nodiscard]] answer<boost::json::value> read_object(exchange& x);

/// A JSON or YAML document. Errors: Go's text.
[[nodiscard]] boost::system::result<boost::json::value, std::string> read_document(const exchange& x);

/// dryRun, fieldValidation. `kind` is CreateOptions, UpdateOptions or PatchOptions. Errors: 422.
[[nodiscard]] answer<write_flags> read_write_flags(const exchange& x, std::string_view kind);

/// From body and query. Errors: 400, 422.
[[nodiscard]] answer<delete_request> read_delete_options(const exchange& x);

/// Members that an object of the body has twice; none are looked for under fieldValidation=Ignore, and in YAML.
[[nodiscard]] std::vector<std::string> duplicates_in_body(const exchange& x);

/// Drops unknown members; warns of them and of duplicates, or refuses them under fieldValidation=Strict.
[[nodiscard]] std::optional<status_error> settle_doubtful_fields(exchange& x, boost::json::value& body,
                                                                 const std::vector<std::string>& duplicates);

} // namespace kubecoro::apiserver
