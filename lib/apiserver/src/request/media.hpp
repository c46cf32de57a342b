// Media types: the form that a request's answer has, and bodies of requests in YAML, which take long to parse.
#pragma once

#include <kubecoro/apiserver/detail/http_types.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// The deepest nesting of JSON in a request body.
inline constexpr std::size_t deepest_body = 256;

/// The encoding of an answer.
enum class answer_form
{
    json,
    /// Rendered as JSON and converted, a list item by item. Not for watches.
    yaml,
    protobuf
};

enum class representation
{
    json,
    table,
    /// PartialObjectMetadata; for lists, PartialObjectMetadataList.
    partial,
    /// PartialObjectMetadataList was requested; valid for lists only.
    partial_list,
    /// Aggregated discovery.
    discovery
};

struct media_choice
{
    representation as = representation::json;
    /// Version of meta.k8s.io for tables: v1 or v1beta1.
    std::string version = "v1";
    answer_form form = answer_form::json;
};

/// The properties of a resource and a request that restrict the forms of the answer.
struct media_scope
{
    /// Objects of custom resources have no protobuf form; their metadata has.
    bool custom = false;
    bool watch = false;
};

/** Selects representation and form for a resource request: those of the first clause that can be served, by quality and
    then as sent. Without clauses: JSON. Errors: 406. */
[[nodiscard]] answer<media_choice> choose_media(std::string_view accept, const media_scope& scope);

/// Selects the form of a Status, which has no other representation. JSON if no clause can be served.
[[nodiscard]] answer_form choose_plain_form(std::string_view accept);

[[nodiscard]] std::string_view content_type(answer_form form, bool watch = false) noexcept;

/// The same for discovery. @param aggregates  Whether there is an aggregated form.
[[nodiscard]] answer<media_choice> choose_discovery_media(std::string_view accept, bool aggregates);

/// A body that has been parsed ahead.
struct yaml_body
{
    boost::system::result<detail::yaml_document, detail::problem_words> parsed;
};

/// A content type without its parameters, in lower case.
[[nodiscard]] std::string media_type(std::string_view content_type);

/// Whether the content type is one of YAML, under which clients send JSON as well.
[[nodiscard]] bool is_called_yaml(const http_request& request);

/// True for YAML that is not JSON: clients send JSON under the name of YAML, and a YAML parser takes much longer.
[[nodiscard]] bool is_plain_yaml(const http_request& request);

/// Parses the body. Needs no state: it may run anywhere. Never null.
[[nodiscard]] std::shared_ptr<const yaml_body> parse_yaml_body(const http_request& request);

/** Sets `request.yaml` if the body, whose content type is YAML's, is not JSON. The handler parses what is left, and
    answers for an exception such as std::bad_alloc. */
void parse_ahead(http_request& request) noexcept;

} // namespace kubecoro::apiserver
