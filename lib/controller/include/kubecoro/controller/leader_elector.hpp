#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/leader_election_options.hpp>
#include <kubecoro/controller/leadership.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace kubecoro {

namespace detail {
class election_engine;
}

/// The work of a leader. Kept for as long as it runs, so it may have captures.
using leader_work = std::function<boost::asio::awaitable<result<>>(leadership)>;

/** One of several programs of which one works at a time: the holder of a Lease in coordination.k8s.io/v1.

        leader_elector elector(executor, cluster, {.lease = "janitor"});
        auto work = [&](leadership l) { return l.run(sweeper); };     // a controller, or any coroutine
        auto ended = co_await elector.run(work);

    Works with candidates that use client-go. Differs from it in this: the work is awaited, and the Lease is released, or
    left to others, only after it; another holder ends the leadership at once; and candidates watch.

    Informers need no leadership: start them before run(), and a new leader begins with stores that are filled.
    Thread safe. Permissions: get, create and update of the Lease, and watch for a quick take-over. Has one owner, which
    awaits run() or stop() before destroying it. Destroying it while it runs is an error: it is logged, the work is cancelled,
    and it ends as soon as its executor allows. */
class leader_elector
{
public:
    /// @param executor  Runs everything; the work on a strand of its own.
    leader_elector(boost::asio::any_io_executor executor, client cluster, leader_election_options options);
    ~leader_elector();
    leader_elector(leader_elector&&) noexcept;
    leader_elector& operator=(leader_elector&&) = delete;

    /** Becomes a candidate, waits until it leads, and then runs `work` once. Completes when the work has ended and the Lease
        is released. Call it again to be a candidate again; after a stop it completes at once.

        Requests that fail are repeated for ever while it is a candidate; stats() and the log say why.
        @return            The outcome of the work; success after a stop, whatever the work made of its cancellation.
        @par Errors        cond::conflict when another candidate took the Lease, cond::timed_out when it was not renewed in
                           time, cond::misconfigured for options that contradict each other, and while another run() is
                           in progress. Those of the work.
        @par Cancellation  terminal, partial, total: cancels the work at once. Completes when that has ended and the Lease
                           is released, which may take until `renew_deadline`. */
    [[nodiscard]] boost::asio::awaitable<result<>> run(leader_work work);

    /** Ends the election for good. A leader's work may end within the grace period, then it is cancelled; then the Lease
        is released. Completes when nothing runs any more. Idempotent. Must not be awaited by the work: use request_stop().

        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// Begins stop() without waiting.
    void request_stop();
    /// request_stop() without a grace period: the work is cancelled at once. Also after request_stop().
    void request_stop_at_once();

    /** Completes when this candidate leads; at once if it does. For parts that begin with the leadership.

        @par Errors        cond::cancelled after a stop.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> leading() const;
    /** Completes with the identity of a leader other than `known`; at once if there is one.

        @param known       The one that the caller knows; empty = none.
        @par Errors        cond::cancelled after a stop.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<std::string>> new_leader(kept_text known = {}) const;

    /// Whether this candidate leads at present, by its own clock.
    [[nodiscard]] bool leads() const;
    /// The identity of this candidate.
    [[nodiscard]] const std::string& identity() const noexcept KUBECORO_LIFETIME_BOUND;
    /** For a liveness check: fails if this program still works as a leader although its Lease expired `tolerance` ago. That is
        the case when the work does not end after its cancellation. */
    [[nodiscard]] result<> healthy(duration tolerance = std::chrono::seconds{0}) const;
    /// A picture of the present state.
    [[nodiscard]] leader_stats stats() const;
    /// A human-readable summary in one line.
    [[nodiscard]] std::string describe() const;

private:
    std::shared_ptr<detail::election_engine> engine_;
};

} // namespace kubecoro
