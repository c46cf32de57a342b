#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/timeout.hpp>

namespace kubecoro::detail {

namespace asio = boost::asio;

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
