#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/awaitable.hpp> // and this_coro, which it brings

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace kubecoro::detail {

/** Awaits a coroutine that ends in order after a cancellation: no co_await in it throws by itself then.

    Asio has one such setting for a whole chain of coroutines, so it is the caller's too. However `inner` ends, the
    caller has its own setting back. */
template<class T>
[[nodiscard]] boost::asio::awaitable<T> finishing(boost::asio::awaitable<T> inner)
{
    const bool throws = co_await boost::asio::this_coro::throw_if_cancelled();
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    std::optional<T> outcome;
    std::exception_ptr thrown;
    try {
        outcome = co_await std::move(inner);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_await boost::asio::this_coro::throw_if_cancelled(throws);
    if (thrown) std::rethrow_exception(thrown);
    co_return *std::move(outcome);
}

/// Lets every kind of cancellation through, as terminal: composed operations, async_write among them, ignore the others.
struct as_terminal
{
    boost::asio::cancellation_type operator()(boost::asio::cancellation_type how) const noexcept
    {
        using boost::asio::cancellation_type;
        return how == cancellation_type::none ? how : how | cancellation_type::terminal;
    }
};

/** Two operations for a loop that has awaited a coroutine of the program, in a chain of coroutines which the library
    has started: `co_await own_filter(); co_await own_throws();` gives the chain its state back, whatever the coroutine
    has done to it. Neither throws, suspends or allocates.

    A cancellation of the chain that has come before is forgotten, so the loop must ask a mark of its own whether it is
    to end: that of own_chain, or one that its owner sets before it cancels. */
[[nodiscard]] inline auto own_filter() noexcept
{
    return boost::asio::this_coro::reset_cancellation_state(as_terminal());
}
[[nodiscard]] inline auto own_throws() noexcept { return boost::asio::this_coro::throw_if_cancelled(true); }

/** Runs a loop over coroutines of the program in a chain of its own: what they do to the state of their chain does not
    reach the caller, whose cancellation the loop still sees.

    Costs a co_spawn. Copies share the chain; run() may be called once. */
class own_chain
{
public:
    own_chain();

    /** Completes when `loop` has ended, with its outcome; an exception becomes a failure.

        The caller's executor must run one handler at a time.
        @par Cancellation  terminal, partial, total; reaches `loop` as terminal cancellation. One that came before the
                           call, in a clean-up section, does not. */
    [[nodiscard]] boost::asio::awaitable<result<>> run(boost::asio::awaitable<result<>> loop) const;

    /// Whether the caller of run() was cancelled meanwhile: the loop is to end.
    [[nodiscard]] bool cancelled() const noexcept;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro::detail
