#pragma once
// How the engine of collections sees their elements: without their types.

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {
class look;
}

namespace kubecoro::detail {

/// An element: immutable and shared, an object without further memory. Null = none.
class live_item
{
public:
    live_item() noexcept = default;
    live_item(std::nullptr_t) noexcept {}
    template<class T>
    live_item(std::shared_ptr<T> value) noexcept : value_(std::move(value))
    {
    }
    explicit live_item(object o) noexcept : object_(std::move(o)) {}

    /// The value, or an object within this item.
    [[nodiscard]] const void* get() const noexcept { return object_ ? &object_ : value_.get(); }
    [[nodiscard]] explicit operator bool() const noexcept { return object_ || value_; }
    /// Null for an object.
    [[nodiscard]] const std::shared_ptr<const void>& shared() const noexcept { return value_; }
    /// The address of its memory.
    [[nodiscard]] const void* identity() const noexcept { return object_ ? object_.identity() : value_.get(); }
    friend bool operator==(const live_item& a, const live_item& b) noexcept { return a.identity() == b.identity(); }

private:
    object object_;
    std::shared_ptr<const void> value_;
};

/// Returns the values of an element in an index.
using item_index = std::function<std::vector<std::string>(const void*)>;

/// The operations of a collection on its elements.
struct item_kind
{
    /// An equal result is not passed on.
    std::function<bool(const void*, const void*)> equal = {};
    /// An object with the labels of the element: itself, or `made`. Empty = elements have none.
    std::function<const object&(const void*, object& made)> labels = {};
    /// Returns an index of that name; empty if there is none..
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
    static shared read(const live_item& i) { return std::static_pointer_cast<const T>(i.shared()); }
    static const T& view(const void* o) { return *static_cast<const T*>(o); }
    static live_item keep(T v) { return std::make_shared<const T>(std::move(v)); }
    static bool equal(const void* a, const void* b) { return view(a) == view(b); }
};

template<class T>
    requires is_handle<T>
struct live_element<T>
{
    using shared = T;
    static T read(const live_item& i) { return i ? view(i.get()) : T(); }
    static T view(const void* o) { return T(*static_cast<const object*>(o)); }
    static live_item keep(T v) { return live_item(object(std::move(v))); }
    static bool equal(const void* a, const void* b)
    {
        return static_cast<const object*>(a)->is_same(*static_cast<const object*>(b));
    }
};

/// A call of a user's function: the key, the elements with it in each primary input (null = none), and its results.
struct computation
{
    std::string_view key;
    std::span<const live_item> inputs;
    look& reads;
    /// The results with their keys. Without keys of their own they have that of the input: one at most.
    std::vector<std::pair<std::string, live_item>> results = {};
};
using compute_function = std::function<void(computation&)>;

/// Handles of all items.
template<class T>
[[nodiscard]] std::vector<typename live_element<T>::shared> read_all(const std::vector<live_item>& items)
{
    std::vector<typename live_element<T>::shared> out;
    out.reserve(items.size());
    if constexpr (is_handle<T>) // counting a use waits for the memory of the object: all of it is asked for first
        for (const auto& i : items) prefetch_object(i.identity());
    for (const auto& i : items) out.push_back(live_element<T>::read(i));
    return out;
}

} // namespace kubecoro::detail
