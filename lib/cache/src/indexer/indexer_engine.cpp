#include <kubecoro/cache/detail/indexer_engine.hpp>

#include "indexer/indexer_tables.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

namespace kubecoro::detail {
namespace {

using index_list = std::vector<std::shared_ptr<indexer_index>>;

index_list make_indexes(indexer_engine::functions functions)
{
    index_list out;
    for (auto& [name, values_of] : functions)
        out.push_back(std::make_shared<indexer_index>(indexer_index{name, std::move(values_of)}));
    return out;
}

/// Calls an index's function, which is user code.
result<std::vector<std::string>> values_of(const indexer_index& index, const void* object)
{
    try {
        return index.values_of(object);
    } catch (...) {
        return to_failure(std::current_exception()).because("the function of index '" + index.name + "' threw");
    }
}

result<std::vector<std::vector<std::string>>> values_of(const index_list& indexes, const void* object)
{
    std::vector<std::vector<std::string>> out;
    out.reserve(indexes.size());
    for (const auto& index : indexes) {
        auto values = values_of(*index, object);
        if (!values) return values.error();
        out.push_back(*std::move(values));
    }
    return out;
}

failure no_index(std::string_view name)
{
    return failure(cond::not_found, "there is no index named '" + std::string(name) + "'");
}

} // namespace

indexer_engine::indexer_engine(key_function key, functions indexes)
    : key_(std::move(key)), tables_(std::make_unique<indexer_tables>(make_indexes(std::move(indexes))))
{
    for (const auto& index : tables_->indexes()) index->complete = true;
}

indexer_engine::~indexer_engine() = default;

result<std::string> indexer_engine::key_of(const void* object) const
{
    try {
        auto key = key_(object);
        if (!key.empty()) return key;
    } catch (...) {
        return to_failure(std::current_exception()).because("the key function threw");
    }
    return failure(cond::invalid, "the object has no key");
}

result<> indexer_engine::put(std::shared_ptr<indexer_item> item)
{
    auto key = key_of(item->object);
    if (!key) return key.error();
    item->key = *std::move(key);
    for (;;) {
        const auto known = indexes();
        auto values = values_of(known, item->object);
        if (!values) return values.error();
        item_pointer former; // destroyed after the lock is released
        const std::unique_lock lock(mutex_);
        if (!tables_->has_indexes(known)) continue; // one was added meanwhile: it needs this object's values
        former = tables_->put(item, *std::move(values));
        return {};
    }
}

result<> indexer_engine::replace(const std::vector<std::shared_ptr<indexer_item>>& items)
{
    for (const auto& item : items) {
        auto key = key_of(item->object);
        if (!key) return key.error();
        item->key = *std::move(key);
    }
    for (;;) {
        const auto known = indexes();
        auto next = std::make_unique<indexer_tables>(known); // later the former content, destroyed without the lock
        for (const auto& item : items) {
            auto values = values_of(known, item->object);
            if (!values) return values.error();
            next->put(item, *std::move(values));
        }
        const std::unique_lock lock(mutex_);
        if (!tables_->has_indexes(known)) continue;
        tables_.swap(next);
        return {};
    }
}

bool indexer_engine::erase(std::string_view key)
{
    item_pointer gone; // destroyed after the lock is released
    const std::unique_lock lock(mutex_);
    gone = tables_->erase(key);
    return gone != nullptr;
}

result<> indexer_engine::add_indexers(functions indexes)
{
    const auto added = make_indexes(std::move(indexes));
    if (auto reserved = reserve_names(added); !reserved) return reserved;
    // From here on every write maintains the new indexes; fill() adds the objects stored before.
    struct cleanup
    {
        indexer_engine& of;
        const index_list& added;
        bool done = false;
        ~cleanup()
        {
            if (done) return;
            const std::unique_lock lock(of.mutex_);
            of.tables_->remove(added);
        }
    };
    cleanup unless_filled{*this, added};
    if (auto filled = fill(added); !filled) return filled;
    const std::unique_lock lock(mutex_);
    for (const auto& index : added) index->complete = true;
    unless_filled.done = true;
    return {};
}

result<> indexer_engine::reserve_names(const index_list& added)
{
    const std::unique_lock lock(mutex_);
    const auto present = tables_->indexes();
    for (const auto& index : added) {
        const auto same_name = [&index](const auto& other) { return other->name == index->name; };
        if (std::any_of(present.begin(), present.end(), same_name))
            return failure(cond::already_exists, "an index named '" + index->name + "' already exists");
    }
    tables_->add(added);
    return {};
}

result<> indexer_engine::fill(const index_list& added)
{
    for (const auto& item : list())
        for (const auto& index : added) {
            auto values = values_of(*index, item->object);
            if (!values) return values.error();
            const std::unique_lock lock(mutex_);
            tables_->fill(*index, item, *std::move(values));
        }
    return {};
}

indexer_engine::index_list indexer_engine::indexes() const
{
    const std::shared_lock lock(mutex_);
    return tables_->indexes();
}

item_pointer indexer_engine::get(std::string_view key) const
{
    const std::shared_lock lock(mutex_);
    return tables_->find(key);
}

item_pointers indexer_engine::list() const
{
    const std::shared_lock lock(mutex_);
    return tables_->all();
}

std::vector<std::string> indexer_engine::list_keys() const
{
    std::vector<std::string> out;
    for (const auto& item : list()) out.push_back(item->key);
    return out;
}

result<std::shared_ptr<indexer_index>> indexer_engine::find_index(std::string_view name) const
{
    const std::shared_lock lock(mutex_);
    const auto* found = tables_->index(name);
    if (!found) return no_index(name);
    return found->of();
}

result<item_pointers> indexer_engine::index(std::string_view index, const void* object) const
{
    const auto found = find_index(index);
    if (!found) return found.error();
    const auto values = values_of(**found, object);
    if (!values) return values.error();
    const std::shared_lock lock(mutex_);
    return tables_->index(index)->find_any(*values);
}

result<item_pointers> indexer_engine::by_index(std::string_view index, std::string_view value) const
{
    const std::shared_lock lock(mutex_);
    const auto* found = tables_->index(index);
    if (!found) return no_index(index);
    return found->find(value);
}

result<std::vector<std::string>> indexer_engine::index_keys(std::string_view index, std::string_view value) const
{
    const auto items = by_index(index, value);
    if (!items) return items.error();
    std::vector<std::string> out;
    for (const auto& item : *items) out.push_back(item->key);
    std::sort(out.begin(), out.end());
    return out;
}

result<std::vector<std::string>> indexer_engine::index_values(std::string_view index) const
{
    const std::shared_lock lock(mutex_);
    const auto* found = tables_->index(index);
    if (!found) return no_index(index);
    return found->values();
}

std::vector<std::string> indexer_engine::indexers() const
{
    std::vector<std::string> out;
    const std::shared_lock lock(mutex_);
    for (const auto& index : tables_->indexes())
        if (index->complete) out.push_back(index->name);
    std::sort(out.begin(), out.end());
    return out;
}

std::size_t indexer_engine::size() const
{
    const std::shared_lock lock(mutex_);
    return tables_->size();
}

} // namespace kubecoro::detail
