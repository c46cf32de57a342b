#include "election/leader_election_core.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace step = election_step;
namespace {

/// After the release of a Lease its candidates wait up to this part of the retry period, so that not all write at once.
constexpr double spread_of_candidates = 0.1;

std::string seconds_text(duration d)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count()) + " s";
}

/// Not of the same Lease, or of a later state of it.
bool is_news(const lease_state& seen, const lease_state& known) noexcept
{
    if (seen.uid != known.uid) return true;
    return seen.resource_version != known.resource_version &&
           !is_at_least(known.resource_version, seen.resource_version);
}

} // namespace

duration leader_election_core::scaled(duration d, double factor) noexcept
{
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>(d) * factor);
}

time_point leader_election_core::leads_until() const noexcept
{
    return time_after(renewed_at_, settings_.renew_deadline);
}

time_point leader_election_core::lease_expires() const noexcept
{
    return time_after(renewed_at_, settings_.lease_duration);
}

void leader_election_core::stop(time_point now)
{
    if (!stop_wanted_ && phase_ == election_phase::leading) {
        ready_.emplace_back(step::end_work{});
        phase_ = election_phase::ending;
        cancel_at_ = time_after(now, settings_.grace);
    }
    stop_wanted_ = true;
}

void leader_election_core::stop_at_once(time_point now)
{
    stop(now);
    if (phase_ == election_phase::ending && cancel_at_) cancel_at_ = now;
}

void leader_election_core::work_ended(time_point now) noexcept
{
    if (!leads() && phase_ != election_phase::lost) return;
    step_down_due_ = true;
    begin_release(now);
}

void leader_election_core::seen(time_point now, const lease_state& lease)
{
    if (phase_ != election_phase::candidate || !is_news(lease, known_)) return;
    observe(now, lease);
    seen_meanwhile_ = in_flight_ != request::none;
    if (seen_meanwhile_) return;
    if (is_free(now))
        try_soon(now);
    else
        try_later(now);
}

void leader_election_core::seen_deleted(time_point now)
{
    if (phase_ != election_phase::candidate) return;
    known_.record.holder.clear();
    outdated_ = in_flight_ != request::none;
    if (!outdated_) try_soon(now);
}

void leader_election_core::observe(time_point changed, const lease_state& lease)
{
    auto seen = lease;
    const auto& holder = lease.record.holder;
    if (!holder.empty() && holder != announced_) {
        auto announced = holder;
        ready_.emplace_back(step::announce{holder});
        announced_ = std::move(announced);
        ++leaders_seen_;
    }
    if (known_.uid.empty() || lease.record != known_.record) changed_at_ = changed;
    known_ = std::move(seen);
}

bool leader_election_core::is_stale(const lease_state& lease) const noexcept
{
    return seen_meanwhile_ && lease.uid == known_.uid && lease.resource_version != known_.resource_version &&
           is_at_least(known_.resource_version, lease.resource_version);
}

bool leader_election_core::is_free(time_point now) const noexcept
{
    return known_.record.holder.empty() || is_ours() ||
           time_after(changed_at_, validity(known_.record, settings_.lease_duration)) <= now;
}

lease_change leader_election_core::renewal() const
{
    lease_change out{.holder = settings_.identity, .duration_seconds = lease_seconds(settings_.lease_duration)};
    out.transitions = known_.record.transitions;
    out.acquires = !is_ours();
    // A Lease that was made again goes on counting where the former one was seen to stop.
    const bool first = known_.uid.empty();
    if (out.acquires && !first && out.transitions < std::numeric_limits<std::int32_t>::max()) ++out.transitions;
    return out;
}

lease_change leader_election_core::release() const
{
    return {.holder = {}, .duration_seconds = 1, .transitions = known_.record.transitions, .acquires = true};
}

duration leader_election_core::limit(time_point now) const noexcept
{
    if (leads()) return std::min(settings_.request_limit, leads_until() - now);
    if (phase_ == election_phase::releasing) return std::min(settings_.request_limit, release_until_ - now);
    return settings_.request_limit;
}

