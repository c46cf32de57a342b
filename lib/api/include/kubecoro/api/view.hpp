#pragma once

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/value_view.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace kubecoro {

/** Reads a JSON object of one type in place: one accessor a field, named as in the API.

    Specialised by generated code for each struct. Cheap to copy; never allocates. It is borrowed: valid while the
    `object` that it reads is alive. A field of a missing part reads as missing: texts are empty, numbers 0, lists
    empty, optional values none. Any number of threads may read. */
template<class T>
class view;

namespace detail {

/// How a value of an accessor's type is read. A value that is absent or has another type reads as missing.
template<class T>
struct view_reader;

/// The base of all views.
class view_base
{
public:
    view_base() noexcept = default;
    /// @param at  The object to read; may be absent.
    explicit view_base(value_view at) noexcept : at_(at) {}

    /// Whether the object is there.
    explicit operator bool() const noexcept { return at_.is_object(); }
    /// The untyped view, for fields that the type does not have.
    [[nodiscard]] value_view untyped() const noexcept { return at_; }

protected:
    // One function a type, not a template: hundreds of accessors would instantiate it.
    /// The member with this name.
    [[nodiscard]] value_view at(std::string_view name) const noexcept { return at_[name]; }
    /// A text; empty if it is missing.
    [[nodiscard]] std::string_view text(std::string_view name) const noexcept { return at_[name].as_string(); }
    /// A boolean; false if it is missing.
    [[nodiscard]] bool boolean(std::string_view name) const noexcept { return at_[name].as_bool(); }
    /// A number; 0 if it is missing or beyond 32 bits.
    [[nodiscard]] std::int32_t int32(std::string_view name) const noexcept { return find_int32(name).value_or(0); }
    /// A number; 0 if it is missing.
    [[nodiscard]] std::int64_t int64(std::string_view name) const noexcept { return at_[name].as_int64(); }
    /// A number; 0 if it is missing.
    [[nodiscard]] double number(std::string_view name) const noexcept { return at_[name].as_double(); }

    /// A text; none if it is missing.
    [[nodiscard]] std::optional<std::string_view> find_text(std::string_view name) const noexcept;
    /// A boolean; none if it is missing.
    [[nodiscard]] std::optional<bool> find_boolean(std::string_view name) const noexcept;
    /// A number; none if it is missing or beyond 32 bits.
    [[nodiscard]] std::optional<std::int32_t> find_int32(std::string_view name) const noexcept;
    /// A number; none if it is missing.
    [[nodiscard]] std::optional<std::int64_t> find_int64(std::string_view name) const noexcept;
    /// A number; none if it is missing.
    [[nodiscard]] std::optional<double> find_number(std::string_view name) const noexcept;

private:
    value_view at_;
};

/// Goes through the items of a list, or the members of a map.
template<class T, class Iterator>
class view_iterator
{
public:
    using value_type = T;
    using reference = T;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    view_iterator() noexcept = default;
    /// @param at  The untyped position.
    explicit view_iterator(Iterator at) noexcept : at_(at) {}
    /// The current item.
    [[nodiscard]] T operator*() const { return view_reader<T>::read_at(at_); }
    /// Moves to the next item.
    view_iterator& operator++() noexcept
    {
        ++at_;
        return *this;
    }
    /// The same; returns nothing, as input iterators may.
    void operator++(int) noexcept { ++at_; }
    friend bool operator==(const view_iterator& a, const view_iterator& b) noexcept { return a.at_ == b.at_; }

private:
    Iterator at_;
};

} // namespace detail

/// A list whose items are read as T in place. Borrowed, as view.
template<class T>
class list_view
{
public:
    /// Goes through the items.
    using iterator = detail::view_iterator<T, detail::item_iterator>;
    list_view() noexcept = default;
    /// @param at  The list; reads as empty if it is none.
    explicit list_view(value_view at) noexcept : at_(at) {}

    /// Whether there are no items, O(1).
    [[nodiscard]] bool empty() const noexcept { return begin() == end(); }
    /// The number of items, O(size).
    [[nodiscard]] std::size_t size() const noexcept { return at_.is_array() ? at_.size() : 0; }
    /// The item at this position, O(index); missing beyond the end.
    [[nodiscard]] T operator[](std::size_t index) const { return detail::view_reader<T>::read(at_[index]); }
    /// The first item.
    [[nodiscard]] iterator begin() const noexcept { return iterator(at_.items().begin()); }
    /// The end.
    [[nodiscard]] iterator end() const noexcept { return {}; }
    /// The untyped view.
    [[nodiscard]] value_view untyped() const noexcept { return at_; }

private:
    value_view at_;
};

/// A map with text keys whose values are read as T in place. Borrowed, as view.
template<class T>
class map_view
{
public:
    /// A key and its value.
    using entry = std::pair<std::string_view, T>;
    /// Goes through the members.
    using iterator = detail::view_iterator<entry, detail::member_iterator>;
    map_view() noexcept = default;
    /// @param at  The map; reads as empty if it is none.
    explicit map_view(value_view at) noexcept : at_(at) {}

    /// Whether there are no members, O(1).
    [[nodiscard]] bool empty() const noexcept { return begin() == end(); }
    /// The number of members, O(size).
    [[nodiscard]] std::size_t size() const noexcept { return at_.is_object() ? at_.size() : 0; }
    /// Whether there is a member with this name, O(size).
    [[nodiscard]] bool contains(std::string_view key) const noexcept { return static_cast<bool>(at_[key]); }
    /// The value of the member, O(size); missing if there is none.
    [[nodiscard]] T operator[](std::string_view key) const { return detail::view_reader<T>::read(at_[key]); }
    /// Deleted: members have names, and 0 would be a null text.
    T operator[](std::size_t) const = delete; // for (auto [key, value] : map)
    /// The first member: `for (auto [key, value] : node.metadata().labels())`.
    [[nodiscard]] iterator begin() const noexcept { return iterator(at_.members().begin()); }
    /// The end.
    [[nodiscard]] iterator end() const noexcept { return {}; }
    /// The untyped view.
    [[nodiscard]] value_view untyped() const noexcept { return at_; }

private:
    value_view at_;
};

/// Binary data that JSON has in base64. Borrowed, as view.
class bytes_view
{
public:
    bytes_view() noexcept = default;
    /// @param at  The text in JSON; may be absent.
    explicit bytes_view(value_view at) noexcept : base64_(at.as_string()) {}
    /// Whether there is no data.
    [[nodiscard]] bool empty() const noexcept { return base64_.empty(); }
    /// The text in JSON.
    [[nodiscard]] std::string_view base64() const noexcept { return base64_; }
    /// The data itself. Allocates. Errors: cond::invalid if the text is not base64.
    [[nodiscard]] result<bytes> decode() const { return bytes::from_base64(base64_); }

private:
    std::string_view base64_;
};

} // namespace kubecoro

#include <kubecoro/api/detail/view_readers.hpp>
