#include "store/store_tables.hpp"

#include <kubecoro/api/detail/kept_object.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Offset of the uid and the version in most objects, in bytes.
constexpr std::size_t identity_begin = 128;

} // namespace

void secondary_index::put(const kept_object& o, std::vector<std::string> values)
{
    // The new handle replaces the old one everywhere: a key must not keep an old object alive.
    erase(o.key());
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const auto& v : values) buckets_[v].try_emplace(o);
    of_object_.try_emplace(o, std::move(values));
}

void secondary_index::erase(object_key_view key)
{
    auto at = of_object_.find(key);
    if (at == of_object_.end()) return;
    for (const auto& v : at->second) {
        auto b = buckets_.find(v);
        b->second.erase(b->second.find(key));
        if (b->second.empty()) buckets_.erase(b);
    }
    of_object_.erase(at);
}

void secondary_index::copy(const kept_object& o, const secondary_index& from)
{
    const auto at = from.of_object_.find(o);
    if (at == from.of_object_.end()) return;
    for (const auto& v : at->second) {
        const auto [in, fresh] = buckets_.try_emplace(v);
        if (fresh) in->second.reserve(from.buckets_.find(v)->second.size());
        in->second.try_emplace(o);
    }
    of_object_.try_emplace(o, at->second);
}

bool secondary_index::drop_some(std::size_t& most) noexcept
{
    if (erase_some(of_object_, next_object_, most)) return true;
    if (!next_bucket_) next_bucket_ = buckets_.begin();
    for (; *next_bucket_ != buckets_.end(); ++*next_bucket_)
        if (most == 0 || erase_some((*next_bucket_)->second, next_in_bucket_, most)) return true;
    return false;
}

void secondary_index::renew(const kept_object& now) noexcept
{
    const auto at = of_object_.find(now.key());
    if (at == of_object_.end()) return;
    // In place, as the key is the same: it cannot fail.
    const auto set = [&now](const kept_object& former) {
        const_cast<kept_object&>(former) = now; // NOLINT(cppcoreguidelines-pro-type-const-cast)
    };
    for (const auto& v : at->second) set(buckets_.find(v)->second.find(now.key())->first);
    set(at->first);
}

std::vector<object> secondary_index::find(std::string_view value) const
{
    std::vector<object> out;
    auto b = buckets_.find(value);
    if (b == buckets_.end()) return out;
    out.reserve(b->second.size());
    for (const auto& [o, none] : b->second) out.push_back(o.get());
    return out;
}

std::size_t secondary_index::count(std::string_view value) const
{
    const auto b = buckets_.find(value);
    return b == buckets_.end() ? 0 : b->second.size();
}

std::vector<std::string> secondary_index::values() const
{
    std::vector<std::string> out;
    out.reserve(buckets_.size());
    for (const auto& [value, objects] : buckets_) out.push_back(value);
    return out;
}

std::unique_ptr<store_tables> store_tables::begin_copy(const store_tables& from, const growth& changing)
{
    auto out = std::make_unique<store_tables>();
    out->namespaces_ = from.namespaces_;
    std::size_t more = 0;
    for (const auto& [ns, n] : changing) {
        auto& content = out->namespaces_[ns];
        const std::size_t had = content ? content->size() : 0;
        content = std::make_shared<partition>();
        content->reserve(had + n);
        more += n;
    }
    for (const auto& index : from.indexes_) out->indexes_.emplace_back(index.name()).reserve(from.size_ + more);
    out->labels_ = from.labels_.begin_copy();
    out->size_ = from.size_;
    out->bytes_ = from.bytes_;
    return out;
}

void store_tables::copy(const kept_object& o, const store_tables& from, const growth& changing)
{
    for (std::size_t i = 0; i != indexes_.size(); ++i) indexes_[i].copy(o, from.indexes_[i]);
    labels_.copy(o);
    if (const auto ns = o.key().ns; changing.contains(ns)) namespaces_.find(ns)->second->insert(o);
}

