#pragma once
// JSON as Go's decoder reads it from a stream.

#include "yaml/nodes.hpp"

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro::detail {

struct json_prefix
{
    boost::json::value value;
    /// Bytes up to its end.
    std::size_t size = 0;
};

struct json_problem
{
    /// The position of the byte.
    std::size_t at = 0;
    std::string what = {};
    /// It is no JSON, and may be YAML. Else it is JSON that cannot be used.
    bool may_be_yaml = false;
};

[[noreturn]] inline void throw_exception_from_error(const json_problem& problem, const boost::source_location& where)
{
    throw_exception_from_error(failure(cond::corrupt, problem.what), where);
}

/// The first value of a text.
[[nodiscard]] boost::system::result<json_prefix, json_problem>
read_json_prefix(std::string_view text, std::size_t most_depth, std::size_t most_key_comparisons);

/// The place of a byte of a text.
[[nodiscard]] yaml_place place_in(std::string_view text, std::size_t at);

} // namespace kubecoro::detail