step::any leader_election_core::send(time_point now)
{
    auto out = request_to_send(now);
    in_flight_ = due_;
    next_attempt_.reset();
    abandoned_ = false;
    outdated_ = seen_meanwhile_ = false;
    sent_at_ = now;
    if (in_flight_ != request::get) {
        wrote_at_ = now;
        may_hold_ = true;
    } else if (leads()) {
        ++slow_renewals_;
    }
    return out;
}

step::any leader_election_core::request_to_send(time_point now) const
{
    if (due_ == request::get) return step::get{limit(now)};
    auto what = phase_ == election_phase::releasing ? release() : renewal();
    if (due_ == request::create) return step::create{std::move(what), limit(now)};
    return step::update{std::move(what), limit(now)};
}

void leader_election_core::lose(failure why)
{
    ready_.emplace_back(step::end_work{why});
    ready_.emplace_back(step::cancel_work{});
    phase_ = election_phase::lost;
    cancel_at_.reset();
    outcome_ = std::move(why);
}

void leader_election_core::begin_release(time_point now) noexcept
{
    phase_ = election_phase::releasing;
    // Beyond its expiry there is nothing to release.
    release_until_ =
        std::min(time_after(now, settings_.renew_deadline), time_after(wrote_at_, settings_.lease_duration));
    due_ = request::get;
    next_attempt_.reset();
}

step::any leader_election_core::next(time_point now)
{
    if (!ready_.empty()) {
        auto first = std::move(ready_.front());
        ready_.pop_front();
        return first;
    }
    if (std::exchange(step_down_due_, false)) return step::step_down{};
    switch (phase_) {
    case election_phase::candidate:
        return as_candidate(now);
    case election_phase::leading:
    case election_phase::ending:
        return as_leader(now);
    case election_phase::releasing:
        return while_releasing(now);
    case election_phase::over:
        return step::finish{outcome_};
    case election_phase::lost:
        break;
    }
    return step::wait{};
}

step::any leader_election_core::as_candidate(time_point now)
{
    if (stop_wanted_) {
        // A read is of no use any more. A write is awaited, because it may have succeeded.
        if (in_flight_ == request::get && !std::exchange(abandoned_, true)) return step::abandon_request{};
        if (in_flight_ != request::none) return step::wait{};
        begin_release(now);
        return next(now);
    }
    if (in_flight_ != request::none) return step::wait{};
    if (next_attempt_ && now < *next_attempt_) return step::wait{next_attempt_};
    return send(now);
}

step::any leader_election_core::as_leader(time_point now)
{
    auto until = leads_until();
    if (now >= until) {
        auto text = "leadership lost: no renewal for " + seconds_text(settings_.renew_deadline);
        if (trouble_) text += ": " + trouble_->describe();
        lose(failure(cond::timed_out, std::move(text)));
        return next(now);
    }
    if (cancel_at_ && now >= *cancel_at_) {
        cancel_at_.reset();
        return step::cancel_work{};
    }
    if (cancel_at_) until = std::min(until, *cancel_at_);
    if (in_flight_ != request::none) return step::wait{until};
    if (next_attempt_ && now < *next_attempt_) return step::wait{std::min(until, *next_attempt_)};
    return send(now);
}

step::any leader_election_core::while_releasing(time_point now)
{
    if (in_flight_ != request::none) return step::wait{};
    if (!settings_.release || !may_hold_ || now >= release_until_) {
        phase_ = election_phase::over;
        return step::finish{outcome_};
    }
    if (next_attempt_ && now < *next_attempt_) return step::wait{std::min(*next_attempt_, release_until_)};
    return send(now);
}

void leader_election_core::try_soon(time_point now)
{
    due_ = request::get;
    next_attempt_ = time_after(now, scaled(settings_.retry_period, spread_of_candidates * next_unit(random_)));
}

} // namespace kubecoro::detail
