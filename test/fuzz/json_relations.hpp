// Relations between JSON values that a way through protobuf must keep.
#pragma once

#include <kubecoro/test/json_oracle.hpp>

#include <boost/json/value.hpp>

#include <algorithm>

namespace fuzz {

namespace json = boost::json;

/// True for the zero values of Go types, and for containers that hold only zero values.
inline bool is_zero(const json::value& v)
{
    switch (v.kind()) {
    case json::kind::null:
        return true;
    case json::kind::bool_:
        return !v.get_bool();
    case json::kind::string:
        // An empty quantity, duration and micro time.
        return v.get_string().empty() || v.get_string() == "0" || v.get_string() == "0s";
    case json::kind::array:
        return v.get_array().empty();
    case json::kind::object:
        return std::ranges::all_of(v.get_object(), [](const auto& m) { return is_zero(m.value()); });
    default:
        return v.to_number<double>() == 0;
    }
}

/** True if `after` has everything that `before` has, and beyond that only zeros.

    @param same  Compares two values that are not both objects or both arrays. */
template<class Same>
bool keeps(const json::value& before, const json::value& after, const Same& same)
{
    if (is_zero(before) && is_zero(after)) return true;
    const auto* b = before.if_object();
    const auto* a = after.if_object();
    if (b != nullptr && a != nullptr) {
        const auto stays = [&](const auto& m) {
            const auto* now = a->if_contains(m.key());
            return now == nullptr ? is_zero(m.value()) : keeps(m.value(), *now, same);
        };
        const auto is_new_zero = [&](const auto& m) { return b->contains(m.key()) || is_zero(m.value()); };
        return std::ranges::all_of(*b, stays) && std::ranges::all_of(*a, is_new_zero);
    }
    if (before.is_array() && after.is_array()) {
        const auto each = [&same](const auto& x, const auto& y) { return keeps(x, y, same); };
        return std::ranges::equal(before.get_array(), after.get_array(), each);
    }
    return same(before, after);
}

inline bool keeps(const json::value& before, const json::value& after)
{
    return keeps(before, after, kubecoro::test::same_json);
}

} // namespace fuzz
