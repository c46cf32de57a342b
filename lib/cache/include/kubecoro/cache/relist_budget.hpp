#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace kubecoro {

namespace detail {
inline constexpr std::size_t relists_at_once = 8;
inline constexpr duration relist_spread = std::chrono::milliseconds{200};
} // namespace detail

/** Limits how many informers relist at the same time, for example after a restart of the server.

    First come, first served. The very first list of an informer needs no turn, so that a healthy start is not slowed;
    every list after a failure does. An informer that waits for its turn is in informer_state::queued. Each factory has
    a budget of its own; pass the same one to several factories through factory_options::relists to limit a whole
    process. A turn that lasts more than 30 s no longer counts: one hanging server (an aggregated API) must not block the
    relists of all others. A handle: copies share the budget. Thread safe. */
class relist_budget
{
public:
    /// @param at_once  Number of concurrent relists. 0 = unlimited.
    /// @param spread   Each turn starts after a random delay up to this, so that programs that lost the same server do not
    ///                 return in lockstep. 0 = no delay.
    /// @param time     Null = real_clock().
    /// @param seed     Seed of the spread. Empty = random.
    explicit relist_budget(std::size_t at_once = detail::relists_at_once,
                           saturating_duration spread = detail::relist_spread, std::shared_ptr<time_source> time = {},
                           std::optional<std::uint64_t> seed = {});

    /// The right to list; given back on destruction.
    class turn;

    /** Completes when it is the caller's turn.

        @par Errors        cond::cancelled.
        @par Cancellation  terminal, partial, total: gives up the place in the queue.
        @par Executor      the caller's must be serialised (a strand, or a context with one thread). */
    [[nodiscard]] boost::asio::awaitable<result<turn>> take() const;

    /// Number of turns that count, and of informers that wait for one.
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
    /// Takes the turn over; `other` then holds none.
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
