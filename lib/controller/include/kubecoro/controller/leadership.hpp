#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/lifetime_bound.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace kubecoro {

template<class T>
class controller;
namespace detail {
struct leadership_state;
}

/** The term of a leader, as its work sees it. Thread safe; copies refer to the same term.

    The promise: while the clocks of all candidates run at about the same rate, no two leaders work at the same time,
    as long as the work ends within `lease_duration - renew_deadline` after it was cancelled (docs/guide/election.md has
    the exact bound). A process that was stopped in the middle of its work and continues cannot be helped by a lease: for
    that there is fencing_token(). */
class leadership
{
public:
    /// Made by a leader_elector.
    explicit leadership(std::shared_ptr<detail::leadership_state> state) noexcept : state_(std::move(state)) {}

    /// Identity of the leader: this program.
    [[nodiscard]] const std::string& identity() const noexcept KUBECORO_LIFETIME_BOUND;
    /** A number that grows from leader to leader, also when the Lease is deleted in between: the resource version of the
        write that made this one the leader. A store can keep the largest one and refuse requests with a
        smaller one. 0 if the server's versions are no numbers. Not after a restore of the cluster from a backup. */
    [[nodiscard]] std::uint64_t fencing_token() const noexcept;
    /// How often the Lease has changed hands. Begins again when it is deleted.
    [[nodiscard]] std::int32_t transitions() const noexcept;
    /// The uid of the Lease.
    [[nodiscard]] const std::string& lease_uid() const noexcept KUBECORO_LIFETIME_BOUND;

    /** Completes when the work should end: with success after a stop, with the reason when the leadership is lost. The
        work is then cancelled, at once when it is lost, after the grace period otherwise.

        @par Errors        the reason of the loss; cond::cancelled when the awaiting coroutine is cancelled.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> ending() const;
    /// Success as long as this program leads by its own clock. Cheap: to be asked before each write that matters. Fails with
    /// the reason of the loss, or with cond::timed_out when the last renewal was too long ago.
    [[nodiscard]] result<> check() const;

    /** Runs a controller as the work: starts it, and stops it when the leadership ends. After a loss or a cancellation its
        runs are cancelled at once, otherwise its own grace period applies. Completes when nothing of it runs any more.

        Do not await controller::run() instead: a cancellation ends that wait, but not the controller.
        @par Errors        those of controller::stop().
        @par Cancellation  cancels the runs of the controller; completes when they have ended. */
    [[nodiscard]] boost::asio::awaitable<result<>> run(controller<object>& work) const;

private:
    std::shared_ptr<detail::leadership_state> state_;
};

} // namespace kubecoro
