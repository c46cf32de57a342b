#pragma once
// The keys of a collection, the values of its indexes, and what else results can have read.

#include "table/row_tree_core.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/collections/detail/live_item.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
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

struct row;
struct selection;

/// The order of keys.
struct by_key
{
    static std::strong_ordering compare(const row* a, const row* b) noexcept;
    static std::strong_ordering compare(const row* a, std::string_view b) noexcept;
    static const row* bound(const row* of) noexcept { return of; }
};

/// A value of an index, and the elements that have it.
struct index_value : read_target, std::enable_shared_from_this<index_value>
{
    index_value(std::uint32_t table, std::uint32_t i, std::string_view t)
        : read_target(what::value, table), index(i), text(t)
    {
    }
    std::uint32_t index;
    const std::string text;
    /// In the order of their keys. Never copied.
    row_tree<row*, by_key> members = {};
    /// Selections whose elements all have this label.
    std::vector<selection*> selections = {};
};
using index_value_ptr = std::shared_ptr<index_value>;

/// Values in the indexes: in the order of the indexes, and within one in that of the texts.
using index_values = boost::container::small_vector<index_value*, 1>;

/// A key, whose text follows it in memory. Only key() may be read by other threads.
struct row : read_target, boost::intrusive_ref_counter<row>
{
    static boost::intrusive_ptr<row> make(std::uint32_t table, std::string_view key)
    {
        void* const memory = ::operator new(sizeof(row) + key.size());
        auto* const made = ::new (memory) row(table, static_cast<std::uint32_t>(key.size()));
        std::copy(key.begin(), key.end(), made->text());
        return made;
    }
    static void operator delete(void* memory) { ::operator delete(memory); }
    [[nodiscard]] std::string_view key() const noexcept { return {const_cast<row*>(this)->text(), size_}; }

    /// The change in hand has changed it.
    bool changed = false;
    /// The element; null = none.
    live_item value = {};
    index_values values = {};

private:
    row(std::uint32_t table, std::uint32_t size) noexcept : read_target(what::row, table), size_(size) {}
    [[nodiscard]] char* text() noexcept { return reinterpret_cast<char*>(this + 1); }

    std::uint32_t size_;
};
using row_ptr = boost::intrusive_ptr<row>;

inline std::strong_ordering by_key::compare(const row* a, const row* b) noexcept
{
    return a == b ? std::strong_ordering::equal : a->key() <=> b->key();
}
inline std::strong_ordering by_key::compare(const row* a, std::string_view b) noexcept { return a->key() <=> b; }

/// A label selector that some result has read.
struct selection : read_target
{
    selection(std::uint32_t table, label_selector s) : read_target(what::selection, table), selector(std::move(s)) {}
    const label_selector selector;
    /// Each of its elements has one of these values; if there are none, a value of `index`; if that is none, anything.
    std::vector<index_value*> values = {};
    std::uint32_t index = no_id;
    std::string text = {};
};

} // namespace kubecoro::detail
