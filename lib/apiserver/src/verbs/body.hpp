// Parses and checks request bodies and write options.
#pragma once

#include "verbs/exchange.hpp"

#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Parses the body of a create or update as an object of the route's resource, and drops kind and apiVersion.
/// Errors: 400, 415, 422.
[[nodiscard]] answer<boost::json::value> read_object(exchange& x);

/** Parses the body as a JSON or YAML document. Errors have Go's wording.
    @param duplicates  Gets a complaint for each field that occurs twice; none with fieldValidation=Ignore. Null: not looked
    for. */
[[nodiscard]] boost::system::result<boost::json::value, detail::problem_words>
read_document(const exchange& x, std::vector<std::string>* duplicates = nullptr);

/// The same for an object of another built-in kind, which a subresource takes.
[[nodiscard]] boost::system::result<boost::json::value, detail::problem_words>
read_document(const exchange& x, std::string_view api_version, std::string_view kind);
/// Parses the body as an object of the kind that a subresource takes. Errors: 400.
[[nodiscard]] answer<boost::json::value> read_part(const exchange& x, std::string_view api_version,
                                                   std::string_view kind);

/// Reads dryRun and checks fieldValidation. `kind` is CreateOptions, UpdateOptions or PatchOptions. Errors: 422.
[[nodiscard]] answer<write_flags> read_write_flags(exchange& x, std::string_view kind);

/// Reads DeleteOptions: from the body, or if there is none, from the query. Errors: 400, 422.
[[nodiscard]] answer<delete_request> read_delete_options(const exchange& x);

/// Whether an object is that of the URL, by its name, which it must have, and its namespace. Errors: 400.
[[nodiscard]] std::optional<status_error> check_place(const exchange& x, const boost::json::value& body);

/// Reads DeleteOptions as they are, without checks.
[[nodiscard]] delete_request delete_options_of(const boost::json::value& options);

/// Adds warnings to the answer, as many as fit: they are headers, whose size clients limit.
void warn_of(exchange& x, const std::vector<std::string>& complaints);

/// Drops unknown fields, and nulls that the schema of a custom resource does not allow. Warns of unknown and duplicate
/// fields. @return what is wrong with them if fieldValidation is Strict.
[[nodiscard]] std::string settle_doubtful_fields(exchange& x, boost::json::value& body,
                                                 const std::vector<std::string>& duplicates);

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
