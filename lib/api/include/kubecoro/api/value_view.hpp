#pragma once

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace kubecoro {

namespace detail {
class item_iterator;
class item_range;
class member_iterator;
class member_range;
class vocabulary;
} // namespace detail

/// The kind of a value. `number` is any number that is not a 64-bit integer in plain notation.
enum class value_kind : std::uint8_t
{
    absent,
    null,
    boolean,
    integer,
    number,
    string,
    array,
    object
};

/** One value inside an encoded object, read in place: no allocation, no decoding.

    A view is three pointers and cheap to copy. It is valid while the `object` it came from is alive (any copy of
    it). Looking up a missing value, or anything inside an absent view, gives an absent view, so
    `o["spec"]["nodeName"].as_string()` is safe on every object. Any number of threads may read. Bounded: never reads
    outside the encoding, whatever its bytes. */
class value_view
{
public:
    value_view() noexcept = default;

    /// The type of the value.
    [[nodiscard]] value_kind kind() const noexcept;
    /// True if present, even if null.
    explicit operator bool() const noexcept { return at_ != nullptr; }
    /// Whether it is a string.
    [[nodiscard]] bool is_string() const noexcept { return kind() == value_kind::string; }
    /// Whether it is an object.
    [[nodiscard]] bool is_object() const noexcept { return kind() == value_kind::object; }
    /// Whether it is an array.
    [[nodiscard]] bool is_array() const noexcept { return kind() == value_kind::array; }

    /// The member with this name; with duplicates the last, as in the server's own decoder.
    [[nodiscard]] value_view operator[](std::string_view key) const noexcept;
    /// The item at this position, O(index).
    [[nodiscard]] value_view operator[](std::size_t index) const noexcept;
    /// Follows member names separated by dots: path("metadata.labels"). Names that contain dots need operator[].
    [[nodiscard]] value_view path(std::string_view dotted) const noexcept;

    /// The text of a string, else `fallback`.
    [[nodiscard]] std::string_view as_string(std::string_view fallback = {}) const noexcept;
    /// The integer; `fallback` for everything else.
    [[nodiscard]] std::int64_t as_int64(std::int64_t fallback = 0) const noexcept;
    /// The nearest double; infinite beyond its range.
    [[nodiscard]] double as_double(double fallback = 0) const noexcept;
    /// The boolean; `fallback` for everything else.
    [[nodiscard]] bool as_bool(bool fallback = false) const noexcept;
    /// The digits of a `number`, as the server wrote them; empty for any other kind.
    [[nodiscard]] std::string_view number_text() const noexcept;

    /// Members of an object (duplicates counted) or items of an array, O(size); 0 for any other kind.
    [[nodiscard]] std::size_t size() const noexcept;
    /// size() is 0, O(1).
    [[nodiscard]] bool empty() const noexcept;
    /// Members or items in the order the server sent; empty unless this is an object or an array.
    [[nodiscard]] detail::member_range members() const noexcept;
    /// The items of an array; none for everything else.
    [[nodiscard]] detail::item_range items() const noexcept;

    /// Compact JSON text: the server's member order, duplicates and number notation are kept.
    [[nodiscard]] std::string to_text() const;
    /// Appends the value as JSON text.
    void append_text(std::string& out) const;
    /// The last of duplicate members; numbers as int64, uint64 or the nearest finite double.
    [[nodiscard]] boost::json::value to_json() const;

    /// Equal JSON values: member order is ignored, numbers compare by value, absent equals only absent.
    friend bool operator==(const value_view& a, const value_view& b) noexcept;

private:
    friend class detail::member_iterator;
    friend class detail::item_iterator;
    friend class object;
    friend class tape_access;
    value_view(const unsigned char* at, const unsigned char* end, const detail::vocabulary* words) noexcept
        : at_(at), end_(end), words_(words)
    {
    }

    const unsigned char* at_ = nullptr;
    const unsigned char* end_ = nullptr;
    const detail::vocabulary* words_ = nullptr;
};

/// A member during iteration: `for (auto [key, value] : view.members())`.
struct member
{
    /// The member's name.
    std::string_view key;
    /// The member's value.
    value_view value;
};

namespace detail {
/// Goes through the members of an object, in document order.
class member_iterator
{
public:
    using value_type = member;
    using reference = member;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    member_iterator() noexcept = default;
    /// The current member; its value is absent at the end.
    [[nodiscard]] member operator*() const noexcept { return current_; }
    /// Moves to the next member. Becomes the end after the last one, or where the encoding is cut off.
    member_iterator& operator++() noexcept;
    /// The same; returns nothing, as input iterators may.
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const member_iterator& a, const member_iterator& b) noexcept { return a.next_ == b.next_; }

private:
    friend class kubecoro::value_view;
    friend class member_range;
    /// Starts at `at`, where the previous value ended; becomes the end when no complete member follows.
    member_iterator(const unsigned char* at, const unsigned char* end, const detail::vocabulary* words) noexcept;
    member current_;
    /// Start of the next one; null at the end.
    const unsigned char* next_ = nullptr;
    const unsigned char* end_ = nullptr;
};

/// Goes through the items of an array.
class item_iterator
{
public:
    using value_type = value_view;
    using reference = value_view;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    item_iterator() noexcept = default;
    /// The current item; absent at the end.
    [[nodiscard]] value_view operator*() const noexcept { return current_; }
    /// Moves to the next item. Becomes the end after the last one, or where the encoding is cut off.
    item_iterator& operator++() noexcept;
    /// The same; returns nothing, as input iterators may.
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const item_iterator& a, const item_iterator& b) noexcept { return a.next_ == b.next_; }

private:
    friend class kubecoro::value_view;
    friend class item_range;
    item_iterator(const unsigned char* at, const unsigned char* end, const detail::vocabulary* words) noexcept;
    value_view current_;
    /// As in member_iterator.
    const unsigned char* next_ = nullptr;
    const unsigned char* end_ = nullptr;
};

/// The members of an object; see value_view::members().
class member_range
{
public:
    /// The first member.
    [[nodiscard]] member_iterator begin() const noexcept { return begin_; }
    /// The end.
    [[nodiscard]] member_iterator end() const noexcept { return {}; }

private:
    friend class kubecoro::value_view;
    member_iterator begin_;
};

/// The items of an array; see value_view::items().
class item_range
{
public:
    /// The first item.
    [[nodiscard]] item_iterator begin() const noexcept { return begin_; }
    /// The end.
    [[nodiscard]] item_iterator end() const noexcept { return {}; }

private:
    friend class kubecoro::value_view;
    item_iterator begin_;
};
} // namespace detail
} // namespace kubecoro
