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
    /// Whether it has happened.
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

/** A wake-up for one coroutine: a notify() is kept until the next wait().

    notify() is thread safe, and cheap when no coroutine waits or the signal is already notified. At most one wait()
    at a time. The coroutine resumes on its own executor. Copies share the same signal. */
class wake_signal
{
public:
    wake_signal();
    /// Wakes the waiter, or the next one to come.
    void notify() const;

    /// Completes once notify() has been called since the last wait(). Errors: cond::cancelled.
    [[nodiscard]] boost::asio::awaitable<result<>> wait() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
