// Deadlines: every kind of cancellation passes through them, whatever the operation itself supports.
#include "rest/deadline.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

asio::awaitable<result<>> patient()
{
    const latch never;
    auto waiting = never.wait();
    co_return co_await std::move(waiting);
}

/// Accepts only terminal cancellation, like Asio's TLS operations and every spawned coroutine.
asio::awaitable<result<>> stubborn()
{
    const auto here = co_await asio::this_coro::executor;
    co_return co_await asio::co_spawn(here, patient(), asio::use_awaitable);
}

} // namespace

TEST_CASE("deadline: every kind of cancellation ends the operation, with and without a limit", "[client][deadline]")
{
    for (const auto how :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total})
        for (const duration limit : {duration(0), duration(1h)})
            for (const auto make : {&stubborn, &patient}) {
                INFO("kind " << static_cast<unsigned>(how) << ", limit " << limit / 1s << " s, "
                             << (make == &stubborn ? "stubborn" : "patient"));
                testing::runner run;
                const time_point since = run.clock().now();
                const auto once = run.spawn(detail::with_deadline(run.clock(), limit, make(), "the answer"));
                const auto many = run.spawn(detail::with_idle_limit(run.clock(), limit, since, make(), "the answer"));
                run.advance(1s);
                REQUIRE_FALSE(once.done());
                REQUIRE_FALSE(many.done());
                once.cancel(how);
                many.cancel(how);
                run.run_until_idle();
                REQUIRE(once.done());
                CHECK(once.outcome().error() == cond::cancelled);
                REQUIRE(many.done());
                CHECK(many.outcome().error() == cond::cancelled);
                CHECK(run.clock().waiting() == 0);
            }
}

TEST_CASE("deadline: a caller that accepts only terminal cancellation ignores the other kinds", "[client][deadline]")
{
    testing::runner run;
    const auto careful = [](time_source& time) -> asio::awaitable<result<>> {
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        auto sleeping = sleep_for(time, 1s);
        auto limited = detail::with_deadline(time, 1h, std::move(sleeping), "a nap");
        co_return co_await std::move(limited);
    };
    const auto napping = run.spawn(careful(run.clock()));
    run.run_until_idle();
    napping.cancel(asio::cancellation_type::total);
    run.advance(1s);
    REQUIRE(napping.done());
    CHECK(napping.outcome());
}

TEST_CASE("deadline: an operation that takes too long is ended and named", "[client][deadline]")
{
    testing::runner run;
    const auto late = run.spawn(detail::with_deadline(run.clock(), 2s, stubborn(), "the answer"));
    run.advance(2s);
    REQUIRE(late.done());
    CHECK(late.outcome().error() == cond::timed_out);
    CHECK(late.outcome().error().message() == "the answer took longer than 2 s");
    CHECK(run.run(detail::with_deadline(run.clock(), 0s, sleep_for(run.clock(), 10h), "the answer")));
}
