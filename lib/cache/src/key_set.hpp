#pragma once
// Hash tables of objects by their keys: an object is its own key, so nothing is stored twice.

#include <kubecoro/api/object.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <string>
#include <string_view>

namespace kubecoro {

struct by_key_hash
{
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(const object& o) const noexcept { return object_key_hash{}(o.key()); }
    [[nodiscard]] std::size_t operator()(object_key_view k) const noexcept { return object_key_hash{}(k); }
};

struct by_key_equal
{
    using is_transparent = void;
    [[nodiscard]] bool operator()(const object& a, const object& b) const noexcept { return a.key() == b.key(); }
    [[nodiscard]] bool operator()(const object& a, object_key_view b) const noexcept { return a.key() == b; }
    [[nodiscard]] bool operator()(object_key_view a, const object& b) const noexcept { return a == b.key(); }
};

/// The handle in the table keeps the text of its key alive.
template<class T>
using object_map = boost::unordered_flat_map<object, T, by_key_hash, by_key_equal>;

struct text_hash
{
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
};

template<class T>
using text_map = boost::unordered_flat_map<std::string, T, text_hash, std::equal_to<>>;

} // namespace kubecoro
