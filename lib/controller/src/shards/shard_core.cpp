#include "shards/shard_core.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kubecoro::detail {
namespace step = shard_step;
namespace {

/// Members delete an expired Lease up to this part of the retry period later, so that not all do it.
constexpr double spread_at_expiry = 0.25;

duration scaled(duration d, double factor) noexcept
{
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>(d) * factor);
}

} // namespace

shard_core::shard_core(settings s, std::uint64_t seed) : settings_(std::move(s)), random_(seed)
{
    published_.by = settings_.by;
    assigned_.self = settings_.id;
    spread_ = scaled(settings_.retry_period, spread_at_expiry * next_unit(random_));
}

time_point shard_core::works_until() const noexcept { return time_after(renewed_at_, settings_.renew_deadline); }

time_point shard_core::lease_expires() const noexcept { return time_after(renewed_at_, settings_.lease_duration); }

bool shard_core::works(time_point now) const noexcept
{
    return has_lease_ && cleared_ && phase_ == shard_phase::member && is_in_time(now);
}

void shard_core::stop() noexcept
{
    if (phase_ != shard_phase::over) phase_ = shard_phase::leaving;
}

void shard_core::stop_at_once() noexcept
{
    stop();
    hurry_ = true;
}

void shard_core::drained(std::uint64_t epoch) noexcept { drained_ = std::max(drained_, epoch); }

/// The members as they are now, this one included.
shard_view shard_core::target() const
{
    shard_view out{.by = settings_.by};
    out.members.reserve(others_.size() + 1);
    for (const auto& [id, o] : others_) out.members.push_back(id);
    const auto place = std::lower_bound(out.members.begin(), out.members.end(), settings_.id);
    if (place == out.members.end() || *place != settings_.id) out.members.insert(place, settings_.id);
    return out;
}

/// Keys that it holds at present and that it will hold: a key that moves away is left out before its claim ends, and one
/// that comes is taken in after all claims are known.
shard_share shard_core::share() const
{
    shard_share out{.self = settings_.id};
    if (phase_ != shard_phase::member || !has_lease_ || suspended_ || !cleared_) return out;
    const auto add = [&out](const shard_view& v) {
        if (std::find(out.within.begin(), out.within.end(), v) == out.within.end()) out.within.push_back(v);
    };
    add(*cleared_);
    add(published_);
    add(target());
    if (attempted_) add(*attempted_);
    for (const auto& [id, o] : others_) {
        // Not copied: that would be quadratic in the members.
        const auto take = [&out, &member = id](const shard_view& claim) {
            if (may_overlap(out, member, claim)) out.others.emplace_back(member, claim);
        };
        // One that cannot be read may claim anything.
        if (o.lease.view)
            take(*o.lease.view);
        else
            take({settings_.by, {id}});
    }
    return out;
}

std::vector<member_id> shard_core::unreadable() const
{
    std::vector<member_id> out;
    for (const auto& [id, o] : others_)
        if (!o.lease.view) out.push_back(id);
    return out;
}

duration shard_core::patience() const noexcept
{
    return hurry_ || suspended_ || was_lost_ ? duration::zero() : settings_.grace;
}

bool shard_core::settled() const
{
    const bool agrees = phase_ == shard_phase::member && has_lease_ && !suspended_ && !attempted_ &&
                        cleared_ == published_ && published_ == target();
    if (!agrees || !is_drained()) return false;
    const auto wanted = share();
    return wanted.others.empty() && wanted == assigned_;
}

bool shard_core::can_move() const
{
    return phase_ == shard_phase::member && !suspended_ && cleared_ == published_ && is_drained();
}

/// A view whose fate is unknown is written again and nothing else, until one of the two is known to hold.
shard_view shard_core::view_to_write() const
{
    if (attempted_) return *attempted_;
    return can_move() ? target() : published_;
}

time_point shard_core::expiry(const other& o) const noexcept
{
    return time_after(time_after(o.changed_at, validity(o.lease.record, settings_.lease_duration)), spread_);
}

const shard_core::other* shard_core::first_to_expire() const noexcept
{
    const other* first = nullptr;
    for (const auto& [id, o] : others_)
        if (first == nullptr || expiry(o) < expiry(*first)) first = &o;
    return first;
}

time_point shard_core::renewal_at() const noexcept { return time_after(wrote_at_, settings_.retry_period); }

duration shard_core::limit(time_point now) const noexcept
{
    if (leave_until_) return std::min(settings_.request_limit, *leave_until_ - now);
    if (!has_lease_ || suspended_) return settings_.request_limit;
    return std::min(settings_.request_limit, works_until() - now);
}

