#pragma once
// The data of an indexer: items by key, and by the values of its indexes. Not thread safe.

#include <kubecoro/base/hash.hpp>
#include <kubecoro/cache/detail/indexer_engine.hpp>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// An index as its user defined it.
struct indexer_index
{
    std::string name;
    indexer_engine::values_function values_of;
    /// False while earlier objects are still added to it: it is maintained, but not shown.
    bool complete = false;
};

/** Items by value. Keeps the values of each item, so that no function is called to remove one. */
class value_table
{
public:
    explicit value_table(std::shared_ptr<indexer_index> of) : of_(std::move(of)) {}

    /// The item must stay alive until it is erased. Has no effect when it throws.
    void put(const indexer_item& item, std::vector<std::string> values);
    void erase(const indexer_item& item) noexcept;
    [[nodiscard]] bool contains(const indexer_item& item) const noexcept { return of_item_.contains(&item); }

    [[nodiscard]] const std::shared_ptr<indexer_index>& of() const noexcept { return of_; }
    /// Returns the items that have this value.
    [[nodiscard]] item_pointers find(std::string_view value) const;
    /// Returns each item that has at least one of these values once.
    [[nodiscard]] item_pointers find_any(const std::vector<std::string>& values) const;
    /// Returns the values that items have, sorted.
    [[nodiscard]] std::vector<std::string> values() const;

private:
    using bucket = boost::unordered_flat_set<const indexer_item*>;

    std::shared_ptr<indexer_index> of_;
    boost::unordered_flat_map<std::string, bucket, text_hash, std::equal_to<>> buckets_;
    boost::unordered_flat_map<const indexer_item*, std::vector<std::string>> of_item_;
};

class indexer_tables
{
public:
    using index_list = std::vector<std::shared_ptr<indexer_index>>;

    explicit indexer_tables(const index_list& indexes) { add(indexes); }

    /// Adds or replaces. @param values  For each index, in the order of indexes().
    /// @return the former item of that key, or null. Has no effect when it throws.
    item_pointer put(const item_pointer& item, std::vector<std::vector<std::string>> values);
    /// Returns the removed item, or null.
    item_pointer erase(std::string_view key) noexcept;

    /// Adds empty indexes. Has no effect when it throws.
    void add(const index_list& indexes);
    void remove(const index_list& indexes) noexcept;
    /// Adds a stored item to an index that lacks it; ignores an item that was replaced or removed.
    void fill(const indexer_index& index, const item_pointer& item, std::vector<std::string> values);

    [[nodiscard]] index_list indexes() const;
    /// Whether indexes() would return this list.
    [[nodiscard]] bool has_indexes(const index_list& list) const noexcept;
    /// Returns the complete index of that name, or null.
    [[nodiscard]] const value_table* index(std::string_view name) const noexcept;
    [[nodiscard]] item_pointer find(std::string_view key) const noexcept;
    [[nodiscard]] item_pointers all() const;
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

private:
    struct slot
    {
        /// Mutable: may be replaced by an item of the same key.
        mutable item_pointer item;
    };
    struct hash
    {
        using is_transparent = void;
        using is_avalanching = void;
        [[nodiscard]] std::size_t operator()(std::string_view key) const noexcept { return text_hash{}(key); }
        [[nodiscard]] std::size_t operator()(const slot& s) const noexcept { return text_hash{}(s.item->key); }
    };
    struct equal
    {
        using is_transparent = void;
        [[nodiscard]] bool operator()(const slot& a, const slot& b) const noexcept
        {
            return a.item->key == b.item->key;
        }
        [[nodiscard]] bool operator()(std::string_view a, const slot& b) const noexcept { return a == b.item->key; }
        [[nodiscard]] bool operator()(const slot& a, std::string_view b) const noexcept { return a.item->key == b; }
    };

    boost::unordered_flat_set<slot, hash, equal> items_;
    std::vector<value_table> indexes_;
};

} // namespace kubecoro::detail
