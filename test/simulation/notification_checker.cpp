#include "notification_checker.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace kubecoro::simulation {

notification_checker::notification_checker(std::string name, scope covered, promises given, const server_history& real,
                                           lister<object> store, journal& notes)
    : name_(std::move(name)),
      scope_(std::move(covered)),
      given_(given),
      real_(&real),
      store_(std::move(store)),
      notes_(&notes)
{
}

void notification_checker::hear(const notification<object>& n, bool synced)
{
    if (const auto* a = std::get_if<added<object>>(&n)) {
        hear(*a, synced);
    } else if (const auto* u = std::get_if<updated<object>>(&n)) {
        hear(*u);
    } else {
        hear(std::get<deleted<object>>(n));
    }
}

namespace {

/// The same version of the same object.
bool same_state(const object& a, const object& b)
{
    return a.is_same(b) || (a.uid() == b.uid() && a.resource_version() == b.resource_version());
}

} // namespace

void notification_checker::hear(const added<object>& e, bool synced)
{
    notes_->note(name_, (e.initial ? "added (initial) " : "added ") + brief(e.obj));
    const object_key key(e.obj.key());
    if (const auto known = objects_.find(key); known != objects_.end()) {
        broken("added " + brief(e.obj) + " but its last state is " + brief(known->second));
    }
    if (e.initial && given_.one_watch && past_initial_) broken("an initial add after another event: " + brief(e.obj));
    if (e.initial && synced) broken("an initial add after the handler reported synced: " + brief(e.obj));
    check_state(e.obj, false);
    unproven_.push_back(e.obj);
    check_store(e.obj, false);
    objects_.insert_or_assign(key, e.obj);
    if (e.initial) {
        ++initial_adds_;
    } else {
        heard(change_kind::added, e.obj);
    }
}

void notification_checker::hear(const updated<object>& e)
{
    const bool resync = e.resync();
    notes_->note(name_, resync ? "resync " + brief(e.after) : "updated " + brief(e.before) + " -> " + brief(e.after));
    if (resync && !given_.resync) broken("an unrequested resync: " + brief(e.after));
    if (e.before.uid() != e.after.uid() || e.before.key() != e.after.key()) {
        broken("an update between two objects: " + brief(e.before) + " and " + brief(e.after));
    }
    const auto known = objects_.find(object_key(e.after.key()));
    if (known == objects_.end()) {
        broken("an update of an unknown object: " + brief(e.after));
    } else if (!same_state(known->second, e.before)) {
        broken("updated from " + brief(e.before) + " but its last state is " + brief(known->second));
    } else if (!known->second.is_same(e.before)) {
        unproven_.push_back(e.before); // a repacked compressed object is in another block
    }
    check_state(e.after, resync);
    unproven_.push_back(e.after);
    check_store(e.after, false);
    objects_.insert_or_assign(object_key(e.after.key()), e.after);
    if (!resync) heard(change_kind::updated, e.after);
}

void notification_checker::hear(const deleted<object>& e)
{
    notes_->note(name_, (e.final_state_unknown ? "deleted (final state unknown) " : "deleted ") + brief(e.obj));
    const auto known = objects_.find(object_key(e.obj.key()));
    if (known == objects_.end()) {
        broken("a deletion of an unknown object: " + brief(e.obj));
        return;
    }
    if (known->second.uid() != e.obj.uid()) {
        broken("deleted " + brief(e.obj) + " but its last state is " + brief(known->second));
    }
    if (e.final_state_unknown) {
        // The last known state, which a handler that skips states need not have received.
        check_state(e.obj, true);
        // One in which the reader's filter did not match, when it merged with the deletion.
        if (!given_.filtered) unproven_.push_back(e.obj);
    } else {
        check_state(e.obj, given_.filtered);
    }
    check_store(e.obj, true);
    objects_.erase(known);
    heard(change_kind::deleted, e.obj);
}

void notification_checker::heard(change_kind kind, const object& o)
{
    past_initial_ = true;
    heard_.push_back({kind, std::string(o.uid()), version_of(o), object_key(o.key())});
}

void notification_checker::check_state(const object& o, bool may_repeat)
{
    auto& newest = newest_[std::string(o.uid())];
    const auto version = version_of(o);
    if (version < newest) broken("time ran backwards: " + brief(o) + " after @" + std::to_string(newest));
    if (version == newest && !may_repeat) broken("delivered twice: " + brief(o));
    newest = std::max(newest, version);
    auto& here = newest_in_[std::string(o.ns())];
    here = std::max(here, version);
}

void notification_checker::check_reality()
{
    for (const auto& o : std::exchange(unproven_, {})) {
        if (const auto wrong = real_->disproof(o, scope_); !wrong.empty()) broken(wrong);
    }
}

void notification_checker::check_store(const object& o, bool gone) const
{
    const auto stored = store_.get(o.key());
    if (gone) {
        if (stored && stored.uid() == o.uid() && version_of(stored) <= version_of(o)) {
            broken("deleted but still stored: " + brief(stored));
        }
    } else if (stored && stored.uid() == o.uid() && version_of(stored) < version_of(o)) {
        broken("the store is behind: " + brief(stored) + ", delivered " + brief(o));
    }
}

} // namespace kubecoro::simulation
