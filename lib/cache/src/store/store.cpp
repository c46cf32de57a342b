#include "store/store.hpp"

#include <kubecoro/api/detail/prefetch.hpp>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kubecoro::detail {
namespace {

void announce_put(std::vector<notification<object>>& out, object before, object now, bool initial)
{
    if (!before) {
        out.emplace_back(added<object>{std::move(now), initial});
    } else if (before.same_uid(now)) {
        out.emplace_back(updated<object>{std::move(before), std::move(now)});
    } else { // deleted and created again without a watch event
        out.emplace_back(deleted<object>{std::move(before), true});
        out.emplace_back(added<object>{std::move(now), initial});
    }
}

/// Cost of a change under the lock, in units of replacing an object in place.
constexpr std::size_t swap_cost = 1;
constexpr std::size_t full_cost = 4;

/// Returns the deletion of the stored object, with the final state if that has the same uid.
deleted<object> gone(object before, const object& final_state)
{
    if (before.same_uid(final_state)) return {final_state, false};
    return {std::move(before), true};
}

/// Removes the notifications of changes that were not made.
struct announced_so_far
{
    std::vector<notification<object>>& all;
    /// Those of changes that were made, and all before them.
    std::size_t count;

    announced_so_far(std::vector<notification<object>>& news, std::size_t n) noexcept : all(news), count(n) {}
    ~announced_so_far() { all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end()); }
    announced_so_far(const announced_so_far&) = delete;
    announced_so_far& operator=(const announced_so_far&) = delete;
};

/// Hashes and compares the items of a list, given by their places in it, by their keys.
struct by_place
{
    using is_transparent = void;
    using is_avalanching = void;
    const std::vector<object>& items;

    [[nodiscard]] object_key_view key(std::size_t place) const noexcept { return items[place].key(); }
    [[nodiscard]] static object_key_view key(object_key_view k) noexcept { return k; }
    [[nodiscard]] std::size_t operator()(const auto& a) const noexcept { return object_key_hash{}(key(a)); }
    [[nodiscard]] bool operator()(const auto& a, const auto& b) const noexcept { return key(a) == key(b); }
};

/// A place for each key of a list.
using last_places = boost::unordered_flat_set<std::size_t, by_place, by_place>;

/// For an item that is read soon, unless it is not wanted.
void prefetch_if(const std::vector<bool>& wanted, const std::vector<object>& items, std::size_t i)
{
    if (i < items.size() && wanted[i]) prefetch_object(items[i].identity());
}

/// Fills `last` with the place of the last new item of each key, and returns which items these are.
std::vector<bool> last_of_each_key(const std::vector<object>& items, const std::vector<bool>& is_new, last_places& last)
{
    std::vector<bool> out = is_new;
    last.reserve(static_cast<std::size_t>(std::count(is_new.begin(), is_new.end(), true)));
    for (std::size_t i = 0; i < items.size(); ++i) {
        prefetch_if(is_new, items, i + ahead);
        if (!is_new[i]) continue;
        if (const auto [earlier, is_first] = last.insert(i); !is_first) {
            out[*earlier] = false;
            last.erase(earlier);
            last.insert(i);
        }
    }
    return out;
}

/// The object that the change removed from the store, or null.
object left_by(const notification<object>& change)
{
    if (const auto* u = std::get_if<updated<object>>(&change)) return u->before;
    if (const auto* d = std::get_if<deleted<object>>(&change)) return d->obj;
    return {};
}

} // namespace

store::store(logger log, std::size_t large, std::shared_ptr<object_encoding> encoding)
    : log_(std::move(log)), large_(large), encoding_(std::move(encoding)), tables_(std::make_unique<store_tables>())
{
    packs_ = encoding_ && encoding_->stats().policy == storage::compressed;
    if (packs_) encoding_->keep_recent(true);
}

store::~store()
{
    if (packs_) encoding_->keep_recent(false);
}

object store::at_rest(const object& o) const { return packs_ ? encoding_->at_rest(o) : o; }

