#pragma once
// Words for values that parsers refuse.

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The failure of a parser, with the beginning of the text.
[[nodiscard]] inline failure refused(std::string_view wanted, std::string_view text)
{
    constexpr std::size_t longest = 64;
    return failure(cond::invalid, "expected " + std::string(wanted) + ", got '" + printable(text, longest) + "'");
}

/// The kind of a JSON value, in words for a failure.
[[nodiscard]] inline std::string_view kind_name(const boost::json::value& v) noexcept
{
    switch (v.kind()) {
    case boost::json::kind::null:
        return "null";
    case boost::json::kind::bool_:
        return "a boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
        return "a number";
    case boost::json::kind::string:
        return "a string";
    case boost::json::kind::array:
        return "an array";
    case boost::json::kind::object:
        break;
    }
    return "an object";
}

} // namespace kubecoro::detail
