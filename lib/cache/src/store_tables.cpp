#include "store_tables.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro {

void secondary_index::put(const object& o, std::vector<std::string> values)
{
    // The new handle takes the place of the old one everywhere: a key must not keep an old object alive.
    erase(o);
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const auto& v : values) buckets_[v].try_emplace(o);
    of_object_.try_emplace(o, std::move(values));
}

void secondary_index::erase(const object& o)
{
    auto at = of_object_.find(o);
    if (at == of_object_.end()) return;
    for (const auto& v : at->second) {
        auto b = buckets_.find(v);
        b->second.erase(o);
        if (b->second.empty()) buckets_.erase(b);
    }
    of_object_.erase(at);
}

std::vector<object> secondary_index::find(std::string_view value) const
{
    std::vector<object> out;
    auto b = buckets_.find(value);
    if (b == buckets_.end()) return out;
    out.reserve(b->second.size());
    for (const auto& [o, none] : b->second) out.push_back(o);
    return out;
}

std::vector<std::string> secondary_index::values() const
{
    std::vector<std::string> out;
    out.reserve(buckets_.size());
    for (const auto& [value, objects] : buckets_) out.push_back(value);
    return out;
}

object store_tables::find(object_key_view key) const
{
    auto ns = namespaces_.find(key.ns);
    if (ns == namespaces_.end()) return {};
    auto at = ns->second.find(key.name);
    return at == ns->second.end() ? object{} : at->second;
}

object store_tables::put(object o, index_values values)
{
    for (std::size_t i = 0; i < indexes_.size(); ++i) indexes_[i].put(o, std::move(values[i]));
    auto ns = namespaces_.find(o.ns());
    if (ns == namespaces_.end()) ns = namespaces_.try_emplace(std::string(o.ns())).first;
    partition& in = ns->second;
    object before;
    // The key is a view of the old object's name, so the old entry goes before the old object does.
    if (auto at = in.find(o.name()); at != in.end()) {
        before = std::move(at->second);
        bytes_ -= before.bytes();
        --size_;
        in.erase(at);
    }
    bytes_ += o.bytes();
    ++size_;
    const std::string_view name = o.name();
    in.emplace(name, std::move(o));
    return before;
}

object store_tables::erase(object_key_view key)
{
    auto ns = namespaces_.find(key.ns);
    if (ns == namespaces_.end()) return {};
    auto at = ns->second.find(key.name);
    if (at == ns->second.end()) return {};
    object before = std::move(at->second);
    ns->second.erase(at);
    if (ns->second.empty()) namespaces_.erase(ns);
    bytes_ -= before.bytes();
    --size_;
    for (auto& index : indexes_) index.erase(before);
    return before;
}

std::size_t store_tables::size_of(std::string_view ns) const
{
    auto at = namespaces_.find(ns);
    return at == namespaces_.end() ? 0 : at->second.size();
}

std::vector<std::string> store_tables::namespace_names() const
{
    std::vector<std::string> out;
    out.reserve(namespaces_.size());
    for (const auto& [ns, content] : namespaces_) out.push_back(ns);
    return out;
}

void store_tables::add_index(std::string name, const std::vector<object>& objects,
                             std::vector<std::vector<std::string>> values)
{
    auto& index = indexes_.emplace_back(std::move(name));
    for (std::size_t i = 0; i < objects.size(); ++i) index.put(objects[i], std::move(values[i]));
}

const secondary_index* store_tables::index(std::string_view name) const
{
    for (const auto& i : indexes_)
        if (i.name() == name) return &i;
    return nullptr;
}

} // namespace kubecoro
