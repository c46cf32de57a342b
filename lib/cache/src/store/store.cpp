#include "store/store.hpp"

#include "store/list_change.hpp"

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Number of objects that renew() looks at.
constexpr std::size_t looked_at_a_time = 512;

/// Returns the deletion of the stored object, with the final state if that has the same uid.
deleted<object> gone(object before, const object& final_state)
{
    if (before.same_uid(final_state)) return {final_state, false};
    return {std::move(before), true};
}

void make_now(list_change& change, std::vector<notification<object>>& out)
{
    do {
        auto all = std::numeric_limits<std::size_t>::max();
        (void)change.prepare(all);
    } while (!change.make(out));
}

} // namespace

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
                    for (auto* const index : coming_) index->note(before, {});
                    dropped.push_back(before);
                    out.emplace_back(gone(std::move(before), o));
                }
            } else if (object known = tables_->find(o.key()); !known || !same_version(known, o)) {
                object before = tables_->put(resting[done], std::move(values[done].values));
                if (before) removed.add(kept_object(before));
                for (auto* const index : coming_) index->note(before, resting[done]);
                announce_put(out, std::move(before), resting[done], false);
            }
        }
    }
    visits_.bound();
}

void store::replace(std::string_view ns, const std::vector<object>& items, bool initial,
                    std::vector<notification<object>>& out)
{
    list_change change(*this, ns, items, initial);
    make_now(change, out);
}

void store::remove(std::span<const std::string> namespaces, std::vector<notification<object>>& out)
{
    list_change change(*this, namespaces);
    make_now(change, out);
}

bool store::wants_renewal() const
{
    return packs_ && (list_came_ || looked_through_ || !stale_.empty() || encoding_->revision() != renewed_revision_);
}

bool store::renew(std::size_t max)
{
    std::lock_guard writing(writer_);
    if (looked_through_ || (stale_.empty() && wants_renewal())) find_some_stale();
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

void store::find_some_stale()
{
    KUBECORO_EXPECT(writer_.held_here());
    if (!looked_through_) {
        list_came_ = false;
        renewed_revision_ = encoding_->revision();
        looked_through_ = std::make_unique<store_visits::visit>();
        looked_at_ = 0;
        open(*looked_through_, std::string_view());
    }
    const auto& all = looked_through_->objects;
    for (const auto end = std::min(all.size(), looked_at_ + looked_at_a_time); looked_at_ != end; ++looked_at_)
        if (auto o = all[looked_at_].keep(); encoding_->stale(o)) stale_.push_back(std::move(o));
    if (looked_at_ == all.size()) looked_through_.reset();
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

void store::open(store_visits::visit& v, std::span<const std::string> namespaces) const
{
    std::shared_lock lock(mutex_);
    for (const auto& ns : namespaces) tables_->each_of(ns, [&v](const kept_object& o) { v.objects.emplace_back(o); });
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
