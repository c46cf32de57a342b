#pragma once

#include "store/store.hpp"

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** A list on its way into a store, in steps of as many objects as the caller says.

    The store does not change before make(), and then as a whole: readers see all of the list or nothing. Nothing else
    may change the store's objects meanwhile; indexes may be added. Confined to the store's strand. */
class list_change
{
public:
    /// Makes `items` the content of a namespace (empty = all). They must stay as they are until make().
    list_change(store& of, std::string_view ns, const std::vector<object>& items, bool initial);
    /// Removes the objects of these namespaces (empty = cluster-scoped objects).
    list_change(store& of, std::span<const std::string> namespaces);
    list_change(const list_change&) = delete;
    list_change& operator=(const list_change&) = delete;

    /// Compares the list with the store and makes the new tables. Takes the number of objects off `most`. Returns
    /// whether more is to be done before make().
    [[nodiscard]] bool prepare(std::size_t& most);
    /// Changes the store, and appends the changes to `out`; after an exception those made so far. Returns false when
    /// indexes were added meanwhile: then prepare() has more to do.
    [[nodiscard]] bool make(std::vector<notification<object>>& out);
    /// Frees what the list has replaced. Returns whether more is left.
    [[nodiscard]] bool let_go(std::size_t& most) noexcept;

private:
    enum class phase
    {
        note_items,
        compare_stored,
        compare_copies,
        find_last,
        find_unlisted,
        find_changed,
        call_indexes,
        copy,
        change_copy,
        ready
    };
    struct change
    {
        /// An item of the list, or one of the unlisted objects: borrowed.
        const object* obj = nullptr;
        bool erase = false;
        /// Number of notifications of this change and of those before it.
        std::size_t told = 0;
    };
    /// Hashes and compares the items of a list, given by their places in it, by their keys.
    struct by_place
    {
        using is_transparent = void;
        using is_avalanching = void;
        const std::vector<object>& items;

        [[nodiscard]] object_key_view key(std::size_t place) const noexcept { return items[place].key(); }
        [[nodiscard]] static object_key_view key(object_key_view k) noexcept { return k; }
        [[nodiscard]] std::size_t operator()(const auto& a) const noexcept { return object_key_hash{}(key(a)); }
        [[nodiscard]] bool operator()(const auto& a, const auto& b) const noexcept { return key(a) == key(b); }
    };

    /// Calls f(i) for the next places before `end`, as many as `most` has left; at the end the next phase begins.
    template<class F>
    void each(std::size_t end, std::size_t& most, phase next, F f);
    void begin(phase next);
    void some(std::size_t& most);
    void note_last(std::size_t i);
    void note_change(std::size_t i);
    void note_namespace(const object& o, bool comes);
    void begin_copy();
    [[nodiscard]] bool is_large() const noexcept;
    object make_one(store_tables& in, std::size_t i);
    void change_in_place(std::vector<notification<object>>& out);
    void swap_tables(std::vector<notification<object>>& out);

    store& of_;
    /// The items of a removal.
    const std::vector<object> none_;
    const std::vector<object>& items_;
    const bool initial_;
    phase phase_ = phase::note_items;
    std::size_t at_ = 0;

    /// The stored objects, to be compared, and later to be copied.
    std::unique_ptr<store_visits::visit> stored_ = std::make_unique<store_visits::visit>();
    /// The first place of each handle.
    boost::unordered_flat_map<const void*, std::size_t> listed_;
    /// For each item, whether it is not a stored handle, and then also whether it is the last of its key.
    std::vector<bool> counts_;
    /// The stored objects whose handles are not among the items.
    std::vector<object> unlisted_;
    boost::unordered_flat_set<std::size_t, by_place, by_place> last_;
    std::vector<change> changes_;
    std::vector<notification<object>> news_;
    /// The cost of the changes under the lock.
    std::size_t cost_ = 0;
    std::shared_ptr<const store::index_list> indexes_;
    std::vector<index_values> values_;
    /// The tables with the changes; afterwards those that they have replaced.
    std::unique_ptr<store_tables> next_;
    /// The namespaces that change, and how many of their objects come.
    store_tables::growth changing_;
    store_tables::growth::value_type* last_changing_ = nullptr;
    /// store::shape_ when `next_` was copied.
    std::uint64_t shape_ = 0;
};

} // namespace kubecoro::detail
