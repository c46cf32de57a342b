// The steps of a parsed JSONPath.
#pragma once

#include "print/json_path.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::tool {

/// Nesting of filters within filters, and of ranges within ranges.
inline constexpr int max_json_path_depth = 64;

/// One step: every alternative is applied to each value so far.
struct json_path::step
{
    struct member
    {
        std::string name;
    };
    struct every
    {
    };
    struct descend
    {
    };
    struct slice
    {
        std::optional<std::int64_t> begin, end;
        std::int64_t stride = 1;
    };
    struct filter
    {
        json_path left;
        std::string comparison;
        std::variant<boost::json::value, json_path> right;
    };
    /// All steps of a path.
    struct nested
    {
        json_path path;
    };
    using one = std::variant<member, every, descend, slice, filter, nested>;
    /// More than one for `[a,b]`.
    std::vector<one> any;
};

} // namespace kubecoro::tool
