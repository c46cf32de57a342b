// Answers to requests, and their effect.
#include "election/leader_election_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Bytes of an identity in a failure.
constexpr std::size_t shown = 128;

/// A candidate waits up to this much longer than the retry period, as those of client-go do.
constexpr double jitter = 1.2;

/// A candidate that waits for the expiry of a Lease tries up to this part of the retry period later.
constexpr double spread_at_expiry = 0.25;

/// Not part of an election that goes well. A Lease that is read or updated may be missing; where it cannot be created for
/// that reason, its namespace is.
bool is_trouble(bool creates, const failure& f) noexcept
{
    if (f == cond::not_found) return creates;
    return f != cond::conflict && f != cond::already_exists && f != cond::cancelled;
}

} // namespace

void leader_election_core::answered(time_point now, const result<lease_state>& answer)
{
    const auto asked = std::exchange(in_flight_, request::none);
    if (answer)
        trouble_.reset();
    else if (is_trouble(asked == request::create, answer.error()))
        trouble_ = answer.error();
    // Only a read shows whether a write without an answer has happened.
    if (asked == request::get && answer && answer->record.holder != settings_.identity) may_hold_ = false;
    if (phase_ == election_phase::candidate) return candidate_answered(now, asked, answer);
    if (leads()) return leader_answered(now, asked, answer);
    if (phase_ == election_phase::releasing) return release_answered(now, asked, answer);
    if (answer) observe(now, *answer);
}

void leader_election_core::unanswered(time_point now) noexcept { answered(now, failure()); }

void leader_election_core::candidate_answered(time_point now, request asked, const result<lease_state>& answer)
{
    const bool wrote = asked != request::get;
    const bool missing = !answer && answer.error() == cond::not_found;
    const bool decided = wrote ? answer.has_value() : missing;
    if (!decided && (outdated_ || (answer && is_stale(*answer)))) return candidate_outrun(now);
    if (answer) {
        observe(wrote ? sent_at_ : now, *answer);
        if (wrote && is_ours()) return acquired(now);
        if (!wrote && is_free(now)) {
            due_ = request::update;
            return;
        }
    } else if (!wrote && missing) {
        known_.record.holder.clear();
        due_ = request::create;
        return;
    }
    try_later(now);
}

/// The watch has shown a later state of the Lease than the answer: that one counts.
void leader_election_core::candidate_outrun(time_point now)
{
    if (is_free(now))
        try_soon(now);
    else
        try_later(now);
}

void leader_election_core::acquired(time_point now)
{
    renewed_at_ = sent_at_;
    if (stop_wanted_) return begin_release(now);
    if (now >= leads_until()) return try_later(now);
    ready_.emplace_back(election_step::start_work{known_});
    phase_ = election_phase::leading;
    due_ = request::update;
    next_attempt_ = time_after(sent_at_, settings_.retry_period);
}

void leader_election_core::leader_answered(time_point now, request asked, const result<lease_state>& answer)
{
    if (asked == request::get) {
        if (answer) {
            observe(now, *answer);
            const auto& holder = known_.record.holder;
            // Nobody has taken it since: the update that follows is for this version.
            if (is_ours() || holder.empty()) {
                due_ = request::update;
                return;
            }
            return lose(failure(cond::conflict, "leadership lost: the lease is held by " + printable(holder, shown)));
        }
        if (answer.error() == cond::not_found) {
            due_ = request::create;
            return;
        }
    } else if (answer) {
        observe(sent_at_, *answer);
        if (is_ours()) {
            renewed_at_ = sent_at_;
            must_read_ = false;
            due_ = request::update;
            next_attempt_ = time_after(sent_at_, settings_.retry_period);
            return;
        }
    }
    due_ = request::get;
    // The fast way has failed: the slow one follows at once. When that fails as well, there is a pause.
    if (std::exchange(must_read_, true)) next_attempt_ = time_after(now, settings_.retry_period);
}

void leader_election_core::release_answered(time_point now, request asked, const result<lease_state>& answer)
{
    due_ = request::get;
    if (answer) {
        observe(now, *answer);
        may_hold_ = is_ours();
        if (asked == request::get) due_ = request::update;
        return;
    }
    if (asked == request::get && answer.error() == cond::not_found) may_hold_ = false;
    // The next attempt reads what the other writer made of it.
    if (answer.error() == cond::conflict) return;
    next_attempt_ = time_after(now, settings_.retry_period);
}

void leader_election_core::try_later(time_point now)
{
    due_ = request::get;
    const bool is_held = !is_free(now);
    // A watch shows what happens before the expiry; the rare read is for one that has gone silent.
    const auto pause = watched_ && is_held ? settings_.lease_duration : settings_.retry_period;
    next_attempt_ = time_after(now, scaled(pause, 1 + jitter * next_unit(random_)));
    if (!is_held) return;
    const auto expiry = time_after(changed_at_, validity(known_.record, settings_.lease_duration));
    const auto spread = scaled(settings_.retry_period, spread_at_expiry * next_unit(random_));
    next_attempt_ = std::min(*next_attempt_, time_after(expiry, spread));
}

} // namespace kubecoro::detail
