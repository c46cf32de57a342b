#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/random.hpp>
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

/// Limits after which a runner cancels a coroutine that does not end.
struct run_limits
{
    /// Handlers that may run.
    std::size_t handlers = 10'000'000;
    /// Virtual time.
    saturating_duration time = std::chrono::hours{24 * 30};
};

namespace detail {

/// The part of a task that does not depend on the type of its result.
struct task_core
{
    /// Whether the coroutine has ended.
    bool done = false;
    /// Cancels the coroutine; empty before runner::spawn() and after the end of the coroutine.
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
    /// The coroutine's result; only when done. An exception is converted to a failure.
    [[nodiscard]] result<T>& outcome() const { return *state_->value; }
    /// Cancels the coroutine at once. Does nothing when it is done or was never started.
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

/// The order in which ready handlers run.
enum class ready_order
{
    /// The order in which they became ready.
    fifo,
    /// An order drawn from the runner's seed, like that of several threads. Strands keep the order of their handlers.
    shuffled
};

/** Runs coroutines on one thread, in virtual time, deterministically.

    Handlers run in the order in which they became ready, or in an order drawn from the seed; when none is ready, time
    jumps to the next timer. Never sleeps. Not thread safe. Its coroutines must not use sockets or real timers. */
class runner
{
public:
    /// @param seed  Seeds random(), and the order of handlers with ready_order::shuffled.
    explicit runner(std::uint64_t seed = 1, ready_order order = ready_order::fifo);
    /// The same with a clock that several runners share, which are several programs to one test. Their owner lets time pass
    /// when run_ready() finds nothing in any of them. @param clock  Not null.
    runner(std::uint64_t seed, ready_order order, std::shared_ptr<virtual_clock> clock);
    /// Destroys every coroutine that has not ended.
    ~runner();
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;

    /// Handlers posted directly to the context run in fifo order; `executor()` follows `ready_order`.
    [[nodiscard]] boost::asio::io_context& context() noexcept;
    /// The executor on which everything runs.
    [[nodiscard]] boost::asio::any_io_executor executor() const noexcept { return executor_; }
    /// The virtual clock.
    [[nodiscard]] virtual_clock& clock() noexcept { return *clock_; }
    /// The same clock, for owners.
    [[nodiscard]] const std::shared_ptr<virtual_clock>& shared_clock() const noexcept { return clock_; }
    /// Random source for the test; seeded by the constructor.
    [[nodiscard]] kubecoro::detail::random_source& random() noexcept { return random_; }

    /// Starts a coroutine; it begins to run with the next call that runs handlers.
    template<class T>
    task<T> spawn(boost::asio::awaitable<result<T>> body)
    {
        task<T> t;
        std::shared_ptr<typename task<T>::state> s = t.state_;
        start(keep<T>(std::move(body), s), std::shared_ptr<detail::task_core>(s, &s->core),
              [s](const failure& f) { s->value = f; });
        return t;
    }

    /** Runs handlers and advances time until this coroutine has ended.

        On a deadlock (nothing is ready and no timer runs), or when a limit is exceeded, cancels the coroutine and fails
        with cond::internal; the message names the reason. */
    template<class T>
    result<T> run(boost::asio::awaitable<result<T>> body, run_limits limits = {})
    {
        auto t = spawn(std::move(body));
        const auto ended = run_until([&t] { return t.done(); }, limits);
        if (ended) return std::move(t.outcome());
        t.cancel();
        run_until_idle();
        return failure(cond::internal, ended.error().message());
    }

    /// Runs handlers and advances time until `reached()`. Errors: cond::internal on a deadlock or when a limit is
    /// exceeded.
    result<> run_until(const std::function<bool()>& reached, run_limits limits = {});
    /// Runs handlers until none is ready, without advancing time. Throws kubecoro::error when there are more than `most`: something
    /// is busy for ever.
    void run_until_idle(std::size_t most = run_limits().handlers);
    /// Runs one handler, without advancing time. @return false when none is ready.
    bool run_ready() { return run_one(); }
    /// Runs handlers while virtual time advances by `d`, then until none is ready. Throws like run_until_idle().
    void advance(duration d);
    /// Runs up to `handlers` handlers, advancing time when none is ready. @return the number run; fewer when nothing is
    /// ready and no timer runs.
    std::size_t step(std::size_t handlers);

    /// Cancels the coroutine after `handlers` more handlers have run.
    template<class T>
    void cancel_after(std::size_t handlers, const task<T>& t, boost::asio::cancellation_type how)
    {
        cancel_at(handlers_ + handlers, [t, how] { t.cancel(how); });
    }

    /// Handlers run so far.
    [[nodiscard]] std::size_t handlers() const noexcept { return handlers_; }

    /// Destroys every coroutine at its suspension point, as the end of a program would. Nothing can run afterwards.
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
        // Passes every kind of cancellation on to the coroutine.
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::enable_total_cancellation());
        auto outcome = co_await std::move(body);
        s->value.emplace(std::move(outcome));
    }
    void start(boost::asio::awaitable<void> body, std::shared_ptr<detail::task_core> core,
               std::function<void(const failure&)> failed);
    bool run_one();
    void cancel_at(std::size_t handlers, std::function<void()> cancel);

    std::shared_ptr<virtual_clock> clock_;
    kubecoro::detail::random_source random_;
    ready_order order_;
    std::unique_ptr<context_type> context_;
    boost::asio::any_io_executor executor_;
    std::size_t handlers_ = 0;
    std::multimap<std::size_t, std::function<void()>> cancellations_;
};

} // namespace kubecoro::testing
