#include "store.hpp"

#include <kubecoro/cache/lister.hpp>

namespace kubecoro {

object lister::get(object_key_view key) const { return store_->get(key); }

std::vector<object> lister::list(std::string_view ns) const { return store_->list(ns); }

std::vector<object> lister::list(const label_selector& selector, std::string_view ns) const
{
    auto all = store_->list(ns);
    if (!selector.empty()) std::erase_if(all, [&selector](const object& o) { return !selector.matches(o.labels()); });
    return all;
}

void lister::for_each(const std::function<void(const object&)>& f, std::string_view ns) const
{
    for (const auto& o : store_->keep(ns)) f(o.get());
}

std::vector<object> lister::by_index(std::string_view index, std::string_view value) const
{
    return store_->by_index(index, value);
}

std::vector<object_key> lister::index_keys(std::string_view index, std::string_view value) const
{
    const auto found = store_->by_index(index, value);
    std::vector<object_key> keys;
    keys.reserve(found.size());
    for (const auto& o : found) keys.emplace_back(o.key());
    return keys;
}

std::vector<std::string> lister::index_values(std::string_view index) const { return store_->values_of(index); }

bool lister::has_index(std::string_view index) const { return store_->has_index(index); }

std::vector<std::string> lister::namespaces() const { return store_->namespaces(); }

std::size_t lister::size() const { return store_->size(); }

} // namespace kubecoro
