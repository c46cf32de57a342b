#pragma once
// The keys of a collection, the values of its indexes, and what else results can have read.

#include <kubecoro/api/selector.hpp>
#include <kubecoro/collections/detail/live_item.hpp>

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

inline constexpr std::uint32_t no_id = std::numeric_limits<std::uint32_t>::max();

/// Something that results can have read: the head of the list of their edges.
struct read_target
{
    enum class what : std::uint32_t
    {
        row,
        value,
        selection,
        all
    };
    read_target(what k, std::uint32_t t) noexcept : table(t & 0x3fffffffU), kind(k) {}

    /// The last computation that has read it: further reads of it need no edge.
    std::uint64_t stamp = 0;
    /// The first edge.
    std::uint32_t first = no_id;
    std::uint32_t table : 30;
    what kind : 2;
};

struct selection;

/// A value of an index, and how many elements have it.
struct index_value : read_target
{
    index_value(std::uint32_t table, std::uint32_t i, std::string t)
        : read_target(what::value, table), index(i), text(std::move(t))
    {
    }
    std::uint32_t index;
    std::uint32_t members = 0;
    /// Its place among the values while an index is filled.
    std::uint32_t rank = 0;
    const std::string text;
    /// Selections whose elements all have this label.
    std::vector<selection*> selections = {};
};
using index_value_ptr = std::shared_ptr<index_value>;

/// A key. Only `key` may be read by other threads.
struct row : read_target
{
    row(std::uint32_t table, std::string_view k) : read_target(what::row, table), key(k) {}
    /// The change in hand has changed it.
    bool changed = false;
    const std::string key;
    /// The element; null = none.
    live_item value = {};
    /// Its values in the indexes.
    std::vector<index_value_ptr> values = {};
};
using row_ptr = std::shared_ptr<row>;

/// A label selector that some result has read.
struct selection : read_target
{
    selection(std::uint32_t table, label_selector s) : read_target(what::selection, table), selector(std::move(s)) {}
    const label_selector selector;
    /// Each of its elements has one of these values; if there are none, a value of `index`; if that is none, anything.
    std::vector<index_value_ptr> values = {};
    std::uint32_t index = no_id;
    std::string text = {};
};

/// The order of keys.
struct by_key
{
    static std::strong_ordering compare(const row_ptr& a, const row_ptr& b) noexcept
    {
        return a == b ? std::strong_ordering::equal : a->key <=> b->key;
    }
    static std::strong_ordering compare(const row_ptr& a, std::string_view b) noexcept
    {
        return std::string_view(a->key) <=> b;
    }
};

struct index_key
{
    index_value_ptr value;
    row_ptr of;
};

/// The order of values, then of keys.
struct by_value
{
    static std::strong_ordering compare(const index_key& a, const index_key& b) noexcept
    {
        if (a.value != b.value)
            if (const auto o = a.value->text <=> b.value->text; o != 0) return o;
        return by_key::compare(a.of, b.of);
    }
    /// A value is before all of its elements.
    static std::strong_ordering compare(const index_key& a, std::string_view value) noexcept
    {
        const auto o = std::string_view(a.value->text) <=> value;
        return o == 0 ? std::strong_ordering::greater : o;
    }
};

} // namespace kubecoro::detail
