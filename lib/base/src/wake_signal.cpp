#include <kubecoro/base/wake_signal.hpp>

#include "bell.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <mutex>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

using detail::bell;

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
    /// Rung under the mutex; the sleeper also takes it to leave, so the pointer is valid.
    bell* sleeper = nullptr;

    void put(bell* b)
    {
        std::lock_guard lock(mutex);
        sleeper = b;
    }
    void ring()
    {
        std::lock_guard lock(mutex);
        if (auto* const b = std::exchange(sleeper, nullptr)) b->ring();
    }
    /// Called when the sleeper ends, notified or not; a notification that it did not consume stays for the next wait().
    void leave() noexcept
    {
        int expected = waiting;
        now.compare_exchange_strong(expected, idle);
        put(nullptr);
    }

    static asio::awaitable<result<>> wait(std::shared_ptr<state> self);
};

wake_signal::wake_signal() : state_(std::make_shared<state>()) {}

void wake_signal::notify() const
{
    // Always a read-modify-write, even when already notified: the caller's earlier writes must be visible to the
    // coroutine that consumes this notification.
    if (state_->now.exchange(state::notified, std::memory_order_acq_rel) != state::waiting) return;
    const auto held = state_; // the resumed coroutine may destroy this signal
    held->ring();
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
    bell mine(executor);
    const stay s{*self};
    self->put(&mine);
    expected = idle;
    if (self->now.compare_exchange_strong(expected, waiting)) {
        auto [code] = co_await mine.channel.async_receive(asio::as_tuple(asio::use_awaitable));
        if (code) co_return failure(cond::cancelled);
    }
    self->now.exchange(idle, std::memory_order_acq_rel);
    co_return result<>{};
}

} // namespace kubecoro
