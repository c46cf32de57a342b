#include "store/mutation_cache_core.hpp"

#include <kubecoro/cache/mutation_cache.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>

namespace kubecoro {
using namespace detail;

namespace {

/// A write that the store has not shown after this time was reverted, or the watch is broken.
constexpr duration ttl = std::chrono::minutes{5};
/// Beyond it the oldest write is dropped.
constexpr std::size_t max_entries = 1000;

} // namespace

struct mutation_cache<object>::state
{
    state(lister<object> s, std::shared_ptr<time_source> t)
        : stored(std::move(s)), time(t ? std::move(t) : real_clock()), core(ttl, max_entries)
    {
    }

    lister<object> stored;
    std::shared_ptr<time_source> time;
    std::mutex mutex;
    mutation_cache_core core;

    void put(own_write w)
    {
        const bool passed_before = passed(w);
        const object now = stored.get(w.key);
        if (now) w.stored_then = now.resource_version();
        if (mutation_cache_core::judge(w, now, passed_before).over) return;
        std::lock_guard lock(mutex);
        core.put(std::move(w), time->now());
    }

    [[nodiscard]] bool passed(const own_write& w) const
    {
        return !w.version.empty() && stored.reached(w.version, w.key.ns);
    }

    /// Does nothing when another write has replaced this one.
    void forget(const own_write& w)
    {
        std::lock_guard lock(mutex);
        const auto now = core.find(w.key, time->now());
        if (now && now->version == w.version && now->uid == w.uid) core.erase(w.key);
    }

    /// Returns the object to show. `passed_before` must be read before `now`: with a null `now` it means a deletion.
    object show(const own_write& w, const object& now, bool passed_before)
    {
        auto v = mutation_cache_core::judge(w, now, passed_before);
        if (v.over) forget(w);
        return std::move(v.show);
    }
};

mutation_cache<object>::mutation_cache(lister<object> stored, std::shared_ptr<time_source> time)
    : state_(std::make_shared<state>(std::move(stored), std::move(time)))
{
}

void mutation_cache<object>::written(const object& o) const
{
    own_write w;
    w.key = object_key(o.key());
    w.now = o;
    w.uid = o.uid();
    w.version = o.resource_version();
    state_->put(std::move(w));
}

void mutation_cache<object>::removed(object_key_view key, std::string_view uid, std::string_view resource_version) const
{
    own_write w;
    w.key = object_key(key);
    w.uid = uid;
    w.version = resource_version;
    state_->put(std::move(w));
}

object mutation_cache<object>::get(object_key_view key) const
{
    std::optional<own_write> w;
    {
        std::lock_guard lock(state_->mutex);
        w = state_->core.find(key, state_->time->now());
    }
    if (!w) return state_->stored.get(key);
    const bool passed = state_->passed(*w);
    return state_->show(*w, state_->stored.get(key), passed);
}

std::vector<object> mutation_cache<object>::list_in(std::string_view ns) const { return list(label_selector{}, ns); }

std::vector<object> mutation_cache<object>::list(const label_selector& selector, std::string_view ns) const
{
    std::vector<own_write> writes;
    {
        std::lock_guard lock(state_->mutex);
        writes = state_->core.all(state_->time->now());
    }
    std::erase_if(writes, [ns](const own_write& w) { return !ns.empty() && w.key.ns != ns; });
    std::vector<bool> passed;
    for (const auto& w : writes) passed.push_back(state_->passed(w));
    auto found = state_->stored.list(selector, ns);
    if (writes.empty()) return found;
    std::unordered_set<object_key> ours;
    for (const auto& w : writes) ours.insert(w.key);
    std::erase_if(found, [&ours](const object& o) { return ours.contains(object_key(o.key())); });
    for (std::size_t i = 0; i < writes.size(); ++i) {
        object o = state_->show(writes[i], state_->stored.get(writes[i].key), passed[i]);
        if (o && selector.matches(o.labels())) found.push_back(std::move(o));
    }
    return found;
}

std::size_t mutation_cache<object>::size() const
{
    std::lock_guard lock(state_->mutex);
    return state_->core.size();
}

} // namespace kubecoro
