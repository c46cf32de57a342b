// Deadlines: every kind of cancellation passes through them, whatever the operation itself supports.
#include "http/deadline.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <stdexcept>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

asio::awaitable<result<>> patient()
{
    const latch never;
    co_return co_await never.wait();
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
        co_return co_await detail::with_deadline(time, 1h, sleep_for(time, 1s), "a nap");
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

TEST_CASE("deadline: progress moves the limit of idleness", "[client][deadline]")
{
    testing::runner run;
    time_point since = run.clock().now();
    const auto work = run.spawn(detail::with_idle_limit(run.clock(), 2s, since, patient(), "the next part"));
    run.advance(1s);
    since = run.clock().now();
    run.advance(1500ms);
    CHECK_FALSE(work.done());
    run.advance(500ms);
    REQUIRE(work.done());
    CHECK(work.outcome().error().message() == "the next part took longer than 2 s");
}

TEST_CASE("deadline: an operation that ends as soon as its limit passes has been late or has succeeded",
          "[client][deadline]")
{
    testing::runner run;
    const auto even = run.spawn(detail::with_deadline(run.clock(), 2s, sleep_for(run.clock(), 2s), "the answer"));
    run.advance(2s);
    REQUIRE(even.done());
    CHECK((even.outcome() || even.outcome().error() == cond::timed_out));
    CHECK(run.clock().waiting() == 0);
}

TEST_CASE("deadline: failures and exceptions of the operation are returned", "[client][deadline]")
{
    testing::runner run;
    const auto fails = []() -> asio::awaitable<result<>> { co_return failure(cond::unreachable, "gone"); };
    const auto throws = []() -> asio::awaitable<result<>> {
        throw std::runtime_error("oh");
        co_return result<>{};
    };
    const auto failed = run.run(detail::with_deadline(run.clock(), 2s, fails(), "the answer"));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message() == "gone");
    const auto thrown = run.run(detail::with_deadline(run.clock(), 2s, throws(), "the answer"));
    REQUIRE_FALSE(thrown);
    CHECK(thrown.error() == cond::internal);
    CHECK(run.clock().waiting() == 0);
}

TEST_CASE("deadline: a caller that is cancelled joins the operation, and then stops at its next wait",
          "[client][deadline]")
{
    testing::runner run;
    bool joined = false;
    bool went_on = false;
    // Takes a second to leave, whatever happens.
    const auto slow_to_leave = [&]() -> asio::awaitable<result<>> {
        const auto ended = co_await patient();
        co_await finish_despite_cancellation();
        (void)co_await sleep_for(run.clock(), 1s);
        joined = true;
        co_return ended;
    };
    const auto caller = [&]() -> asio::awaitable<result<>> {
        const auto outcome = co_await detail::with_deadline(run.clock(), 1h, slow_to_leave(), "the answer");
        (void)co_await sleep_for(run.clock(), 1s);
        went_on = true;
        co_return outcome;
    };
    const auto task = run.spawn(caller());
    run.advance(1s);
    task.cancel(asio::cancellation_type::terminal);
    run.run_until_idle();
    CHECK_FALSE(task.done());
    run.advance(1s);
    REQUIRE(task.done());
    CHECK(joined);
    CHECK_FALSE(went_on);
    CHECK(run.clock().waiting() == 0);
}

TEST_CASE("deadline: a clean-up section may call it, and a second cancellation ends it", "[client][deadline]")
{
    testing::runner run;
    const auto limit = GENERATE(as<duration>(), 0s, 1h);
    std::vector<result<>> outcomes;
    const auto caller = [&]() -> asio::awaitable<result<>> {
        (void)co_await sleep_for(run.clock(), 1h);
        co_await finish_despite_cancellation();
        for (int n = 0; n < 2; ++n) {
            outcomes.push_back(
                co_await detail::with_deadline(run.clock(), limit, sleep_for(run.clock(), 10s), "the answer"));
        }
        co_return result<>{};
    };
    const auto task = run.spawn(caller());
    run.advance(1s);
    task.cancel();
    run.advance(15s);
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0]);
    task.cancel();
    run.run_until_idle();
    REQUIRE(task.done());
    REQUIRE(outcomes.size() == 2);
    REQUIRE_FALSE(outcomes[1]);
    CHECK(outcomes[1].error() == cond::cancelled);
}

TEST_CASE("deadline: cancelled or destroyed at every step", "[client][deadline][every_step]")
{
    const auto operation = [](time_source& time) -> asio::awaitable<result<>> {
        for (int i = 0; i < 3; ++i) {
            auto slept = co_await sleep_for(time, 1s);
            if (!slept) co_return slept;
        }
        co_return result<>{};
    };
    for (const duration limit : {duration(0), duration(2s), duration(1h)})
        for (int step = 0; step < 12; ++step)
            for (const bool destroyed : {false, true}) {
                INFO("limit " << limit / 1s << " s, step " << step << (destroyed ? ", destroyed" : ", cancelled"));
                auto run = std::make_unique<testing::runner>();
                auto working = detail::with_deadline(run->clock(), limit, operation(run->clock()), "the answer");
                const auto task = run->spawn(std::move(working));
                for (int i = 0; i < step; ++i) run->advance(300ms);
                if (destroyed) {
                    run.reset();
                    continue;
                }
                task.cancel(asio::cancellation_type::terminal);
                run->run_until_idle();
                REQUIRE(task.done());
                CHECK(run->clock().waiting() == 0);
            }
}
