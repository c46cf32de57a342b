#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace kubecoro::detail {

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

} // namespace kubecoro::detail
