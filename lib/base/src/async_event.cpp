#include <kubecoro/base/async_event.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/** Knows whether its execution context still runs.

    A context that is destroyed with coroutines in it destroys their operations first and the coroutines, one by one,
    then; what they do on their way out may notify somebody whose operation is gone already. Made after the channel's own
    service and therefore shut down before it. */
class liveness : public asio::execution_context::service
{
public:
    using key_type = liveness;
    static asio::execution_context::id id;

    explicit liveness(asio::execution_context& context) : service(context) {}
    [[nodiscard]] const std::shared_ptr<std::atomic<bool>>& alive() const noexcept { return alive_; }

private:
    void shutdown() override { *alive_ = false; }
    std::shared_ptr<std::atomic<bool>> alive_ = std::make_shared<std::atomic<bool>>(true);
};
asio::execution_context::id liveness::id;

/** What one suspended coroutine sleeps on.

    Asio's own channel, because then the coroutine belongs to its execution context like every other operation: it is
    destroyed with the context, and no latch ever owns a coroutine. */
struct bell
{
    using channel_type = asio::experimental::concurrent_channel<asio::any_io_executor, void(boost::system::error_code)>;

    explicit bell(const asio::any_io_executor& executor)
        : channel(executor, 1),
          alive(asio::use_service<liveness>(asio::query(executor, asio::execution::context)).alive())
    {
    }
    channel_type channel;
    std::shared_ptr<std::atomic<bool>> alive;
};

std::shared_ptr<bell> make_bell(const asio::any_io_executor& executor) { return std::make_shared<bell>(executor); }

/// Never runs the sleeper inside the call: the channel posts.
void ring(bell& b)
{
    if (*b.alive) b.channel.try_send(boost::system::error_code{});
}

} // namespace

struct latch::state
{
    mutable std::mutex mutex;
    bool settled = false;
    result<> outcome;
    std::vector<std::shared_ptr<bell>> sleepers;

    /// Null when there is nothing to wait for.
    std::shared_ptr<bell> enrol(const asio::any_io_executor& executor)
    {
        std::lock_guard lock(mutex);
        if (settled) return nullptr;
        return sleepers.emplace_back(make_bell(executor));
    }
    void leave(const std::shared_ptr<bell>& b) noexcept
    {
        std::lock_guard lock(mutex);
        auto at = std::find(sleepers.begin(), sleepers.end(), b);
        if (at != sleepers.end()) sleepers.erase(at);
    }

    static asio::awaitable<result<>> wait(std::shared_ptr<state> self);
};

latch::latch() : state_(std::make_shared<state>()) {}

bool latch::settle(result<> outcome) const
{
    std::vector<std::shared_ptr<bell>> sleepers;
    {
        std::lock_guard lock(state_->mutex);
        if (state_->settled) return false;
        state_->settled = true;
        state_->outcome = std::move(outcome);
        sleepers.swap(state_->sleepers);
    }
    for (const auto& b : sleepers) ring(*b);
    return true;
}

bool latch::settled() const noexcept
{
    std::lock_guard lock(state_->mutex);
    return state_->settled;
}

result<> latch::outcome() const
{
    std::lock_guard lock(state_->mutex);
    return state_->outcome;
}

asio::awaitable<result<>> latch::wait() const { return state::wait(state_); }

asio::awaitable<result<>> latch::state::wait(std::shared_ptr<state> self)
{
    struct enrolment
    {
        state& of;
        std::shared_ptr<bell> b;
        ~enrolment()
        {
            if (b) of.leave(b);
        }
    };
    const auto executor = co_await asio::this_coro::executor;
    enrolment e{*self, self->enrol(executor)};
    if (e.b) {
        auto [code] = co_await e.b->channel.async_receive(asio::as_tuple(asio::use_awaitable));
        if (code) co_return failure(cond::cancelled);
    }
    std::lock_guard lock(self->mutex);
    co_return self->outcome;
}

struct wake_signal::state
{
    enum : int
    {
        idle,
        notified,
        waiting
    };
    std::atomic<int> now{idle};
    std::mutex mutex;
    std::shared_ptr<bell> sleeper;

    void put(std::shared_ptr<bell> b)
    {
        std::lock_guard lock(mutex);
        sleeper = std::move(b);
    }
    std::shared_ptr<bell> take()
    {
        std::lock_guard lock(mutex);
        return std::move(sleeper);
    }
    /// The sleeper is gone, woken or not; a notification that it did not consume stays for the next wait.
    void leave() noexcept
    {
        int expected = waiting;
        now.compare_exchange_strong(expected, idle);
        take();
    }

    static asio::awaitable<result<>> wait(std::shared_ptr<state> self);
};

wake_signal::wake_signal() : state_(std::make_shared<state>()) {}

void wake_signal::notify() const
{
    // Always a read-modify-write, also when already notified: what the caller wrote before must be seen by the
    // coroutine that consumes this notification.
    if (state_->now.exchange(state::notified, std::memory_order_acq_rel) != state::waiting) return;
    if (auto b = state_->take()) ring(*b);
}

asio::awaitable<result<>> wake_signal::wait() const { return state::wait(state_); }

asio::awaitable<result<>> wake_signal::state::wait(std::shared_ptr<state> self)
{
    struct stay
    {
        state& of;
        ~stay() { of.leave(); }
    };
    int expected = notified;
    if (self->now.compare_exchange_strong(expected, idle)) co_return result<>{};
    const auto executor = co_await asio::this_coro::executor;
    const auto b = make_bell(executor);
    stay s{*self};
    self->put(b);
    expected = idle;
    if (self->now.compare_exchange_strong(expected, waiting)) {
        auto [code] = co_await b->channel.async_receive(asio::as_tuple(asio::use_awaitable));
        if (code) co_return failure(cond::cancelled);
    }
    self->now.exchange(idle, std::memory_order_acq_rel);
    co_return result<>{};
}

} // namespace kubecoro
