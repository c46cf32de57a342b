#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace kubecoro {

/// Options of a relist_budget.
struct relist_budget_options
{
    /// Relists at the same time. 0 = any number.
    std::size_t at_once = 8;
    /// Each turn begins up to this much later, at random, so that programs that lost the same server do not come back in
    /// step. 0 = at once.
    duration spread = std::chrono::milliseconds{200};
    /// A turn that lasts longer no longer counts: one server that hangs (an aggregated API) must not hold up the relists
    /// of all others. 0 = it counts as long as it lasts.
    duration longest = std::chrono::seconds{30};
};

/** How many informers may list again at the same time: after a restart of the server all of them want to.

    First come, first served. The very first list of an informer needs no turn, so that a healthy start is not slowed;
    whatever follows a failure does. An informer that waits for its turn shows informer_state::queued. Each factory has one of
    its own; give several factories the same through factory_options::relists to bound a whole process. A handle: copies
    share the budget. Thread safe. */
class relist_budget
{
public:
    /// @param time  Null = real_clock().
    /// @param seed  Of the spread.
    explicit relist_budget(relist_budget_options options = {}, std::shared_ptr<time_source> time = {},
                           std::uint64_t seed = 1);

    /// The right to list: given back when it is destroyed.
    class turn;

    /** Completes when it is the caller's turn.

        @par Errors        cond::cancelled.
        @par Cancellation  terminal, partial, total: the place in the queue is given up.
        @par Executor      the caller's must be serialised (a strand, or a context with one thread). */
    [[nodiscard]] boost::asio::awaitable<result<turn>> take() const;

    /// Turns that count, and informers that wait for one.
    [[nodiscard]] std::size_t running() const;
    /// Informers that wait for a turn.
    [[nodiscard]] std::size_t waiting() const;

private:
    struct state;
    [[nodiscard]] static boost::asio::awaitable<result<turn>> take(std::shared_ptr<state> self);
    std::shared_ptr<state> state_;
};

/// Permission for one relist, given back by its destructor.
class relist_budget::turn
{
public:
    turn(turn&& other) noexcept : state_(std::move(other.state_)), ticket_(other.ticket_) {}
    turn& operator=(turn&& other) noexcept
    {
        std::swap(state_, other.state_);
        std::swap(ticket_, other.ticket_);
        return *this;
    }
    ~turn();

private:
    friend class relist_budget;
    turn(std::shared_ptr<state> s, std::uint64_t ticket) noexcept : state_(std::move(s)), ticket_(ticket) {}

    std::shared_ptr<state> state_;
    std::uint64_t ticket_;
};

} // namespace kubecoro
