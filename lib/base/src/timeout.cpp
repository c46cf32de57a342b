#include <kubecoro/base/timeout.hpp>

#include <kubecoro/base/detail/wait_for_news.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>

namespace asio = boost::asio;

namespace kubecoro {

namespace {

/// Accepts every kind of cancellation that the caller accepts: by default a spawned coroutine accepts terminal only. A
/// group of operations forwards the first cancellation only: an operation that ignored it would run without its limit.
asio::awaitable<result<>> contender(asio::awaitable<result<>> inner, std::exception_ptr& thrown)
{
    const auto begun = co_await asio::this_coro::cancellation_state;
    if (begun.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    co_await detail::own_filter();
    try {
        co_return co_await std::move(inner);
    } catch (...) {
        if (to_failure(std::current_exception()) != cond::cancelled) thrown = std::current_exception();
    }
    co_return failure(cond::cancelled);
}

} // namespace

asio::awaitable<bool> race(asio::awaitable<result<>> work, asio::awaitable<result<>> limit)
{
    using namespace asio::experimental::awaitable_operators;
    std::exception_ptr thrown; // a contender's; both run on one executor
    bool worked = false;
    try {
        const auto first = co_await (contender(std::move(work), thrown) || contender(std::move(limit), thrown));
        worked = first.index() == 0;
    } catch (...) { // also cancelled before either began
        if (to_failure(std::current_exception()) != cond::cancelled) thrown = std::current_exception();
    }
    if (thrown) std::rethrow_exception(thrown);
    co_return worked;
}

failure no_answer_in_time(const std::string& doing)
{
    return failure(cond::timed_out, doing.empty() ? "no answer in time" : doing + ": no answer in time");
}

} // namespace kubecoro

namespace kubecoro::detail {

namespace {

asio::awaitable<result<>> wait_at_most(wake_signal news, time_source& time, time_point until)
{
    co_await race(news.wait(), sleep_for(time, until - time.now()));
    co_return result<>{};
}

} // namespace

asio::awaitable<result<>> wait_for_news(wake_signal news, time_source& time, std::optional<time_point> until)
{
    if (!until) return news.wait();
    return wait_at_most(std::move(news), time, *until);
}

} // namespace kubecoro::detail
