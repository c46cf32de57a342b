#pragma once

#include <kubecoro/base/guard.hpp>
#include <kubecoro/base/random.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::testing {

/// When a runner gives up on a coroutine that never ends.
struct run_limits
{
    std::size_t handlers = 10'000'000;
    /// Virtual time.
    duration time = std::chrono::hours{24 * 30};
};

namespace detail {

struct task_core
{
    bool done = false;
    std::function<void()> cancel;
};

} // namespace detail

/// A coroutine started by runner::spawn. Copies share it; dropping all of them does not stop it.
template<class T>
class task
{
public:
    [[nodiscard]] bool done() const noexcept { return state_->core.done; }
    /// Only when done. An exception shows as the failure it stands for.
    [[nodiscard]] result<T>& outcome() const { return *state_->value; }
    /// Terminal cancellation, at once. Nothing when done.
    void cancel() const
    {
        if (!done()) state_->core.cancel();
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

/** Runs coroutines on one thread, in virtual time, the same way every time.

    Handlers run in the order in which they became ready; when none is, time jumps to the next timer. Nothing ever
    sleeps. Not thread safe. What it runs must not use sockets or real timers. */
class runner
{
public:
    explicit runner(std::uint64_t seed = 1);
    /// Destroys every coroutine that has not ended.
    ~runner();
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;

    [[nodiscard]] boost::asio::io_context& context() noexcept;
    [[nodiscard]] boost::asio::any_io_executor executor() noexcept;
    [[nodiscard]] virtual_clock& clock() noexcept { return *clock_; }
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
        auto outcome = co_await std::move(body);
        s->value.emplace(std::move(outcome));
    }
    void start(boost::asio::awaitable<void> body, std::shared_ptr<detail::task_core> core,
               std::function<void(const failure&)> failed);
    bool run_one();

    std::shared_ptr<virtual_clock> clock_;
    random_source random_;
    std::unique_ptr<context_type> context_;
    std::size_t handlers_ = 0;
};

} // namespace kubecoro::testing
