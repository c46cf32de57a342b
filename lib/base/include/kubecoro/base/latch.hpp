#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace kubecoro {

/** A result that is set once and that any number of coroutines may await, before or after it is set: has_synced,
    stopped, ready.

    Thread safe; waiters resume on their own executors. The first settle() wins. Copies share the same latch. */
class latch
{
public:
    latch();

    /// Settles the latch; later calls do nothing. Never runs a waiter inside the call.
    /// @return whether this call settled the latch.
    bool settle(result<> outcome) const;
    /// True once settle() was called.
    [[nodiscard]] bool settled() const noexcept;
    /// The outcome; success while not settled.
    [[nodiscard]] result<> outcome() const;

    /** Completes when the latch is settled, with its outcome.

        @par Errors        the outcome's failure; cond::cancelled when the awaiting coroutine is cancelled.
        @par Cancellation  terminal, partial, total: no effect on the latch or other waiters. */
    [[nodiscard]] boost::asio::awaitable<result<>> wait() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
