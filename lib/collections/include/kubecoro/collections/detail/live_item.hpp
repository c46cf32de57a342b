#pragma once
// How the engine of collections sees their elements: without their types.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// An element: immutable and shared. Null = none.
using live_item = std::shared_ptr<const void>;

/// Returns the values of an element in an index.
using item_index = std::function<std::vector<std::string>(const void*)>;

/// The operations of a collection on its elements.
struct item_kind
{
    /// An equal result is not passed on.
    std::function<bool(const void*, const void*)> equal = {};
    /// An object with the labels of the element: itself, or `made`. Empty = elements have none.
    std::function<const object&(const void*, object& made)> labels = {};
    /// Returns an index of that name; empty if there is none. Asked once for each.
    std::function<item_index(std::string_view)> index = {};
    /// The indexes that readers on other threads have. Computations have all.
    std::vector<std::string> shown_indexes = {};
};

/// An object that has these labels and nothing else.
[[nodiscard]] object object_with_labels(const std::map<std::string, std::string>& labels);

template<class T>
inline constexpr bool is_handle = false;
template<>
inline constexpr bool is_handle<object> = true;
template<class K>
inline constexpr bool is_handle<typed_object<K>> = true;

/** The elements of a collection of T: objects are handles already, and other values are shared.

    `shared` keeps the element alive for as long as it is held, whatever becomes of the collection. */
template<class T>
struct live_element
{
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "a collection<T> is one of values");
    using shared = std::shared_ptr<const T>;
    /// As functions of users take it.
    using argument = const T&;
    static shared read(const live_item& i) { return std::static_pointer_cast<const T>(i); }
    static const T& view(const live_item& i) { return *static_cast<const T*>(i.get()); }
    static live_item keep(T v) { return std::make_shared<const T>(std::move(v)); }
    static bool equal(const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); }
};

template<class T>
    requires is_handle<T>
struct live_element<T>
{
    using shared = T;
    using argument = const T&;
    static T read(const live_item& i) { return i ? T(*static_cast<const object*>(i.get())) : T(); }
    static T view(const live_item& i) { return read(i); }
    static live_item keep(T v)
    {
        object o(std::move(v));
        return o ? std::make_shared<const object>(std::move(o)) : nullptr;
    }
    static bool equal(const void* a, const void* b)
    {
        return static_cast<const object*>(a)->is_same(*static_cast<const object*>(b));
    }
};

/// Handles of all items.
template<class T>
[[nodiscard]] std::vector<typename live_element<T>::shared> read_all(const std::vector<live_item>& items)
{
    std::vector<typename live_element<T>::shared> out;
    out.reserve(items.size());
    for (const auto& i : items) out.push_back(live_element<T>::read(i));
    return out;
}

} // namespace kubecoro::detail