bool store_tables::drop_some(std::size_t& most) noexcept
{
    if (!next_namespace_) next_namespace_ = namespaces_.begin();
    for (; *next_namespace_ != namespaces_.end(); ++*next_namespace_) {
        auto& content = (*next_namespace_)->second;
        if (most == 0 || (content.use_count() == 1 && erase_some(*content, next_object_, most))) return true;
        content.reset();
        if (most != 0) --most; // each namespace costs work, and there may be thousands
    }
    for (auto& index : indexes_)
        if (index.drop_some(most)) return true;
    return labels_.drop_some(most);
}

object store_tables::find(object_key_view key) const
{
    auto ns = namespaces_.find(key.ns);
    if (ns == namespaces_.end()) return {};
    auto at = ns->second->find(key.name);
    return at == ns->second->end() ? object{} : at->get();
}

void store_tables::prefetch(object_key_view key) const
{
    const auto ns = namespaces_.find(key.ns);
    if (ns == namespaces_.end()) return;
    const auto at = ns->second->find(likely_name{key.name});
    if (at == ns->second->end()) return;
    prefetch_object(at->identity());
    prefetch_object(static_cast<const unsigned char*>(at->identity()) + identity_begin);
}

store_tables::partition& store_tables::own(std::shared_ptr<partition>& content)
{
    if (content.use_count() != 1) content = std::make_shared<partition>(*content);
    return *content;
}

// Everything that can fail comes first, and does no harm when the same object is put again.
object store_tables::put(const object& o, index_values values)
{
    kept_object kept(o);
    for (std::size_t i = 0; i < indexes_.size(); ++i) indexes_[i].put(kept, std::move(values[i]));
    auto ns = namespaces_.find(o.ns());
    if (ns == namespaces_.end()) ns = namespaces_.try_emplace(std::string(o.ns()), std::make_shared<partition>()).first;
    partition& in = own(ns->second);
    object before;
    if (auto at = in.find(o.name()); at != in.end()) {
        before = at->get();
        labels_.change(*at, kept);
        bytes_ += kept.bytes() - at->bytes();
        // Assign in place: the name, and therefore the position, is the same. Far cheaper than erase and insert.
        const_cast<kept_object&>(*at) = std::move(kept); // NOLINT(cppcoreguidelines-pro-type-const-cast)
        return before;
    }
    if (in.size() >= in.max_load()) in.reserve(in.size() + 1);
    labels_.change({}, kept);
    bytes_ += kept.bytes();
    ++size_;
    in.insert(std::move(kept));
    return before;
}

object store_tables::erase(object_key_view key)
{
    auto ns = namespaces_.find(key.ns);
    if (ns == namespaces_.end()) return {};
    if (!ns->second->contains(key.name)) return {};
    partition& in = own(ns->second);
    auto at = in.find(key.name);
    object before = at->get();
    labels_.change(*at, {}); // first: it may fail, and may be repeated
    bytes_ -= at->bytes();
    --size_;
    in.erase(at);
    if (in.empty()) namespaces_.erase(ns);
    for (auto& index : indexes_) index.erase(before.key());
    return before;
}

void store_tables::renew(const kept_object& before, const object& now)
{
    auto ns = namespaces_.find(now.ns());
    if (ns == namespaces_.end()) return;
    partition& in = own(ns->second);
    auto at = in.find(now.name());
    if (at == in.end() || !(*at == before)) return;
    kept_object kept(now);
    labels_.change(before, kept); // first: it may fail
    bytes_ += kept.bytes() - before.bytes();
    for (auto& index : indexes_) index.renew(kept);
    const_cast<kept_object&>(*at) = std::move(kept); // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

std::size_t store_tables::size_of(std::string_view ns) const
{
    auto at = namespaces_.find(ns);
    return at == namespaces_.end() ? 0 : at->second->size();
}

std::vector<std::string> store_tables::namespace_names() const
{
    std::vector<std::string> out;
    out.reserve(namespaces_.size());
    for (const auto& [ns, content] : namespaces_) out.push_back(ns);
    return out;
}

const secondary_index* store_tables::index(std::string_view name) const
{
    for (const auto& i : indexes_)
        if (i.name() == name) return &i;
    return nullptr;
}

} // namespace kubecoro::detail
