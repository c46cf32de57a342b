#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/key_share.hpp>
#include <kubecoro/controller/shard_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace kubecoro {

namespace detail {
class shard_engine;
}

/** One of several programs that divide the keys of their controllers among them.

        shard_member janitor(executor, cluster, {.group = "janitor"});
        controller sweeper(executor, sweep, {.name = "sweeper", .share = janitor.share()});
        auto ended = co_await janitor.run();      // until stop()

    Each key belongs to one member, by rendezvous hashing: a member that comes or goes moves its own share only. A key that
    moves is worked on by its new member after the runs of the old one have ended, or its Lease has run out: never two work on
    one key, as far as leases can promise (docs/guide/shards.md has the bound). Keys that come are queued from the stores.

    Thread safe. Permissions for `leases` in the namespace: list, create, update, delete, and watch for quick hand-overs. Has one
    owner, which awaits run() or stop() before destroying it. Destroying it while it runs is an error: it is logged, runs are
    cancelled, and it ends as soon as its executor allows. */
class shard_member
{
public:
    /// @param executor  Runs everything of it, on a strand.
    shard_member(boost::asio::any_io_executor executor, client cluster, shard_options options);
    ~shard_member();
    shard_member(shard_member&&) noexcept;
    shard_member& operator=(shard_member&&) = delete;

    /// The keys of this member, for controller_options::share.
    [[nodiscard]] key_share share() const;

    /** Joins the group and remains a member until stop(). A member whose Lease was deleted ends its runs and joins again;
        requests that fail are repeated for ever; stats() and the log say why. Completes when it has left.

        @par Errors        cond::misconfigured for options that contradict each other, and while another run() is in progress.
        @par Cancellation  terminal, partial, total: as stop(), without a grace period. Completes when it has left. */
    [[nodiscard]] boost::asio::awaitable<result<>> run();
    /** Leaves the group for good: runs may end within the grace period, then they are cancelled; then the Lease is deleted.
        Completes when nothing runs any more. Idempotent. Must not be awaited by a run: use request_stop().

        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// Begins stop() without waiting.
    void request_stop();
    /// request_stop() without a grace period: runs are cancelled at once. Also after request_stop().
    void request_stop_at_once();

    /** Completes when this member has joined and works on all its keys; at once if it does.

        @par Errors        cond::cancelled after a stop.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> settled() const;

    /// The name of this member.
    [[nodiscard]] const std::string& identity() const noexcept;
    /** For a liveness check: fails if runs go on although the Lease expired `tolerance` ago. That is the case when they do not
        end after their cancellation. */
    [[nodiscard]] result<> healthy(duration tolerance = std::chrono::seconds{0}) const;
    /// A picture of the present state.
    [[nodiscard]] shard_stats stats() const;
    /// A human-readable summary in one line.
    [[nodiscard]] std::string describe() const;

private:
    std::shared_ptr<detail::shard_engine> engine_;
};

} // namespace kubecoro
