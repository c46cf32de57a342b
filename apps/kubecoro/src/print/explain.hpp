// Finds fields in an OpenAPI document and describes them. Sans-io.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// A kind of the API.
struct explained_kind
{
    std::string group = {};
    std::string version = {};
    std::string kind = {};
};

/** Describes a kind, or one of its fields, from the OpenAPI v3 document of its group and version.

    @param field      Names of members on the way, without those of lists: {"spec", "containers", "image"}.
    @param recursive  All fields below, without descriptions.
    Errors: cond::not_found when the document has no such kind or field. */
[[nodiscard]] result<std::string> explain(const boost::json::value& document, const explained_kind& kind,
                                          const std::vector<std::string>& field, bool recursive);

/// Breaks text at spaces so that lines have at most `width` characters, and puts `indent` before each.
[[nodiscard]] std::string wrapped(const std::string& text, const std::string& indent, std::size_t width);

} // namespace kubecoro::tool
