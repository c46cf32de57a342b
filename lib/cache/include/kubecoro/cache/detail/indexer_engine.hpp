#pragma once
// The part of an indexer that does not depend on the type of its objects.

#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// An object of an indexer with its key. Immutable once stored.
struct indexer_item : std::enable_shared_from_this<indexer_item>
{
    explicit indexer_item(const void* o) noexcept : object(o) {}
    indexer_item(const indexer_item&) = delete;
    indexer_item& operator=(const indexer_item&) = delete;

    std::string key = {};
    /// The value of the typed_item that this is a part of.
    const void* object;
};
using item_pointer = std::shared_ptr<const indexer_item>;
using item_pointers = std::vector<item_pointer>;

template<class T>
struct typed_item : indexer_item
{
    explicit typed_item(T v) : indexer_item(&value), value(std::move(v)) {}
    T value;
};

struct indexer_index;
class indexer_tables;

/** The objects of an indexer behind one lock that is held for look-ups and for single changes only. User code never
    runs under it: functions are called before, objects are copied and destroyed after. */
class indexer_engine
{
public:
    /// Both get the address of a T.
    using key_function = std::function<std::string(const void*)>;
    using values_function = std::function<std::vector<std::string>(const void*)>;
    using functions = std::map<std::string, values_function>;

    indexer_engine(key_function key, functions indexes);
    ~indexer_engine();
    indexer_engine(const indexer_engine&) = delete;
    indexer_engine& operator=(const indexer_engine&) = delete;

    result<> put(std::shared_ptr<indexer_item> item);
    result<> replace(const std::vector<std::shared_ptr<indexer_item>>& items);
    bool erase(std::string_view key);
    result<> add_indexers(functions indexes);

    [[nodiscard]] result<std::string> key_of(const void* object) const;
    /// Null when no object has that key.
    [[nodiscard]] item_pointer get(std::string_view key) const;
    [[nodiscard]] item_pointers list() const;
    [[nodiscard]] std::vector<std::string> list_keys() const;
    [[nodiscard]] result<item_pointers> index(std::string_view index, const void* object) const;
    [[nodiscard]] result<item_pointers> by_index(std::string_view index, std::string_view value) const;
    [[nodiscard]] result<std::vector<std::string>> index_keys(std::string_view index, std::string_view value) const;
    [[nodiscard]] result<std::vector<std::string>> index_values(std::string_view index) const;
    [[nodiscard]] std::vector<std::string> indexers() const;
    [[nodiscard]] std::size_t size() const;

private:
    using index_list = std::vector<std::shared_ptr<indexer_index>>;

    [[nodiscard]] index_list indexes() const;
    [[nodiscard]] result<std::shared_ptr<indexer_index>> find_index(std::string_view name) const;
    result<> reserve_names(const index_list& added);
    result<> fill(const index_list& added);

    key_function key_;
    mutable std::shared_mutex mutex_;
    /// Guarded by mutex_.
    std::unique_ptr<indexer_tables> tables_;
};

} // namespace kubecoro::detail