step::any shard_core::next(time_point now)
{
    if (phase_ == shard_phase::over) return step::finish{};
    if (has_lease_ && !suspended_ && now >= works_until()) {
        suspended_ = true;
        ++suspensions_;
    }
    auto wanted = share();
    const bool sooner = !is_drained() && patience() < assigned_patience_;
    if (wanted != assigned_ || sooner) {
        step::assign out{wanted, patience(), epoch_ + 1};
        assigned_ = std::move(wanted);
        assigned_patience_ = out.patience;
        epoch_ = out.epoch;
        return out;
    }
    if (in_flight_ != request::none) return rest(std::nullopt);
    if (next_attempt_ && now < *next_attempt_) return rest(next_attempt_);
    switch (phase_) {
    case shard_phase::joining:
        return as_joining(now);
    case shard_phase::member:
        return as_member(now);
    case shard_phase::leaving:
    case shard_phase::over:
        break;
    }
    return as_leaving(now);
}

step::any shard_core::rest(std::optional<time_point> until) const
{
    if (has_lease_ && !suspended_) until = std::min(until.value_or(works_until()), works_until());
    return step::wait{until};
}

step::any shard_core::as_joining(time_point now)
{
    if (list_due_) return ask_list(now);
    if (!is_drained()) return rest(std::nullopt);
    was_lost_ = false;
    const auto same = others_.find(settings_.id);
    if (same == others_.end()) return ask_create(now);
    if (now >= expiry(same->second)) return ask_remove(now, same->second.lease);
    auto until = expiry(same->second);
    if (!watched_ && resync_at_) until = std::min(until, *resync_at_);
    if (resync_at_ && now >= *resync_at_) return ask_list(now);
    return rest(until);
}

/// A list that fails must not cost the Lease: only an own version in doubt goes before a renewal.
step::any shard_core::as_member(time_point now)
{
    const auto renewal = renewal_at();
    if (list_due_ && (own_stale_ || now < renewal)) return ask_list(now);
    if (now >= renewal || (can_move() && view_to_write() != published_)) return ask_update(now);
    if (resync_at_ && now >= *resync_at_) return ask_list(now);
    auto until = std::min(renewal, resync_at_.value_or(renewal));
    // One that was cut off has not seen the others renew.
    const auto* dying = suspended_ ? nullptr : first_to_expire();
    if (dying != nullptr) {
        const auto when = std::max(expiry(*dying), no_eviction_until_.value_or(time_point::min()));
        if (now >= when) return ask_remove(now, dying->lease);
        until = std::min(until, when);
    }
    return rest(until);
}

step::any shard_core::as_leaving(time_point now)
{
    if (!is_drained()) {
        if (!has_lease_) return rest(std::nullopt);
        if (now < renewal_at()) return rest(renewal_at());
        return own_stale_ ? ask_list(now) : ask_update(now);
    }
    // Beyond its expiry others delete it.
    if (!leave_until_)
        leave_until_ =
            std::min(time_after(now, settings_.renew_deadline), time_after(wrote_at_, settings_.lease_duration));
    if (!may_exist_ || now >= *leave_until_) {
        phase_ = shard_phase::over;
        return step::finish{};
    }
    return has_lease_ && !own_stale_ ? ask_remove(now, own_) : ask_list(now);
}

step::any shard_core::ask_list(time_point now)
{
    in_flight_ = request::list;
    outdated_ = false;
    for (auto& [id, o] : others_) o.seen_meanwhile = false;
    next_attempt_.reset();
    return step::list{limit(now)};
}

step::any shard_core::ask_create(time_point now)
{
    step::create out{target(), limit(now)};
    writing_ = out.view;
    in_flight_ = request::create;
    next_attempt_.reset();
    may_exist_ = true;
    sent_at_ = wrote_at_ = now;
    return out;
}

step::any shard_core::ask_update(time_point now)
{
    step::update out{view_to_write(), limit(now)};
    writing_ = out.view;
    if (writing_ != published_) {
        attempt_base_ = own_.resource_version;
        attempted_ = writing_;
    }
    in_flight_ = request::update;
    next_attempt_.reset();
    sent_at_ = wrote_at_ = now;
    return out;
}

step::any shard_core::ask_remove(time_point now, const shard_lease& lease)
{
    step::remove out{lease.id, lease.uid, lease.resource_version, limit(now)};
    removing_uid_ = lease.uid;
    removing_ = lease.id;
    in_flight_ = request::remove;
    next_attempt_.reset();
    return out;
}

} // namespace kubecoro::detail
