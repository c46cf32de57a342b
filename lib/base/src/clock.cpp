#include <kubecoro/base/clock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

class real_timer final : public timer
{
public:
    explicit real_timer(asio::any_io_executor executor) : timer_(executor) {}

    void expires_at(time_point when) override { timer_.expires_at(when); }
    void cancel() noexcept override
    {
        try {
            timer_.cancel();
        } catch (const std::exception&) { // cancel() may throw by declaration only; epoll timers never do
        }
    }
    asio::awaitable<result<>> wait() override
    {
        auto [code] = co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (code) co_return failure(condition_of(code));
        co_return result<>{};
    }

private:
    asio::steady_timer timer_;
};

class machine_clock final : public time_source
{
public:
    [[nodiscard]] time_point now() const noexcept override { return std::chrono::steady_clock::now(); }
    [[nodiscard]] wall_time wall_now() const noexcept override { return std::chrono::system_clock::now(); }
    [[nodiscard]] std::unique_ptr<timer> make_timer(asio::any_io_executor executor) override
    {
        return std::make_unique<real_timer>(std::move(executor));
    }
};

} // namespace

std::shared_ptr<time_source> real_clock()
{
    static const auto instance = std::make_shared<machine_clock>();
    return instance;
}

asio::awaitable<result<>> sleep_for(time_source& c, saturating_duration d)
{
    const auto executor = co_await asio::this_coro::executor;
    auto alarm = c.make_timer(executor);
    alarm->expires_at(time_after(c.now(), d));
    co_return co_await alarm->wait();
}

} // namespace kubecoro
