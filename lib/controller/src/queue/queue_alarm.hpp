#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace kubecoro::detail {

/** One timer for all delayed keys of a queue: a single coroutine, started with the first due time.

    Thread safe. */
class queue_alarm : public std::enable_shared_from_this<queue_alarm>
{
public:
    /// Performs what is due and returns the next due time; empty = none until expect(). Runs on a strand of the
    /// executor.
    using action = std::function<std::optional<time_point>()>;

    queue_alarm(boost::asio::any_io_executor executor, std::shared_ptr<time_source> time, action fire,
                task_group::failure_handler on_failure);

    /// Ensures that the action is called at `when` at the latest. After an exception that is not so.
    void expect(time_point when);
    /// Ends the calls, after the one in progress. Idempotent.
    void stop() { tasks_.stop(); }
    /// Completes when the action will not be called any more, after stop().
    [[nodiscard]] boost::asio::awaitable<result<>> ended() { return tasks_.join(); }
    /// Keeps `owner` alive until the action cannot be called any more; call after stop().
    void keep_until_ended(std::shared_ptr<void> owner) { tasks_.keep_until_ended(std::move(owner)); }

private:
    enum class doing
    {
        nothing,
        firing,
        idling,
        timing
    };
    struct presence;
    static boost::asio::awaitable<result<>> run(queue_alarm& self);
    [[nodiscard]] std::optional<time_point> fire();

    kept_executor executor_;
    std::shared_ptr<time_source> time_;
    action fire_;

    std::mutex mutex_;
    doing now_ = doing::nothing;
    /// Set while run() is running: a strand must not outlive its context, as the queue may.
    presence* present_ = nullptr;
    std::optional<time_point> next_;

    task_group tasks_;
};

} // namespace kubecoro::detail
