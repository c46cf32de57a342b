// Members of JSON values that may be missing or of another type.
#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::detail {

/// A member; null if there is no value, if it is no object, or if it has no such member.
[[nodiscard]] inline const boost::json::value* member_in(const boost::json::value* v, std::string_view name) noexcept
{
    const auto* object = v != nullptr ? v->if_object() : nullptr;
    return object != nullptr ? object->if_contains(name) : nullptr;
}
/// The same of a value that is there.
[[nodiscard]] inline const boost::json::value* member_in(const boost::json::value& v, std::string_view name) noexcept
{
    return member_in(&v, name);
}
/// The same of an object.
[[nodiscard]] inline const boost::json::value* member_in(const boost::json::object& o, std::string_view name) noexcept
{
    return o.if_contains(name);
}

/// The text of a member; empty if there is none. @param in  Anything that member_in takes, as below.
template<class Json>
[[nodiscard]] std::string_view text_in(const Json& in, std::string_view name) noexcept
{
    const auto* v = member_in(in, name);
    return v != nullptr && v->is_string() ? std::string_view(v->get_string()) : std::string_view{};
}

/// Whether a member is true.
template<class Json>
[[nodiscard]] bool is_true_in(const Json& in, std::string_view name) noexcept
{
    const auto* v = member_in(in, name);
    return v != nullptr && v->is_bool() && v->get_bool();
}

/// A member that is an object; null if there is none.
template<class Json>
[[nodiscard]] const boost::json::object* object_in(const Json& in, std::string_view name) noexcept
{
    const auto* v = member_in(in, name);
    return v != nullptr ? v->if_object() : nullptr;
}

/// A member that is an array; null if there is none.
template<class Json>
[[nodiscard]] const boost::json::array* array_in(const Json& in, std::string_view name) noexcept
{
    const auto* v = member_in(in, name);
    return v != nullptr ? v->if_array() : nullptr;
}

} // namespace kubecoro::detail
