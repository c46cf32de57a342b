// Servers that run out of memory while they work.
#include "running_endpoints.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/test/catch.hpp>

#include <atomic>
#include <chrono>
#include <new>
#include <utility>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

/// Has no memory for the first client.
struct short_metrics final : metrics
{
    [[nodiscard]] std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) override
    {
        if (name == "kubecoro_endpoints_connections_total" && !std::exchange(failed, true)) throw std::bad_alloc();
        return null_metrics()->make_counter(name, std::move(labels));
    }
    [[nodiscard]] std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) override
    {
        return null_metrics()->make_gauge(name, std::move(labels));
    }
    [[nodiscard]] std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) override
    {
        return null_metrics()->make_histogram(name, std::move(labels));
    }

    bool failed = false;
};

/// Has no memory for a wait once, on request.
class short_clock final : public time_source
{
public:
    std::atomic<bool> fails = false;

    [[nodiscard]] time_point now() const noexcept override { return real_->now(); }
    [[nodiscard]] wall_time wall_now() const noexcept override { return real_->wall_now(); }
    [[nodiscard]] std::unique_ptr<timer> make_timer(boost::asio::any_io_executor executor) override
    {
        return std::make_unique<short_timer>(*this, real_->make_timer(std::move(executor)));
    }

private:
    struct short_timer final : timer
    {
        short_timer(short_clock& of, std::unique_ptr<timer> made) : clock(of), real(std::move(made)) {}
        void expires_at(time_point when) override { real->expires_at(when); }
        void cancel() noexcept override { real->cancel(); }
        [[nodiscard]] boost::asio::awaitable<result<>> wait() override
        {
            if (clock.fails.exchange(false)) throw std::bad_alloc();
            return real->wait();
        }

        short_clock& clock;
        std::unique_ptr<timer> real;
    };

    std::shared_ptr<time_source> real_ = real_clock();
};

} // namespace

TEST_CASE("endpoints: without memory for a client the next ones are served, and those that are idle are closed",
          "[endpoints][integration]")
{
    const auto time = std::make_shared<short_clock>();
    running_endpoints program({.health = health_checks(),
                               .limits = {.idle_timeout = 100ms},
                               .metrics = std::make_shared<short_metrics>(),
                               .time = time});
    CHECK(program.client().closed_by_server());
    auto next = program.client();
    CHECK(next.get("/livez").status == 200);
    time->fails = true;
    CHECK(next.closed_by_server());
    auto last = program.client();
    CHECK(last.get("/livez").status == 200);
    CHECK(last.closed_by_server());
    CHECK_FALSE(time->fails);
    CHECK(program.log().count("a part of the endpoints failed and continues") == 2);
}
