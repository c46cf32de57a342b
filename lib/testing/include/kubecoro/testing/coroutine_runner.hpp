#pragma once

#include <kubecoro/base/guard.hpp>
#include <kubecoro/base/random.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::testing {

/// When a runner gives up on a coroutine that never ends.
struct run_limits
{
    /// Handlers that may run.
    std::size_t handlers = 10'000'000;
    /// Virtual time.
    duration time = std::chrono::hours{24 * 30};
};

namespace detail {

struct task_core
{
    bool done = false;
    std::function<void(boost::asio::cancellation_type)> cancel;
};

} // namespace detail

/// A coroutine started by runner::spawn. Copies share it; dropping all of them does not stop it.
template<class T>
class task
{
public:
    /// Whether the coroutine has ended.
    [[nodiscard]] bool done() const noexcept { return state_->core.done; }
    /// Only when done. An exception shows as the failure it stands for.
    [[nodiscard]] result<T>& outcome() const { return *state_->value; }
    /// At once. Nothing when done, or never started.
    void cancel(boost::asio::cancellation_type how = boost::asio::cancellation_type::terminal) const
    {
        if (state_->core.cancel) state_->core.cancel(how);
    }

private:
    friend class runner;
    struct state
    {
        detail::task_core core;
        std::optional<result<T>> value;
    };
    std::shared_ptr<state> state_ = std::make_shared<state>();
};

/// Which of the ready handlers runs next.
enum class ready_order
{
    /// The one that became ready first.
    fifo,
    /// One drawn by the runner's seed, as several threads might take them. A strand keeps the order of its own handlers.
    shuffled
};

/** Runs coroutines on one thread, in virtual time, the same way every time.

    Handlers run in the order in which they became ready, or in one drawn from the seed; when none is ready, time jumps
    to the next timer. Never sleeps. Not thread safe. What it runs must not use sockets or real timers. */
class runner
{
public:
    explicit runner(std::uint64_t seed = 1, ready_order order = ready_order::fifo);
    /// Destroys every coroutine that has not ended.
    ~runner();
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;

    /// Runs its own handlers in their order; `executor()` is what follows `ready_order`.
    [[nodiscard]] boost::asio::io_context& context() noexcept;
    /// The executor on which everything runs.
    [[nodiscard]] boost::asio::any_io_executor executor() const noexcept { return executor_; }
    /// The virtual clock.
    [[nodiscard]] virtual_clock& clock() noexcept { return *clock_; }
    /// The same clock, for owners.
    [[nodiscard]] const std::shared_ptr<virtual_clock>& shared_clock() const noexcept { return clock_; }
    /// For what a test draws by chance; seeded by the constructor.
    [[nodiscard]] random_source& random() noexcept { return random_; }

    /// Starts a coroutine; it takes its first step with the next call that runs handlers.
    template<class T>
    task<T> spawn(boost::asio::awaitable<result<T>> body)
    {
        task<T> t;
        std::shared_ptr<typename task<T>::state> s = t.state_;
        start(keep<T>(std::move(body), s), std::shared_ptr<detail::task_core>(s, &s->core),
              [s](const failure& f) { s->value = f; });
        return t;
    }

    /** Runs until this coroutine has ended, other coroutines and time along with it.

        When nothing is ready, no timer runs and it has not ended, or a limit is passed, it is cancelled and the answer
        is cond::internal with a message that says so. */
    template<class T>
    result<T> run(boost::asio::awaitable<result<T>> body, run_limits limits = run_limits())
    {
        auto t = spawn(std::move(body));
        const auto ended = run_until([&t] { return t.done(); }, limits);
        if (ended) return std::move(t.outcome());
        t.cancel();
        run_until_idle();
        return failure(cond::internal, ended.error().message());
    }

    /// Runs and moves time until `reached()`. Errors: cond::internal when it cannot be reached any more or a limit is
    /// passed.
    result<> run_until(const std::function<bool()>& reached, run_limits limits = run_limits());
    /// Runs what is ready, and what that makes ready; time stands still.
    void run_until_idle();
    /// Runs for so long in virtual time, and what is ready then.
    void advance(duration d);
    /// Runs up to `handlers` handlers, moving time when none is ready. @return how many ran; fewer when all is quiet.
    std::size_t step(std::size_t handlers);

    /// Cancels that coroutine when `handlers` more have run, wherever it stands then.
    template<class T>
    void cancel_after(std::size_t handlers, const task<T>& t, boost::asio::cancellation_type how)
    {
        cancel_at(handlers_ + handlers, [t, how] { t.cancel(how); });
    }

    /// Handlers run so far.
    [[nodiscard]] std::size_t handlers() const noexcept { return handlers_; }

    /// Destroys every coroutine where it stands, as the end of a program would. Nothing can run afterwards.
    void destroy_coroutines();

private:
    class context_type;

    template<class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<result<T>> body,
                                             std::shared_ptr<typename task<T>::state> s)
    {
        const auto begun = co_await boost::asio::this_coro::cancellation_state;
        if (begun.cancelled() != boost::asio::cancellation_type::none) {
            s->value.emplace(failure(cond::cancelled));
            co_return;
        }
        // Every kind of cancellation gets through: what is run decides.
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::enable_total_cancellation());
        auto outcome = co_await std::move(body);
        s->value.emplace(std::move(outcome));
    }
    void start(boost::asio::awaitable<void> body, std::shared_ptr<detail::task_core> core,
               std::function<void(const failure&)> failed);
    bool run_one();
    void cancel_at(std::size_t handlers, std::function<void()> cancel);

    std::shared_ptr<virtual_clock> clock_;
    random_source random_;
    ready_order order_;
    std::unique_ptr<context_type> context_;
    boost::asio::any_io_executor executor_;
    std::size_t handlers_ = 0;
    std::multimap<std::size_t, std::function<void()>> cancellations_;
};

} // namespace kubecoro::testing
