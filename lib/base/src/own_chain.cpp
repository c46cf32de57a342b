#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/latch.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <atomic>
#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

/// Shared with the completion of the loop, because either side may be destroyed first when their context ends.
struct own_chain::state
{
    asio::cancellation_signal signal;
    std::atomic<bool> cancelled{false};
    latch ended;

    void cancel()
    {
        cancelled = true;
        signal.emit(asio::cancellation_type::terminal);
    }

    static asio::awaitable<result<>> run(std::shared_ptr<state> self, asio::awaitable<result<>> loop);
    static asio::awaitable<result<>> join(std::shared_ptr<state> self, bool cancelled);
};

own_chain::own_chain() : state_(std::make_shared<state>()) {}

asio::awaitable<result<>> own_chain::run(asio::awaitable<result<>> loop) const
{
    return state::run(state_, std::move(loop));
}

bool own_chain::cancelled() const noexcept { return state_->cancelled; }

/// On the caller's executor, never on another strand: Asio 1.81 forwards a cancellation to another executor through a
/// pointer into the waiting operation, which dangles if that operation has completed by then.
asio::awaitable<result<>> own_chain::state::run(std::shared_ptr<state> self, asio::awaitable<result<>> loop)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto before = co_await asio::this_coro::cancellation_state;
    const bool in_clean_up = before.cancelled() != asio::cancellation_type::none;
    auto completed = [self](const std::exception_ptr& thrown, result<> outcome) {
        self->ended.settle(thrown ? result<>(to_failure(thrown)) : std::move(outcome));
    };
    asio::co_spawn(executor, catch_failure(std::move(loop)),
                   asio::bind_cancellation_slot(self->signal.slot(), std::move(completed)));
    const auto after = co_await asio::this_coro::cancellation_state; // the loop has begun inside the call
    co_return co_await finishing(join(self, !in_clean_up && after.cancelled() != asio::cancellation_type::none));
}

asio::awaitable<result<>> own_chain::state::join(std::shared_ptr<state> self, bool cancelled)
{
    while (!self->ended.settled()) {
        if (cancelled) self->cancel();
        (void)co_await self->ended.wait();
        cancelled = true; // unless it has ended
    }
    co_return self->ended.outcome();
}

} // namespace kubecoro::detail
