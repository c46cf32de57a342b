#pragma once

#include "table/table_content.hpp"

#include <kubecoro/base/hash.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The elements of a collection, what was read of them, and what has changed since it was last shown.

    Sans-io, confined to the strand of its graph. */
class table_core
{
public:
    /// Called for everything that a change concerns and that was read.
    using touch_function = std::function<void(read_target&)>;

    table_core(std::uint32_t number, std::uint32_t order, std::string name, item_kind kind);
    table_core(const table_core&) = delete;
    table_core& operator=(const table_core&) = delete;

    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    /// A result reads collections of a smaller order than its own. That of inputs is 0.
    [[nodiscard]] std::uint32_t order() const noexcept { return order_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const table_content& content() const noexcept { return now_; }
    [[nodiscard]] const item_kind& kind() const noexcept { return kind_; }

    /// Whether it is complete: its inputs are filled, and all was computed once.
    [[nodiscard]] bool synced() const noexcept { return synced_; }
    void set_synced() noexcept { synced_ = true; }

    /// Makes `value` the element with that key (null = none), unless it is equal to the present one. Returns the row if something has
    /// changed, else null.
    row* set(std::string_view key, live_item value, const touch_function& touch);
    /// The same with the row from row_of().
    row* set(row& of, live_item now, const touch_function& touch);
    /// The row with that key, made if there is none: call set() for it before anything else.
    [[nodiscard]] row& row_of(std::string_view key);

    /// Makes room for a number of keys.
    void reserve(std::size_t keys) { rows_.reserve(keys); }
    /// The element with that key, or null. Nothing is remembered.
    [[nodiscard]] live_item get(std::string_view key) const
    {
        const auto found = rows_.find(key);
        return found == rows_.end() ? nullptr : found->second->value;
    }

    // ---- reading; each returns what was read as well

    /// A key that need not exist.
    [[nodiscard]] std::pair<read_target*, live_item> read_key(std::string_view key);
    /// Throws kubecoro::error with cond::not_found for an index that does not exist.
    [[nodiscard]] std::pair<read_target*, std::vector<live_item>> read_index(std::string_view index,
                                                                             std::string_view value);
    [[nodiscard]] std::pair<read_target*, std::vector<live_item>> read_selection(const label_selector& selector);
    [[nodiscard]] std::pair<read_target*, std::vector<live_item>> read_all();
    /// An index, or those of the labels, that will be read once the collection is complete: fills them as it fills.
    void expect_index(std::string_view name);
    void expect_selection(const label_selector& selector);
    /// Called when nothing reads the target any more.
    void forget(read_target& t);

    // ---- what has changed

    struct change
    {
        row_ptr of;
        live_item before;
        live_item after;
    };
    /// Returns the changes since the last call, each key once, and begins another edition: copies of content() stay as they are. The
    /// first call returns none: there was nothing before.
    [[nodiscard]] std::vector<change> take_changes();
    [[nodiscard]] bool changed() const noexcept { return !changes_.empty(); }
    [[nodiscard]] std::uint64_t index_failures() const noexcept { return index_failures_; }

private:
    struct index
    {
        std::string name;
        /// Empty for the index of a label, which some selector names.
        item_index call = {};
        boost::unordered_flat_map<std::string_view, index_value_ptr, text_hash, std::equal_to<>> values = {};
        /// Selections whose elements have any value.
        std::vector<selection*> selections = {};
        /// How often elements are in it.
        std::size_t entries = 0;
        /// Null when only computations read it.
        decltype(table_content::indexes)::mapped_type* shown = nullptr;
    };

    void drop_if_unused(row& of);
    void drop_if_unused(index_value& v);
    [[nodiscard]] std::size_t index_of(std::string_view name, bool of_label);
    void fill_index(index& added);
    [[nodiscard]] index_value* value_of(std::uint32_t index, std::string_view text);
    void add_values(std::uint32_t index, const live_item& value, const object& labels, index_values& to);
    void move(row& of, const index_values& before, bool is_last);
    void touch_values(const index_values& values, const object& before, const object& after,
                      const touch_function& touch) const;
    static void touch_selections(const std::vector<selection*>& of, const object& before, const object& after,
                                 const touch_function& touch);
    [[nodiscard]] const object& labels_of(const live_item& i, object& made);
    [[nodiscard]] selection& selection_of(const label_selector& selector);
    void place(selection& s);

    const std::uint32_t number_;
    const std::uint32_t order_;
    const std::string name_;
    const item_kind kind_;
    table_content now_;
    std::uint64_t edition_ = 1;
    bool synced_ = false;
    /// Some selector was read.
    bool has_selected_ = false;
    /// The content has been taken, so that changes count.
    bool begun_ = false;
    /// At addresses that stay.
    std::deque<index> indexes_;
    read_target all_;
    /// The keys that exist, those that were read, and those that have gone with the change in hand.
    boost::unordered_flat_map<std::string_view, row_ptr, text_hash, std::equal_to<>> rows_;
    boost::unordered_flat_map<std::string, std::unique_ptr<selection>, text_hash, std::equal_to<>> selections_;
    /// Those that no label narrows down.
    std::vector<selection*> wide_;
    /// The changed rows, with the elements that they had before.
    std::vector<std::pair<row_ptr, live_item>> changes_;
    std::uint64_t index_failures_ = 0;
};

} // namespace kubecoro::detail