void store::apply(std::span<const delta> deltas, std::size_t& done, std::vector<notification<object>>& out)
{
    done = 0;
    std::vector<indexed> values(deltas.size());
    for (std::size_t i = 0; i < deltas.size(); ++i)
        if (deltas[i].obj && deltas[i].type != delta_type::deleted) values[i].obj = &deltas[i].obj;
    std::unique_lock writing(writer_);
    call_indexes(writing, values);
    std::vector<object> resting(deltas.size());
    for (std::size_t i = 0; i < deltas.size(); ++i)
        if (deltas[i].type != delta_type::deleted) resting[i] = at_rest(deltas[i].obj);

    out.reserve(out.size() + 2 * deltas.size()); // no change without its notification
    std::vector<object> dropped;                 // may hold the last references: freed outside the lock
    dropped.reserve(deltas.size());
    {
        std::unique_lock lock(mutex_);
        store_visits::removal removed(visits_, deltas.size());
        for (; done != deltas.size(); ++done) {
            const object& o = deltas[done].obj;
            if (!o) continue; // a version mark
            if (deltas[done].type == delta_type::deleted) {
                if (object before = tables_->erase(o.key())) {
                    removed.add(kept_object(before));
                    dropped.push_back(before);
                    out.emplace_back(gone(std::move(before), o));
                }
            } else if (object known = tables_->find(o.key()); !known || !same_version(known, o)) {
                object before = tables_->put(resting[done], std::move(values[done].values));
                if (before) removed.add(kept_object(before));
                announce_put(out, std::move(before), resting[done], false);
            }
        }
    }
    visits_.bound();
}

store::overlap store::overlap_with(std::string_view ns, const std::vector<object>& items) const
{
    overlap out{.is_new = std::vector<bool>(items.size(), true), .unlisted = {}};
    if (tables_->size() == 0) return out;
    // The first place of each handle.
    boost::unordered_flat_map<const void*, std::size_t> listed;
    listed.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) listed.emplace(items[i].identity(), i);
    tables_->each_in(ns, [&](const kept_object& o) {
        if (const auto at = listed.find(o.identity()); at != listed.end())
            out.is_new[at->second] = false;
        else
            out.unlisted.push_back(o.get());
    });
    if (listed.size() == items.size()) return out;
    for (std::size_t i = 0; i < items.size(); ++i) out.is_new[i] = out.is_new[listed.find(items[i].identity())->second];
    return out;
}

std::size_t store::differences(const std::vector<object>& items, const overlap& known, bool initial,
                               std::vector<change>& changes, std::vector<notification<object>>& news) const
{
    last_places last(0, by_place{items}, by_place{items});
    const std::vector<bool> counts = last_of_each_key(items, known.is_new, last);
    changes.reserve(known.unlisted.size() + last.size());
    news.reserve(news.size() + known.unlisted.size() + last.size());
    std::size_t cost = 0;
    const std::size_t put_cost = user_indexes_->empty() ? swap_cost : full_cost;
    for (const auto& stored : known.unlisted) {
        if (last.contains(stored.key())) continue;
        news.emplace_back(deleted<object>{stored, true});
        changes.push_back({&stored, true, news.size()});
        cost += full_cost;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        prefetch_if(counts, items, i + ahead);
        if (!counts[i]) continue;
        const object& o = items[i];
        object before = tables_->find(o.key());
        if (before && same_version(before, o)) continue;
        cost += before ? put_cost : full_cost;
        announce_put(news, std::move(before), o, initial);
        changes.push_back({&o, false, news.size()});
    }
    return cost;
}

std::vector<store::indexed> store::index_all(std::unique_lock<std::mutex>& writing,
                                             const std::vector<change>& changes) const
{
    std::vector<indexed> values;
    if (user_indexes_->empty()) return values;
    values.resize(changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i)
        if (!changes[i].erase) values[i].obj = changes[i].obj;
    call_indexes(writing, values);
    return values;
}

void store::replace(std::string_view ns, const std::vector<object>& items, bool initial,
                    std::vector<notification<object>>& out)
{
    std::unique_lock writing(writer_);
    make_list(writing, items, overlap_with(ns, items), initial, out);
}

void store::remove(std::span<const std::string> namespaces, std::vector<notification<object>>& out)
{
    std::unique_lock writing(writer_);
    overlap gone;
    for (const auto& ns : namespaces)
        tables_->each_of(ns, [&gone](const kept_object& o) { gone.unlisted.push_back(o.get()); });
    make_list(writing, {}, gone, false, out);
}

void store::make_list(std::unique_lock<std::mutex>& writing, const std::vector<object>& items, const overlap& known,
                      bool initial, std::vector<notification<object>>& out)
{
    // Find the differences without blocking readers: no other writer exists.
    const std::size_t before_these = out.size();
    announced_so_far announced{out, before_these};
    std::vector<change> changes;
    const std::size_t cost = differences(items, known, initial, changes, out);
    if (changes.empty()) return;
    auto values = index_all(writing, changes);

    list_came_ = true;
    const auto make = [&](store_tables& t, std::size_t i) {
        if (i + ahead < changes.size()) prefetch_object(changes[i + ahead].obj->identity());
        if (changes[i].erase) return t.erase(changes[i].obj->key());
        return t.put(*changes[i].obj, values.empty() ? index_values{} : std::move(values[i].values));
    };
    if (cost < large_ * full_cost) {
        std::unique_lock lock(mutex_);
        store_visits::removal removed(visits_, changes.size());
        for (std::size_t i = 0; i != changes.size(); ++i) {
            if (const object before = make(*tables_, i)) removed.add(kept_object(before));
            announced.count = changes[i].told;
        }
    } else {
        auto next = std::make_unique<store_tables>(*tables_);
        for (std::size_t i = 0; i != changes.size(); ++i) make(*next, i);
        std::unique_lock lock(mutex_);
        store_visits::removal removed(visits_, out.size() - before_these);
        if (visits_.any())
            for (const auto& n : std::span(out).subspan(before_these))
                if (const object before = left_by(n)) removed.add(kept_object(before));
        tables_.swap(next);
        announced.count = out.size();
    }
    visits_.bound();
}

