#include <kubecoro/base/result.hpp>
#include <kubecoro/base/retry.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <chrono>
#include <stdexcept>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace std::chrono_literals;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::result;
using kubecoro::retry_on;
using kubecoro::retry_policy;
using kubecoro::detail::retry_plan;

namespace {

struct counted
{
    int calls = 0;
    int succeeds_at = 1000;
    cond fails_with = cond::conflict;

    asio::awaitable<result<int>> attempt()
    {
        if (++calls >= succeeds_at) co_return calls;
        co_return failure(fails_with, "attempt " + std::to_string(calls));
    }
};

retry_policy plain(unsigned attempts)
{
    return {.attempts = attempts, .delays = {.initial = 1s, .factor = 2, .cap = 1min, .jitter = 0}};
}

} // namespace

TEST_CASE("retry_on: repeats until success, with the policy's delays", "[base][retry]")
{
    kt::runner run;
    counted c{.succeeds_at = 4};
    const auto start = run.clock().now();
    const auto got = run.run(retry_on<int>(
        run.clock(), cond::conflict, [&c] { return c.attempt(); }, plain(5)));
    REQUIRE(got);
    CHECK(*got == 4);
    CHECK(run.clock().now() - start == 7s);
}

TEST_CASE("retry_on: returns the last failure after the last attempt", "[base][retry]")
{
    kt::runner run;
    counted c;
    CHECK(run.run(retry_on<int>(run.clock(), cond::conflict, [&c] { return c.attempt(); })).error().message() ==
          "attempt 5");
    c = {};
    CHECK(run.run(retry_on<int>(
                      run.clock(), cond::conflict, [&c] { return c.attempt(); }, plain(0)))
              .has_error());
    CHECK(c.calls == 1);
}

TEST_CASE("retry_on: other failures are not retried, and an exception becomes a failure", "[base][retry]")
{
    kt::runner run;
    counted c{.fails_with = cond::forbidden};
    CHECK(run.run(retry_on<int>(run.clock(), cond::conflict, [&c] { return c.attempt(); })).error() == cond::forbidden);
    CHECK(c.calls == 1);
    const auto either = [](const failure& f) { return f == cond::forbidden || f == cond::internal; };
    CHECK(run.run(retry_on<int>(run.clock(), either, [&c] { return c.attempt(); })).error() == cond::forbidden);
    CHECK(c.calls == 6);
    int calls = 0;
    const auto throwing = [&calls]() -> asio::awaitable<result<>> {
        if (++calls < 3) throw std::runtime_error("not yet");
        co_return result<>{};
    };
    CHECK(run.run(retry_on<>(run.clock(), either, throwing)).has_value());
    CHECK(calls == 3);
}

TEST_CASE("retry_on: an exception from a body that is not a coroutine becomes a failure", "[base][retry]")
{
    kt::runner run;
    int calls = 0;
    const auto answer = []() -> asio::awaitable<result<int>> { co_return 7; };
    const auto plain_function = [&]() -> asio::awaitable<result<int>> {
        if (++calls < 3) throw std::runtime_error("before the coroutine");
        return answer();
    };
    const auto got = run.run(retry_on<int>(run.clock(), cond::internal, plain_function));
    REQUIRE(got);
    CHECK(*got == 7);
    CHECK(calls == 3);
    calls = 0;
    const auto refused = run.run(retry_on<int>(run.clock(), cond::conflict, plain_function));
    CHECK(refused.error() == cond::internal);
    CHECK(refused.error().message() == "before the coroutine");
}

TEST_CASE("retry_plan: a server that asks for the longest delay gets it", "[base][retry]")
{
    retry_plan plan([](const failure&) { return true; }, plain(10));
    kubecoro::server_status busy;
    busy.code = 429;
    for (const auto asked : {std::chrono::seconds::max(), std::chrono::seconds(10'000'000'000)}) {
        busy.retry_after = asked;
        CHECK(plan.after(failure(busy)) == kubecoro::duration::max());
    }
}

TEST_CASE("retry_plan: waits as long as the server asks", "[base][retry]")
{
    retry_plan plan([](const failure&) { return true; }, plain(10));
    kubecoro::server_status busy;
    busy.code = 429;
    busy.retry_after = 30s;
    CHECK(plan.after(failure(busy)) == 30s);
    CHECK(plan.after(failure(cond::conflict)) == 2s);
    CHECK_FALSE(plan.after(failure(cond::cancelled)));
}

TEST_CASE("retry_on: cancelled or destroyed at every step", "[base][retry][every_step]")
{
    const auto make = [](kt::runner& r) {
        auto c = std::make_shared<counted>();
        auto* counting = c.get();
        const auto body = [](kt::runner& run, counted& of) -> asio::awaitable<result<>> {
            const auto got = co_await retry_on<int>(
                run.clock(), cond::conflict, [&of] { return of.attempt(); }, plain(3));
            if (!got) co_return got.error();
            co_return result<>{};
        };
        return kt::scenario{.body = body(r, *counting), .fixture = c};
    };
    const auto cancelled = kt::cancel_after_every_step(make, [](const result<>& outcome) {
        CHECK((outcome.error() == cond::cancelled || outcome.error() == cond::conflict));
    });
    REQUIRE(cancelled);
    CHECK(*cancelled >= 3);
    CHECK(kt::stop_after_every_step(make));
}
