// Latches and wake-up signals: both wake suspended coroutines from any thread by a bell.
#include <kubecoro/base/latch.hpp>

#include <kubecoro/base/detail/wake_signal.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace asio = boost::asio;

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

namespace kubecoro {

using detail::bell;

struct latch::state
{
    mutable std::mutex mutex;
    bool settled = false;
    result<> outcome;
    /// Rung under the mutex; a sleeper also takes it to leave, so every pointer is valid.
    std::vector<bell*> sleepers;

    [[nodiscard]] bool is_settled() const
    {
        std::lock_guard lock(mutex);
        return settled;
    }
    /// False when the latch is already settled.
    bool enrol(bell& b)
    {
        std::lock_guard lock(mutex);
        if (!settled) sleepers.push_back(&b);
        return !settled;
    }
    void leave(bell& b) noexcept
    {
        std::lock_guard lock(mutex);
        auto at = std::find(sleepers.begin(), sleepers.end(), &b);
        if (at != sleepers.end()) sleepers.erase(at);
    }

    static asio::awaitable<result<>> wait(std::shared_ptr<state> self);
};

latch::latch() : state_(std::make_shared<state>()) {}

bool latch::settle(result<> outcome) const
{
    const auto held = state_; // a resumed waiter may destroy this latch
    std::lock_guard lock(held->mutex);
    if (held->settled) return false;
    held->settled = true;
    held->outcome = std::move(outcome);
    for (bell* const b : held->sleepers) b->ring();
    held->sleepers.clear();
    return true;
}

bool latch::settled() const noexcept { return state_->is_settled(); }

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
        bell& mine;
        ~enrolment() { of.leave(mine); }
    };
    const auto executor = co_await asio::this_coro::executor;
    if (!self->is_settled()) {
        bell mine(executor);
        const enrolment e{*self, mine};
        if (self->enrol(mine)) {
            auto [code] = co_await mine.channel.async_receive(asio::as_tuple(asio::use_awaitable));
            if (code) co_return failure(cond::cancelled);
        }
    }
    std::lock_guard lock(self->mutex);
    co_return self->outcome;
}

} // namespace kubecoro

namespace kubecoro::detail {

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

} // namespace kubecoro::detail