bool store::wants_renewal() const
{
    return packs_ && (list_came_ || !stale_.empty() || encoding_->revision() != renewed_revision_);
}

bool store::renew(std::size_t max)
{
    std::lock_guard writing(writer_);
    if (stale_.empty() && wants_renewal()) find_stale();
    std::vector<std::pair<kept_object, object>> better;
    for (; max != 0 && !stale_.empty(); --max) {
        kept_object before = std::move(stale_.back());
        stale_.pop_back();
        const object o = before.get();
        if (object now = at_rest(o); !now.is_same(o)) better.emplace_back(std::move(before), std::move(now));
    }
    if (!better.empty()) {
        std::unique_lock lock(mutex_);
        store_visits::removal removed(visits_, better.size());
        for (const auto& [before, now] : better) {
            tables_->renew(before, now);
            removed.add(before);
        }
    }
    visits_.bound();
    return wants_renewal();
}

void store::find_stale()
{
    list_came_ = false;
    renewed_revision_ = encoding_->revision();
    tables_->each([this](const kept_object& o) {
        if (encoding_->stale(o)) stale_.push_back(o);
    });
}

object store::find(object_key_view key, std::string_view uid, std::string_view resource_version) const
{
    object stored = get(key);
    const bool same = stored && stored.resource_version() == resource_version && stored.has_uid(uid);
    return same ? stored : object{};
}

void store::expect(object_key_view key) const
{
    std::shared_lock lock(mutex_);
    tables_->prefetch(key);
}

object store::get(object_key_view key) const
{
    std::shared_lock lock(mutex_);
    return tables_->find(key);
}

void store::open(store_visits::visit& v, std::string_view ns) const
{
    const auto note = [&v](const kept_object& o) { v.objects.emplace_back(o); };
    std::shared_lock lock(mutex_);
    v.objects.reserve(ns.empty() ? tables_->size() : tables_->size_of(ns));
    tables_->each_in(ns, note);
    visits_.open(v);
}

void store::visit(std::string_view ns, const std::function<void(const object&)>& f) const
{
    store_visits::visit all;
    open(all, ns);
    show(all.objects, f);
}

std::vector<object> store::list(std::string_view ns) const
{
    store_visits::visit all;
    open(all, ns);
    std::vector<object> out;
    out.reserve(all.objects.size());
    for (const auto& o : all.objects) out.push_back(o.get());
    return out;
}

std::vector<kept_object> store::keep(std::string_view ns) const
{
    store_visits::visit all;
    open(all, ns);
    std::vector<kept_object> out;
    out.reserve(all.objects.size());
    for (const auto& o : all.objects) out.push_back(o.keep());
    return out;
}

template<class F>
auto store::from_index(std::string_view name, F read) const
{
    {
        std::shared_lock lock(mutex_);
        if (const auto* i = tables_->index(name)) return read(*i);
    }
    say_missing(name);
    return std::invoke_result_t<F&, const secondary_index&>();
}

void store::say_missing(std::string_view index) const
{
    constexpr std::size_t most_logged = 16;
    {
        std::lock_guard lock(missing_mutex_);
        const bool known = std::find(missing_.begin(), missing_.end(), index) != missing_.end();
        if (known || missing_.size() == most_logged) return;
        missing_.emplace_back(index);
    }
    log_.warning("there is no index of this name, so nothing is found in it", {{"index", std::string(index)}});
}

std::vector<object> store::by_index(std::string_view index, std::string_view value) const
{
    return from_index(index, [value](const secondary_index& i) { return i.find(value); });
}

std::size_t store::count_by_index(std::string_view index, std::string_view value) const
{
    return from_index(index, [value](const secondary_index& i) { return i.count(value); });
}

std::vector<std::string> store::values_of(std::string_view index) const
{
    return from_index(index, [](const secondary_index& i) { return i.values(); });
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

} // namespace kubecoro::detail
