// Answers to requests, events of the watch, and their effect.
#include "shards/shard_core.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kubecoro::detail {
namespace {

/// The pause until the next list is up to this much longer, so that members do not list together.
constexpr double jitter = 0.5;

/// Not part of a group in which all goes well. A Lease that is updated or removed may be missing; where it cannot be created
/// for that reason, its namespace is.
bool is_trouble(bool creates, const failure& f) noexcept
{
    if (f == cond::not_found) return creates;
    return f != cond::conflict && f != cond::already_exists && f != cond::cancelled;
}

template<class T>
std::optional<failure> failure_of(const result<T>& r)
{
    return r ? std::nullopt : std::optional<failure>(r.error());
}

} // namespace

/// The end of the request in flight. The trouble of a list ends with a list, and that of a create with a write: the requests
/// between them say nothing of it.
void shard_core::note(const std::optional<failure>& f)
{
    const auto asked = std::exchange(in_flight_, request::none);
    if (f && !is_trouble(asked == request::create, *f)) return;
    const bool lists = asked == request::list;
    if (!f && !lists && troubled_ == request::list) return;
    if (!f && lists && troubled_ == request::create) return;
    trouble_ = f;
    troubled_ = f ? asked : request::none;
}

/// After a failure the group is listed, since a write may have had an effect. At once, but after a pause unless a write has
/// succeeded since the last failure. A renewal that can be made does not wait longer for that.
void shard_core::try_later(time_point now)
{
    list_due_ = true;
    if (!std::exchange(failed_, true)) return;
    next_attempt_ = time_after(now, settings_.retry_period);
    if (has_lease_ && !own_stale_) next_attempt_ = std::min(*next_attempt_, renewal_at());
}

/// After an event: the answer to a list that was sent before may be older.
void shard_core::list_again() noexcept
{
    list_due_ = true;
    outdated_ = in_flight_ == request::list;
}

bool shard_core::is_own(const shard_lease& lease) const noexcept
{
    return lease.id == settings_.id && lease.record.holder == settings_.holder;
}

/// This member is one of the group, whether the list has it or not.
bool shard_core::is_too_large(const shard_listing& list) const noexcept
{
    const auto own = std::count_if(list.leases.begin(), list.leases.end(), [this](const auto& l) { return is_own(l); });
    return list.leases.size() - static_cast<std::size_t>(own) >= settings_.max_members;
}

void shard_core::observe(time_point now, const shard_lease& lease)
{
    const auto at = others_.find(lease.id);
    auto seen = at == others_.end() ? other{lease, now} : changed(at->second, lease, now);
    seen.seen_meanwhile = in_flight_ == request::list;
    others_.insert_or_assign(lease.id, std::move(seen));
}

shard_core::other shard_core::changed(const other& known, const shard_lease& lease, time_point now)
{
    const bool same =
        known.lease.uid == lease.uid && known.lease.record == lease.record && known.lease.view == lease.view;
    return {lease, same ? known.changed_at : now};
}

void shard_core::listed(time_point now, const result<shard_listing>& answer)
{
    if (answer && is_too_large(*answer)) {
        const auto text = "more than " + std::to_string(settings_.max_members) + " members";
        note(failure(cond::invalid, text));
        return try_later(now);
    }
    if (!answer) {
        note(answer.error());
        return try_later(now);
    }
    auto seen = others_by(*answer, now);
    auto version = answer->resource_version;
    note(std::nullopt);
    list_due_ = std::exchange(outdated_, false);
    const auto pause = watched_ ? settings_.lease_duration : settings_.retry_period;
    resync_at_ = time_after(now, std::chrono::duration_cast<duration>(std::chrono::duration<double>(pause) *
                                                                      (1 + jitter * next_unit(random_))));
    list_version_ = std::move(version);
    others_ = std::move(seen);
    const auto is_current = [this](const shard_lease& l) {
        return is_own(l) && (has_lease_ || l.uid != own_.uid); // the former one is not there any more: that was seen
    };
    const auto own = std::find_if(answer->leases.rbegin(), answer->leases.rend(), is_current);
    observe_own(own == answer->leases.rend() ? nullptr : &*own);
}

/// The other members by a list. Those that were seen later than it was served are as they were seen: after it was sent, that
/// is. It is not older than what was seen before, and with lower versions it is of a server that was restored from a backup.
std::map<member_id, shard_core::other> shard_core::others_by(const shard_listing& list, time_point now) const
{
    std::map<member_id, other> out;
    for (const auto& lease : list.leases) {
        if (is_own(lease)) continue;
        const auto known = others_.find(lease.id);
        if (known == others_.end())
            out.insert_or_assign(lease.id, other{lease, now});
        else if (known->second.seen_meanwhile &&
                 is_at_least(known->second.lease.resource_version, lease.resource_version))
            out.insert_or_assign(lease.id, known->second);
        else
            out.insert_or_assign(lease.id, changed(known->second, lease, now));
    }
    for (const auto& [id, o] : others_) // those that were created after the list was served
        if (o.seen_meanwhile && !is_at_least(list.resource_version, o.lease.resource_version) &&
            is_at_least(o.lease.resource_version, list.resource_version))
            out.emplace(id, o);
    return out;
}

