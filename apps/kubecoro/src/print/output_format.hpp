// The value of -o.
#pragma once

#include "print/json_path.hpp"

#include <kubecoro/base/result.hpp>

#include <optional>
#include <string_view>

namespace kubecoro::tool {

enum class output_kind
{
    table,
    wide,
    json,
    yaml,
    name,
    jsonpath
};

/// A parsed -o.
struct output_format
{
    output_kind kind = output_kind::table;
    /// For jsonpath.
    std::optional<json_path_template> path = {};

    /// table and wide: the server's Table form is needed.
    [[nodiscard]] bool is_table() const noexcept { return kind == output_kind::table || kind == output_kind::wide; }
};

/// Reads table, wide, json, yaml, name or jsonpath=TEMPLATE; empty = table. Errors: cond::invalid.
[[nodiscard]] result<output_format> parse_output_format(std::string_view text);

} // namespace kubecoro::tool
