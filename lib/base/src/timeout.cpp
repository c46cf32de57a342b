#include <kubecoro/base/timeout.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <exception>

namespace asio = boost::asio;

namespace kubecoro {

asio::awaitable<bool> race(asio::awaitable<result<>> work, asio::awaitable<result<>> limit)
{
    using namespace asio::experimental::awaitable_operators;
    auto guarded_work = guard(std::move(work));
    auto guarded_limit = guard(std::move(limit));
    auto both = std::move(guarded_work) || std::move(guarded_limit);
    try {
        const auto first = co_await std::move(both);
        co_return first.index() == 0;
    } catch (const std::exception&) { // cancelled before either had begun
        co_return false;
    }
}

failure no_answer_in_time(const std::string& doing)
{
    return failure(cond::timed_out, doing.empty() ? "no answer in time" : doing + ": no answer in time");
}

} // namespace kubecoro
