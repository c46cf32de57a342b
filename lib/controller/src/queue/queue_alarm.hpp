#pragma once

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace kubecoro::detail {

/** One timer for all that waits in a queue: one coroutine, begun with the first moment to wait for.

    Thread safe. */
class queue_alarm : public std::enable_shared_from_this<queue_alarm>
{
public:
    /// Does what is due and says when to be called next; empty = not before expect(). Runs on a strand of the executor.
    using action = std::function<std::optional<time_point>()>;

    queue_alarm(boost::asio::any_io_executor executor, std::shared_ptr<time_source> time, logger log, action fire);

    /// The action is to be called at `when` at the latest.
    void expect(time_point when);
    /// No more calls once the one in progress has ended. Idempotent.
    void stop() { tasks_.stop(); }
    /// Completes when the action is not called any more, after stop().
    [[nodiscard]] boost::asio::awaitable<result<>> ended() { return tasks_.join(); }
    /// Keeps what the action refers to until it cannot be called any more; after stop().
    void keep_until_ended(std::shared_ptr<void> owner) { tasks_.keep_until_ended(std::move(owner)); }

private:
    enum class doing
    {
        nothing,
        firing,
        idling,
        timing
    };
    static boost::asio::awaitable<result<>> run(queue_alarm& self);
    [[nodiscard]] std::optional<time_point> fire();

    kept_executor executor_;
    std::shared_ptr<time_source> time_;
    action fire_;
    wake_signal wake_;
    /// Only on the strand; null while run() does not run.
    timer* timer_ = nullptr;

    std::mutex mutex_;
    doing now_ = doing::nothing;
    /// Of run() while it runs: a strand must not outlive its context, as the queue may.
    std::optional<boost::asio::any_io_executor> strand_;
    std::optional<time_point> next_;

    task_group tasks_;
};

} // namespace kubecoro::detail
