#pragma once

#include "election/lease_record.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>

namespace kubecoro::detail {

namespace election_step {

/// Nothing to do until that time, if there is one, or the next input.
struct wait
{
    std::optional<time_point> until;
};
/// Read the Lease. Give up after `limit`.
struct get
{
    duration limit;
};
/// Create the Lease, if there is none.
struct create
{
    lease_change what;
    duration limit;
};
/// Replace the Lease that was read or written last, if it is still at that version.
struct update
{
    lease_change what;
    duration limit;
};
/// Cancel the request in flight. Its answer is an input all the same.
struct abandon_request
{
};
/// A holder that was not known before.
struct announce
{
    std::string leader;
};
/// This candidate leads: start the work. `lease` is what it wrote.
struct start_work
{
    lease_state lease;
};
/// Tell the work that it should end. A failure says why the leadership is lost.
struct end_work
{
    result<> why;
};
/// Cancel the work.
struct cancel_work
{
};
/// The work of a leader has ended.
struct step_down
{
};
/// Nothing is left to do.
struct finish
{
    result<> outcome;
};

using any = std::variant<wait, get, create, update, abandon_request, announce, start_work, end_work, cancel_work,
                         step_down, finish>;

} // namespace election_step

/// The phases of a candidate.
enum class election_phase
{
    candidate,
    leading,
    /// Leads, but the work was asked to end.
    ending,
    /// Does not lead any more; the work has not ended.
    lost,
    releasing,
    over
};

/** The decisions of one candidate in an election by a Lease. Sans-io, not thread safe.

    After every input, and when a wait has expired, call next() until it returns wait or finish. One request at a time:
    each get, create and update is followed by one answered().

    A record is valid for its own duration after it last changed, by the local clock. The leader counts from the time at
    which it sent its last successful write, and no longer leads `renew_deadline` after it, whatever the others see. */
class leader_election_core
{
public:
    struct settings
    {
        std::string identity;
        duration lease_duration;
        duration renew_deadline;
        duration retry_period;
        duration request_limit;
        /// How long the work may take to end after stop(). 0 = it is cancelled at once.
        duration grace;
        bool release;
    };

    leader_election_core(settings s, std::uint64_t seed) : settings_(std::move(s)), random_(seed) {}

    // ---- inputs
    /// The answer to the request in flight: the Lease as it is now, or the failure.
    void answered(time_point now, const result<lease_state>& answer);
    /// The request in flight has ended without an answer, or answered() has thrown.
    void unanswered(time_point now) noexcept;
    /// A watch shows the Lease. Without effect on a leader, which learns from its own writes.
    void seen(time_point now, const lease_state& lease);
    /// A watch shows that the Lease was deleted.
    void seen_deleted(time_point now);
    /// Whether a watch would show a change at once. Without one a candidate reads the Lease again and again.
    void watched(bool on) noexcept { watched_ = on; }
    /// Ends the election: the work gets the grace period, then it is cancelled.
    void stop(time_point now);
    /// The same without a grace period.
    void stop_at_once(time_point now);
    void work_ended(time_point now) noexcept;

    // ---- output
    [[nodiscard]] election_step::any next(time_point now);

    [[nodiscard]] election_phase phase() const noexcept { return phase_; }
    /// The holder that was seen last; empty = none.
    [[nodiscard]] const std::string& leader() const noexcept { return known_.record.holder; }
    /// The Lease as it was seen last; its version is empty if there was none.
    [[nodiscard]] const lease_state& lease() const noexcept { return known_; }
    /// When the leadership ends unless the Lease is renewed before.
    [[nodiscard]] time_point leads_until() const noexcept;
    /// When others may take the Lease, by the last write that succeeded.
    [[nodiscard]] time_point lease_expires() const noexcept;
    /// Renewals that took a read, since the fast way failed.
    [[nodiscard]] std::uint64_t slow_renewals() const noexcept { return slow_renewals_; }
    /// Leaders that were announced.
    [[nodiscard]] std::uint64_t leaders_seen() const noexcept { return leaders_seen_; }
    /// The failure of the last request; empty after a success.
    [[nodiscard]] const std::optional<failure>& trouble() const noexcept { return trouble_; }

private:
    enum class request
    {
        none,
        get,
        create,
        update
    };

    // leader_election_core.cpp
    [[nodiscard]] static duration scaled(duration d, double factor) noexcept;
    void observe(time_point changed, const lease_state& lease);
    /// An earlier state than one that was seen after the request had been sent. A read is not older than what was seen before
    /// it: with a lower version it is of a server that was restored from a backup.
    [[nodiscard]] bool is_stale(const lease_state& lease) const noexcept;
    [[nodiscard]] bool is_free(time_point now) const noexcept;
    [[nodiscard]] bool is_ours() const noexcept { return known_.record.holder == settings_.identity; }
    [[nodiscard]] lease_change renewal() const;
    [[nodiscard]] lease_change release() const;
    [[nodiscard]] election_step::any send(time_point now);
    [[nodiscard]] election_step::any request_to_send(time_point now) const;
    [[nodiscard]] duration limit(time_point now) const noexcept;
    void lose(failure why);
    void begin_release(time_point now) noexcept;
    void try_soon(time_point now);
    [[nodiscard]] election_step::any as_candidate(time_point now);
    [[nodiscard]] election_step::any as_leader(time_point now);
    [[nodiscard]] election_step::any while_releasing(time_point now);
    [[nodiscard]] bool leads() const noexcept
    {
        return phase_ == election_phase::leading || phase_ == election_phase::ending;
    }

    // election_answers.cpp
    void candidate_answered(time_point now, request asked, const result<lease_state>& answer);
    void candidate_outrun(time_point now);
    void leader_answered(time_point now, request asked, const result<lease_state>& answer);
    void release_answered(time_point now, request asked, const result<lease_state>& answer);
    void try_later(time_point now);
    void acquired(time_point now);

    settings settings_;
    random_source random_;
    election_phase phase_ = election_phase::candidate;
    std::deque<election_step::any> ready_;

    lease_state known_;
    time_point changed_at_{};
    std::string announced_;

    /// Sent next, once it is time.
    request due_ = request::get;
    request in_flight_ = request::none;
    time_point sent_at_{};
    /// When the last write was sent, whatever became of it.
    time_point wrote_at_{};
    std::optional<time_point> next_attempt_;
    /// The last attempt to renew has failed.
    bool must_read_ = false;
    /// A write of ours may have made us the holder.
    bool may_hold_ = false;
    bool watched_ = false;
    bool stop_wanted_ = false;
    bool step_down_due_ = false;
    bool abandoned_ = false;
    /// A watch has shown that the Lease was deleted since the request in flight was sent.
    bool outdated_ = false;
    /// A watch has shown the Lease since then.
    bool seen_meanwhile_ = false;

    time_point renewed_at_{};
    std::optional<time_point> cancel_at_;
    time_point release_until_{};
    result<> outcome_;
    std::optional<failure> trouble_;
    std::uint64_t slow_renewals_ = 0;
    std::uint64_t leaders_seen_ = 0;
};

} // namespace kubecoro::detail
