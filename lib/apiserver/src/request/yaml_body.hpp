// Bodies of requests in YAML, which take long to parse.
#pragma once

#include <kubecoro/apiserver/http_types.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

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
    answers for an exception such as std::bad_alloc. @param max_depth  The maximum nesting depth of JSON. */
void parse_ahead(http_request& request, std::size_t max_depth) noexcept;

} // namespace kubecoro::apiserver
