#include "indexer/indexer_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kubecoro::detail {

void value_table::put(const indexer_item& item, std::vector<std::string> values)
{
    const auto at = of_item_.try_emplace(&item, std::move(values)).first;
    try {
        for (const auto& value : at->second) buckets_[value].insert(&item);
    } catch (...) {
        erase(item);
        throw;
    }
}

void value_table::erase(const indexer_item& item) noexcept
{
    const auto at = of_item_.find(&item);
    if (at == of_item_.end()) return;
    for (const auto& value : at->second) {
        const auto found = buckets_.find(value);
        if (found == buckets_.end()) continue; // returned twice by the function, or not reached by a put() that failed
        found->second.erase(&item);
        if (found->second.empty()) buckets_.erase(found);
    }
    of_item_.erase(at);
}

item_pointers value_table::find(std::string_view value) const
{
    item_pointers out;
    const auto found = buckets_.find(value);
    if (found == buckets_.end()) return out;
    out.reserve(found->second.size());
    for (const auto* item : found->second) out.push_back(item->shared_from_this());
    return out;
}

item_pointers value_table::find_any(const std::vector<std::string>& values) const
{
    item_pointers out;
    bucket seen;
    for (const auto& value : values)
        for (auto& item : find(value))
            if (seen.insert(item.get()).second) out.push_back(std::move(item));
    return out;
}

std::vector<std::string> value_table::values() const
{
    std::vector<std::string> out;
    out.reserve(buckets_.size());
    for (const auto& [value, items] : buckets_) out.push_back(value);
    std::sort(out.begin(), out.end());
    return out;
}

item_pointer indexer_tables::put(const item_pointer& item, std::vector<std::vector<std::string>> values)
{
    try {
        for (std::size_t i = 0; i < indexes_.size(); ++i) indexes_[i].put(*item, std::move(values[i]));
        const auto [at, is_new] = items_.insert(slot{item});
        if (is_new) return nullptr;
        auto former = std::exchange(at->item, item);
        for (auto& index : indexes_) index.erase(*former);
        return former;
    } catch (...) {
        for (auto& index : indexes_) index.erase(*item);
        throw;
    }
}

item_pointer indexer_tables::erase(std::string_view key) noexcept
{
    const auto at = items_.find(key);
    if (at == items_.end()) return nullptr;
    auto gone = at->item;
    for (auto& index : indexes_) index.erase(*gone);
    items_.erase(at);
    return gone;
}

void indexer_tables::add(const index_list& indexes)
{
    indexes_.reserve(indexes_.size() + indexes.size());
    for (const auto& index : indexes) indexes_.emplace_back(index);
}

void indexer_tables::remove(const index_list& indexes) noexcept
{
    std::erase_if(indexes_, [&indexes](const value_table& i) {
        return std::find(indexes.begin(), indexes.end(), i.of()) != indexes.end();
    });
}

void indexer_tables::fill(const indexer_index& index, const item_pointer& item, std::vector<std::string> values)
{
    if (find(item->key) != item) return;
    for (auto& i : indexes_)
        if (i.of().get() == &index && !i.contains(*item)) i.put(*item, std::move(values));
}

indexer_tables::index_list indexer_tables::indexes() const
{
    index_list out;
    out.reserve(indexes_.size());
    for (const auto& index : indexes_) out.push_back(index.of());
    return out;
}

bool indexer_tables::has_indexes(const index_list& list) const noexcept
{
    return std::equal(indexes_.begin(), indexes_.end(), list.begin(), list.end(),
                      [](const value_table& a, const auto& b) { return a.of() == b; });
}

const value_table* indexer_tables::index(std::string_view name) const noexcept
{
    for (const auto& index : indexes_)
        if (index.of()->complete && index.of()->name == name) return &index;
    return nullptr;
}

item_pointer indexer_tables::find(std::string_view key) const noexcept
{
    const auto at = items_.find(key);
    return at == items_.end() ? nullptr : at->item;
}

item_pointers indexer_tables::all() const
{
    item_pointers out;
    out.reserve(items_.size());
    for (const auto& s : items_) out.push_back(s.item);
    return out;
}

} // namespace kubecoro::detail
