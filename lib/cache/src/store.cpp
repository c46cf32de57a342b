#include "store.hpp"

#include <exception>
#include <utility>

namespace kubecoro {
namespace {

/// The server's word that nothing has changed. An empty version says nothing.
bool same_version(const object& a, const object& b) noexcept
{
    return !a.resource_version().empty() && a.resource_version() == b.resource_version() && a.uid() == b.uid();
}

void announce_put(std::vector<notification>& out, object before, object now, bool initial)
{
    if (!before) {
        out.emplace_back(added{std::move(now), initial});
    } else if (before.uid() == now.uid()) {
        out.emplace_back(updated{std::move(before), std::move(now)});
    } else { // deleted and created again, and nobody told us
        out.emplace_back(deleted{std::move(before), true});
        out.emplace_back(added{std::move(now), initial});
    }
}

/// The deletion of what is stored, with the final state if it is the same object's.
deleted gone(object before, const object& final_state)
{
    if (before.uid() == final_state.uid()) return {final_state, false};
    return {std::move(before), true};
}

} // namespace

store::store(logger log, std::size_t large)
    : log_(std::move(log)), large_(large), tables_(std::make_unique<store_tables>())
{
}

std::vector<notification> store::apply(std::span<const delta> deltas)
{
    std::lock_guard writing(writer_);
    std::vector<index_values> values(deltas.size());
    if (!user_indexes_.empty())
        for (std::size_t i = 0; i < deltas.size(); ++i)
            if (deltas[i].obj && deltas[i].type != delta_type::deleted) values[i] = values_for(deltas[i].obj);

    std::vector<notification> out;
    out.reserve(deltas.size());
    std::vector<object> dropped; // the last handles may be ours: free the objects without the lock
    dropped.reserve(deltas.size());
    {
        std::unique_lock lock(mutex_);
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            const object& o = deltas[i].obj;
            if (!o) continue; // a version mark
            if (deltas[i].type == delta_type::deleted) {
                if (object before = tables_->erase(o.key())) {
                    dropped.push_back(before);
                    out.emplace_back(gone(std::move(before), o));
                }
            } else if (object known = tables_->find(o.key()); !known || !same_version(known, o)) {
                announce_put(out, tables_->put(o, std::move(values[i])), o, false);
            }
        }
    }
    return out;
}

std::vector<notification> store::replace(std::string_view ns, std::vector<object> items, bool initial)
{
    std::lock_guard writing(writer_);
    // What differs, found without keeping readers out: nobody else writes.
    object_map<bool> listed;
    listed.reserve(items.size());
    for (auto& o : items) {
        // Of two items of one key the last counts, as it would in a map.
        listed.erase(o);
        listed.emplace(o, true);
    }
    std::vector<notification> out;
    std::vector<change> changes;
    const auto missing = [&](const object& stored) {
        if (listed.find(stored) != listed.end()) return;
        changes.push_back({stored, true, {}});
        out.emplace_back(deleted{stored, true});
    };
    if (ns.empty())
        tables_->each(missing);
    else
        tables_->each_in(ns, missing);
    for (auto& o : items) {
        auto at = listed.find(o);
        if (at == listed.end() || !at->first.is_same(o)) continue;
        object before = tables_->find(o.key());
        if (before && same_version(before, o)) continue;
        changes.push_back({o, false, values_for(o)});
        announce_put(out, std::move(before), std::move(o), initial);
    }

    const auto make = [&changes](store_tables& t) {
        for (auto& c : changes) {
            if (c.erase)
                t.erase(c.obj.key());
            else
                t.put(c.obj, std::move(c.values));
        }
    };
    if (changes.size() < large_) {
        std::unique_lock lock(mutex_);
        make(*tables_);
    } else {
        auto next = std::make_unique<store_tables>(*tables_);
        make(*next);
        std::unique_lock lock(mutex_);
        tables_.swap(next);
    }
    return out;
}

result<> store::add_index(std::string name, index_function f)
{
    std::lock_guard writing(writer_);
    for (const auto& i : user_indexes_)
        if (i.name == name) return failure(cond::already_exists, "there is an index named '" + name + "' already");
    std::vector<object> objects;
    objects.reserve(tables_->size());
    tables_->each([&objects](const object& o) { objects.push_back(o); });
    const user_index index{name, std::move(f)};
    std::vector<std::vector<std::string>> values;
    values.reserve(objects.size());
    for (const auto& o : objects) values.push_back(call_index(index, o));

    auto next = std::make_unique<store_tables>(*tables_);
    next->add_index(std::move(name), objects, std::move(values));
    user_indexes_.push_back(index);
    std::unique_lock lock(mutex_);
    tables_.swap(next);
    lock.unlock();
    return {};
}

index_values store::values_for(const object& o) const
{
    index_values out;
    out.reserve(user_indexes_.size());
    for (const auto& i : user_indexes_) out.push_back(call_index(i, o));
    return out;
}

std::vector<std::string> store::call_index(const user_index& index, const object& o) const
{
    std::vector<std::string> out;
    std::string why;
    try {
        index.call(o, index_sink(out));
        return out;
    } catch (const std::exception& e) {
        why = e.what();
    } catch (...) {
        why = "an exception that is no std::exception";
    }
    ++index_failures_;
    log_.warning("an index function threw; the object is left out of the index",
                 {{"index", index.name}, {"object", to_string(o.key())}, {"what", why}});
    return {};
}

object store::get(object_key_view key) const
{
    std::shared_lock lock(mutex_);
    return tables_->find(key);
}

std::vector<object> store::list(std::string_view ns) const
{
    std::vector<object> out;
    const auto take = [&out](const object& o) { out.push_back(o); };
    std::shared_lock lock(mutex_);
    if (ns.empty()) {
        out.reserve(tables_->size());
        tables_->each(take);
    } else {
        out.reserve(tables_->size_of(ns));
        tables_->each_in(ns, take);
    }
    return out;
}

std::vector<object> store::by_index(std::string_view index, std::string_view value) const
{
    std::shared_lock lock(mutex_);
    const auto* i = tables_->index(index);
    return i ? i->find(value) : std::vector<object>{};
}

std::vector<std::string> store::values_of(std::string_view index) const
{
    std::shared_lock lock(mutex_);
    const auto* i = tables_->index(index);
    return i ? i->values() : std::vector<std::string>{};
}

bool store::has_index(std::string_view index) const
{
    std::shared_lock lock(mutex_);
    return tables_->index(index) != nullptr;
}

std::vector<std::string> store::namespaces() const
{
    std::shared_lock lock(mutex_);
    return tables_->namespace_names();
}

std::size_t store::size() const
{
    std::shared_lock lock(mutex_);
    return tables_->size();
}

std::size_t store::bytes() const
{
    std::shared_lock lock(mutex_);
    return tables_->bytes();
}

} // namespace kubecoro
