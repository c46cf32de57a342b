#pragma once
// Hash tables of objects by key: an object is its own key, so nothing is stored twice.

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/base/hash.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

[[nodiscard]] inline object_key_view key_of(object_key_view k) noexcept { return k; }
[[nodiscard]] inline object_key_view key_of(const object& o) noexcept { return o.key(); }
[[nodiscard]] inline object_key_view key_of(const kept_object& o) noexcept { return o.key(); }

struct by_key_hash
{
    using is_transparent = void;
    using is_avalanching = void;
    template<class T>
    [[nodiscard]] std::size_t operator()(const T& t) const noexcept
    {
        return object_key_hash{}(key_of(t));
    }
};

struct by_key_equal
{
    using is_transparent = void;
    template<class A, class B>
    [[nodiscard]] bool operator()(const A& a, const B& b) const noexcept
    {
        return key_of(a) == key_of(b);
    }
};

/// The handle in the table keeps the text of its key alive.
template<class T>
using object_map = boost::unordered_flat_map<object, T, by_key_hash, by_key_equal>;

/// The same for stored objects.
template<class T>
using kept_map = boost::unordered_flat_map<kept_object, T, by_key_hash, by_key_equal>;

template<class T>
using text_map = boost::unordered_flat_map<std::string, T, text_hash, std::equal_to<>>;

} // namespace kubecoro::detail