/// @param lease  The own Lease; null if the group has none.
void shard_core::observe_own(const shard_lease* lease)
{
    own_stale_ = false;
    if (lease == nullptr) {
        may_exist_ = false;
        if (has_lease_) lost();
        return;
    }
    if (!has_lease_ || lease->uid != own_.uid) {
        if (has_lease_) lost();
        adopt(*lease);
    } else if (!attempted_ || lease->resource_version != attempt_base_) {
        auto stored = lease->view.value_or(shard_view{settings_.by, {}});
        attempted_.reset(); // another write has taken its version: if it has not been stored by now, it never will
        published_ = std::move(stored); // the others go by it, also if another one has written it
    }
    own_ = *lease;
    if (!attempted_) cleared_ = published_;
}

/// A creation whose answer was lost has succeeded. When is not known: nothing may be done before it is renewed.
void shard_core::adopt(const shard_lease& lease)
{
    has_lease_ = may_exist_ = true;
    suspended_ = true;
    published_ = lease.view.value_or(shard_view{settings_.by, {}});
    if (phase_ == shard_phase::joining) phase_ = shard_phase::member;
}

void shard_core::lost() noexcept
{
    has_lease_ = suspended_ = false;
    was_lost_ = true;
    attempted_.reset();
    cleared_.reset();
    list_due_ = true;
    ++losses_;
    if (phase_ == shard_phase::member) phase_ = shard_phase::joining;
}

void shard_core::renewed(time_point now)
{
    renewed_at_ = sent_at_;
    attempted_.reset(); // earlier writes were for earlier versions
    if (!std::exchange(suspended_, false)) return;
    // The others could not be seen either, and perhaps could not renew: they get a whole duration from here on.
    for (auto& [id, o] : others_) o.changed_at = now;
}

void shard_core::written(time_point now, const result<shard_lease>& answer)
{
    const auto asked = in_flight_;
    own_stale_ = !answer;
    if (!answer) {
        note(answer.error());
        if (asked == request::create || !has_lease_) return try_later(now);
        if (answer.error() == cond::not_found) return lost();
        if (answer.error() == cond::conflict) {
            list_due_ = true;
            return;
        }
        return try_later(now);
    }
    auto own = *answer; // before any change: what was written stays in doubt if memory runs out
    note(std::nullopt);
    failed_ = false;
    has_lease_ = may_exist_ = true;
    own_ = std::move(own);
    renewed(now);
    if (phase_ == shard_phase::joining) phase_ = shard_phase::member;
    published_ = std::move(writing_);
    if (cleared_ != published_) list_due_ = true;
}

void shard_core::removed(time_point now, const result<>& answer)
{
    note(failure_of(answer));
    const bool gone = answer || answer.error() == cond::not_found;
    const bool is_own = removing_ == settings_.id && removing_uid_ == own_.uid;
    if (is_own && gone) {
        has_lease_ = may_exist_ = false;
    } else if (gone) {
        if (answer) ++evictions_;
        seen_deleted(removing_, removing_uid_); // its id may have a new Lease by now
    } else if (answer.error() == cond::conflict) {
        list_due_ = true;
        own_stale_ = is_own;
    } else if (is_own || phase_ != shard_phase::member) {
        next_attempt_ = time_after(now, settings_.retry_period);
    } else {
        no_eviction_until_ = time_after(now, settings_.retry_period);
    }
}

void shard_core::request_failed(time_point now, const failure& why)
{
    if (in_flight_ == request::list) return listed(now, why);
    if (in_flight_ == request::remove) return removed(now, why);
    if (in_flight_ != request::none) return written(now, why);
    list_due_ = own_stale_ = true; // its answer has been taken in part, for lack of memory
}

void shard_core::watched(bool on) noexcept
{
    // Changes in between were not seen.
    if (on && !watched_) list_again();
    watched_ = on;
}

void shard_core::seen(time_point now, const shard_lease& lease)
{
    if (is_own(lease)) {
        const bool is_ours = has_lease_ && lease.uid == own_.uid;
        if (is_ours && in_flight_ == request::none && !is_at_least(own_.resource_version, lease.resource_version))
            list_due_ = own_stale_ = true; // another one has written it
        return;
    }
    const auto at = others_.find(lease.id);
    const auto& known = at == others_.end() ? list_version_ : at->second.lease.resource_version;
    // A list has everything that is older.
    if (is_at_least(known, lease.resource_version)) return;
    if (!is_at_least(lease.resource_version, known)) return list_again(); // these versions have no order
    if (at == others_.end() && others_.size() + 1 >= settings_.max_members) return;
    if (has_lease_ && lease.id == settings_.id) { // another process has taken the place of this one
        own_stale_ = true;
        list_again();
    }
    observe(now, lease);
}

void shard_core::seen_deleted(member_id id, const std::string& uid)
{
    const bool is_ours = has_lease_ && id == settings_.id && uid == own_.uid;
    if (is_ours && in_flight_ == request::remove && removing_uid_ == uid) {
        has_lease_ = may_exist_ = false; // the answer is still to come
        return;
    }
    if (in_flight_ == request::list) list_again();
    if (is_ours) return lost();
    const auto at = others_.find(id);
    if (at != others_.end() && at->second.lease.uid == uid) others_.erase(at);
}

} // namespace kubecoro::detail
