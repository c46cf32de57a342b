#include "coroutine_fixture.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/test/catch.hpp>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::result;
using kubecoro::test::drain;
using kubecoro::test::start;
using namespace std::chrono_literals;

TEST_CASE("clock: monotonic time advances and wall-clock time is plausible", "[base][clock]")
{
    const auto clock = kubecoro::real_clock();
    const auto a = clock->now();
    CHECK(clock->now() >= a);
    CHECK(clock->wall_now().time_since_epoch() > std::chrono::years{50});
    CHECK(kubecoro::real_clock() == clock);
}

TEST_CASE("timer: an expiry in the past completes without waiting", "[base][clock]")
{
    asio::io_context context;
    const auto clock = kubecoro::real_clock();
    const auto timer = clock->make_timer(context.get_executor());
    timer->expires_at(clock->now() - 1h);
    const auto waiting = start(context, timer->wait());
    context.run();
    REQUIRE(waiting->value);
    CHECK(waiting->value->has_value());
}

TEST_CASE("timer: cancel(), a new expiry and cancellation each end the wait with cancelled", "[base][clock]")
{
    asio::io_context context;
    const auto clock = kubecoro::real_clock();
    const auto timer = clock->make_timer(context.get_executor());
    timer->expires_at(clock->now() + 1h);
    const auto waiting = start(context, timer->wait());
    drain(context);
    REQUIRE_FALSE(waiting->done);

    SECTION("cancel") { timer->cancel(); }
    SECTION("expires_at") { timer->expires_at(clock->now() + 2h); }
    SECTION("cancellation of the coroutine") { waiting->cancel(); }
    drain(context);
    REQUIRE(waiting->value);
    REQUIRE(waiting->value->has_error());
    CHECK(waiting->value->error() == cond::cancelled);
}

TEST_CASE("sleep_for: zero does not wait, an hour can be cancelled", "[base][clock]")
{
    asio::io_context context;
    const auto clock = kubecoro::real_clock();
    const auto none = start(context, kubecoro::sleep_for(*clock, 0s));
    context.run();
    REQUIRE(none->value);
    CHECK(none->value->has_value());

    const auto hour = start(context, kubecoro::sleep_for(*clock, 1h));
    drain(context);
    hour->cancel();
    drain(context);
    REQUIRE(hour->value);
    CHECK(hour->value->error() == cond::cancelled);
}

TEST_CASE("sleep_for: the longest duration does not end at once", "[base][clock]")
{
    asio::io_context context;
    const auto clock = kubecoro::real_clock();
    const auto waiting = start(context, kubecoro::sleep_for(*clock, kubecoro::duration::max()));
    drain(context);
    CHECK_FALSE(waiting->done);
    waiting->cancel();
    drain(context);
    REQUIRE(waiting->value);
    CHECK(waiting->value->error() == cond::cancelled);
}
