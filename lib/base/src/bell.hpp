// Shared by latch and wake_signal: wakes one suspended coroutine from any thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>

#include <memory>
#include <shared_mutex>

namespace kubecoro::detail {

/// Whether an execution context still runs. A notifier outside it holds the lock shared, which delays the context's
/// end.
struct lifetime
{
    std::shared_mutex mutex;
    bool over = false;
};

/** Records the end of its execution context.

    A context that is destroyed with coroutines in it destroys their operations first and then the coroutines, one by
    one; their destructors may notify a waiter whose operation is already destroyed. Created after the channel's own
    service and therefore shut down before it. */
class liveness : public boost::asio::execution_context::service
{
public:
    using key_type = liveness;
    static boost::asio::execution_context::id id;

    explicit liveness(boost::asio::execution_context& context) : service(context) {}
    [[nodiscard]] const std::shared_ptr<lifetime>& of_context() const noexcept { return lifetime_; }

private:
    void shutdown() override
    {
        std::lock_guard lock(lifetime_->mutex);
        lifetime_->over = true;
    }
    const std::shared_ptr<lifetime> lifetime_ = std::make_shared<lifetime>();
};
inline boost::asio::execution_context::id liveness::id;

/** The channel on which one suspended coroutine waits: a local of that coroutine, so that the notifying side never
    owns or destroys anything of the coroutine's context.

    An Asio channel, because then the coroutine belongs to its execution context like every other operation: it is
    destroyed with the context, and no latch ever owns a coroutine. */
class bell
{
public:
    using channel_type =
        boost::asio::experimental::concurrent_channel<boost::asio::any_io_executor, void(boost::system::error_code)>;

    explicit bell(const boost::asio::any_io_executor& executor)
        : channel(executor, 1),
          context_(boost::asio::use_service<liveness>(boost::asio::query(executor, boost::asio::execution::context))
                       .of_context())
    {
    }
    bell(const bell&) = delete;
    bell& operator=(const bell&) = delete;

    /// Never resumes the coroutine inside the call: the channel posts.
    void ring()
    {
        std::shared_lock lock(context_->mutex);
        if (!context_->over) channel.try_send(boost::system::error_code{});
    }

    channel_type channel;

private:
    std::shared_ptr<lifetime> context_;
};

} // namespace kubecoro::detail
