// Members of JSON objects that may be missing or of another type.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <string_view>

namespace kubecoro::codegen {

/// The text of a member; empty if there is none.
[[nodiscard]] inline std::string_view text_of(const boost::json::object& in, std::string_view member)
{
    const auto* value = in.if_contains(member);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

/// Whether a member is true.
[[nodiscard]] inline bool is_true(const boost::json::object& in, std::string_view member)
{
    const auto* value = in.if_contains(member);
    return value != nullptr && value->is_bool() && value->get_bool();
}

/// A member that is an object, or nullptr.
[[nodiscard]] inline const boost::json::object* object_in(const boost::json::object& in, std::string_view member)
{
    const auto* value = in.if_contains(member);
    return value != nullptr ? value->if_object() : nullptr;
}

/// A member that is an array, or nullptr.
[[nodiscard]] inline const boost::json::array* array_in(const boost::json::object& in, std::string_view member)
{
    const auto* value = in.if_contains(member);
    return value != nullptr ? value->if_array() : nullptr;
}

} // namespace kubecoro::codegen
