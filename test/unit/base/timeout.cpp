#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <stdexcept>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace std::chrono_literals;
using kubecoro::cond;
using kubecoro::result;
using kubecoro::with_timeout;

namespace {

asio::awaitable<result<int>> answer_after(kubecoro::time_source& c, kubecoro::duration d)
{
    const auto slept = co_await kubecoro::sleep_for(c, d);
    if (!slept) co_return slept.error();
    co_return 42;
}

} // namespace

TEST_CASE("with_timeout: in time, too late, without a limit", "[base][timeout]")
{
    kt::runner run;
    const auto in_time = run.run(with_timeout(run.clock(), 2s, "ask", answer_after(run.clock(), 1s)));
    REQUIRE(in_time);
    CHECK(*in_time == 42);
    const auto late = run.run(with_timeout(run.clock(), 2s, "ask", answer_after(run.clock(), 3s)));
    CHECK(late.error() == cond::timed_out);
    CHECK(late.error().message() == "ask: no answer in time");
    CHECK(run.clock().waiting() == 0);
    CHECK(run.run(with_timeout(run.clock(), 0s, "ask", answer_after(run.clock(), 100h))).has_value());
    CHECK(run.run(with_timeout(run.clock(), 1s, "", kubecoro::latch().wait())).error().message() ==
          "no answer in time");
}

TEST_CASE("with_timeout: failures and exceptions of the work are returned", "[base][timeout]")
{
    kt::runner run;
    const auto fails = []() -> asio::awaitable<result<int>> { co_return kubecoro::failure(cond::forbidden); };
    CHECK(run.run(with_timeout(run.clock(), 1s, "ask", fails())).error() == cond::forbidden);
    const auto throws = []() -> asio::awaitable<result<int>> {
        throw std::runtime_error("no");
        co_return 1;
    };
    CHECK(run.run(with_timeout(run.clock(), 1s, "ask", throws())).error() == cond::internal);
}

TEST_CASE("with_timeout: a cancellation is not reported as a timeout", "[base][timeout]")
{
    kt::runner run;
    const auto asking = run.spawn(with_timeout(run.clock(), 2s, "ask", answer_after(run.clock(), 3s)));
    run.advance(1s);
    asking.cancel();
    run.run_until_idle();
    REQUIRE(asking.done());
    CHECK(asking.outcome().error() == cond::cancelled);
}

TEST_CASE("race and with_timeout: every kind of cancellation reaches both sides", "[base][timeout]")
{
    for (const auto how :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        kt::runner run;
        const auto asking = run.spawn(with_timeout(run.clock(), 1h, "ask", answer_after(run.clock(), 1h)));
        const auto racing = [](kubecoro::time_source& c) -> asio::awaitable<result<bool>> {
            const kubecoro::latch never;
            co_return co_await kubecoro::race(never.wait(), kubecoro::sleep_for(c, 1h));
        };
        const auto race = run.spawn(racing(run.clock()));
        run.advance(1s);
        asking.cancel(how);
        race.cancel(how);
        run.run_until_idle();
        REQUIRE(asking.done());
        CHECK(asking.outcome().error() == cond::cancelled);
        CHECK(race.done());
        CHECK(run.clock().waiting() == 0);
    }
}

TEST_CASE("race: an operation that accepts only terminal cancellation is ended by the other kinds too",
          "[base][timeout]")
{
    // Like Asio's TLS operations and every spawned coroutine. It would continue forever, because its limit has ended.
    const kubecoro::latch never;
    const auto stubborn = [&never]() -> asio::awaitable<result<>> {
        const auto here = co_await asio::this_coro::executor;
        co_return co_await asio::co_spawn(here, never.wait(), asio::use_awaitable);
    };
    for (const auto how : {asio::cancellation_type::partial, asio::cancellation_type::total}) {
        kt::runner run;
        const auto asking = run.spawn(with_timeout(run.clock(), 1h, "ask", stubborn()));
        run.run_until_idle();
        asking.cancel(how);
        run.run_until_idle();
        REQUIRE(asking.done());
        CHECK(asking.outcome().error() == cond::cancelled);
    }
}

TEST_CASE("race: a caller that accepts only terminal cancellation ignores the other kinds", "[base][timeout]")
{
    kt::runner run;
    const auto careful = [](kubecoro::time_source& c) -> asio::awaitable<result<int>> {
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        co_return co_await with_timeout(c, 2s, "ask", answer_after(c, 1s));
    };
    const auto asking = run.spawn(careful(run.clock()));
    run.run_until_idle();
    asking.cancel(asio::cancellation_type::total);
    run.advance(1s);
    REQUIRE(asking.done());
    CHECK(asking.outcome().has_value());
}

TEST_CASE("with_timeout: cancelled or destroyed at every step", "[base][timeout][every_step]")
{
    const auto make = [](kt::runner& r) {
        const auto body = [](kt::runner& run) -> asio::awaitable<result<>> {
            const auto got = co_await with_timeout(run.clock(), 2s, "ask", answer_after(run.clock(), 1s));
            if (!got) co_return got.error();
            co_return result<>{};
        };
        return kt::scenario{.body = body(r)};
    };
    const auto cancelled = kt::cancel_after_every_step(make, [](const result<>& outcome) {
        if (!outcome) CHECK(outcome.error() == cond::cancelled);
    });
    REQUIRE(cancelled);
    CHECK(*cancelled >= 3);
    CHECK(kt::stop_after_every_step(make));
}

TEST_CASE("race: an exception of either side leaves it when both have ended", "[base][timeout]")
{
    kt::runner run;
    bool left = false;
    const auto throws = []() -> asio::awaitable<result<>> {
        throw std::runtime_error("no");
        co_return result<>{};
    };
    const auto waits = [](bool& ended) -> asio::awaitable<result<>> {
        const auto waited = co_await kubecoro::latch().wait();
        ended = true;
        co_return waited;
    };
    const auto both = [](asio::awaitable<result<>> a, asio::awaitable<result<>> b) -> asio::awaitable<result<>> {
        co_await kubecoro::race(std::move(a), std::move(b));
        co_return result<>{};
    };
    CHECK(run.run(kubecoro::catch_failure(both(throws(), waits(left)))).error().message() == "no");
    CHECK(left);
    CHECK(run.run(kubecoro::catch_failure(both(waits(left), throws()))).error().message() == "no");
}
