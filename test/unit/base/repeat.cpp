#include <kubecoro/base/repeat.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace std::chrono_literals;
using kubecoro::cond;
using kubecoro::duration;
using kubecoro::failure;
using kubecoro::result;

namespace {

/// A body that records the times of its calls, takes some time, and fails from a given call on.
struct diary
{
    kt::runner& run;
    std::vector<duration> begun = {};
    duration takes{0};
    std::size_t fails_from = 1000;
    kubecoro::time_point start = run.clock().now();

    asio::awaitable<result<>> round()
    {
        begun.push_back(run.clock().now() - start);
        if (takes > 0s) {
            const auto slept = co_await kubecoro::sleep_for(run.clock(), takes);
            if (!slept) co_return slept;
        }
        if (begun.size() >= fails_from) co_return failure(cond::conflict, "round " + std::to_string(begun.size()));
        co_return result<>{};
    }
    kubecoro::loop_body body()
    {
        return [this] { return round(); };
    }
};

using moments = std::vector<duration>;

} // namespace

TEST_CASE("until: at once, then one period after each end, until cancelled", "[base][repeat]")
{
    kt::runner run;
    diary d{.run = run, .takes = 2s};
    const auto loop = run.spawn(kubecoro::until(run.clock(), 10s, d.body()));
    run.advance(25s);
    CHECK(d.begun == moments{0s, 12s, 24s});
    SECTION("cancelled in a round") { loop.cancel(); }
    SECTION("cancelled between rounds")
    {
        run.advance(5s);
        loop.cancel();
    }
    run.run_until_idle();
    REQUIRE(loop.done());
    CHECK(loop.outcome().error() == cond::cancelled);
    CHECK(run.clock().waiting() == 0);
}

TEST_CASE("until: a failed round ends it", "[base][repeat]")
{
    kt::runner run;
    diary d{.run = run, .fails_from = 3};
    const auto ended = run.run(kubecoro::until(run.clock(), 1s, d.body()));
    CHECK(ended.error().message() == "round 3");
    CHECK(d.begun.size() == 3);
    const auto thrown = run.run(kubecoro::until(run.clock(), 1s, []() -> asio::awaitable<result<>> {
        throw std::runtime_error("before the coroutine");
        co_return result<>{};
    }));
    CHECK(thrown.error() == cond::internal);
}

TEST_CASE("until: without a period, other handlers still run", "[base][repeat]")
{
    kt::runner run;
    diary d{.run = run, .fails_from = 50};
    diary other{.run = run, .fails_from = 50};
    const auto one = run.spawn(kubecoro::until(run.clock(), 0s, d.body()));
    const auto two = run.spawn(kubecoro::until(run.clock(), 0s, other.body()));
    run.step(40);
    CHECK(d.begun.size() > 5);
    CHECK(other.begun.size() > 5);
    run.run_until_idle();
    CHECK(one.done());
    CHECK(two.done());
}

TEST_CASE("jitter_until: from beginning to beginning, and at once after a round that took longer", "[base][repeat]")
{
    kt::runner run;
    diary d{.run = run, .takes = 4s};
    const auto loop = run.spawn(kubecoro::jitter_until(run.clock(), {.period = 10s, .sliding = false}, d.body()));
    run.advance(15s);
    CHECK(d.begun == moments{0s, 10s});
    d.takes = 25s;
    run.advance(31s);
    CHECK(d.begun == moments{0s, 10s, 20s, 45s});
    loop.cancel();
    run.run_until_idle();
    CHECK(loop.done());
}

TEST_CASE("jitter_until: a period is never shorter, nor longer than the jitter allows", "[base][repeat]")
{
    kt::runner run;
    diary d{.run = run, .fails_from = 200};
    const auto ended =
        run.run(kubecoro::jitter_until(run.clock(), {.period = 10s, .jitter = 0.5, .seed = 7}, d.body()));
    CHECK(ended.error() == cond::conflict);
    duration shortest = 1h;
    duration longest{0};
    for (std::size_t i = 1; i < d.begun.size(); ++i) {
        shortest = std::min(shortest, d.begun[i] - d.begun[i - 1]);
        longest = std::max(longest, d.begun[i] - d.begun[i - 1]);
    }
    CHECK(shortest >= 10s);
    CHECK(shortest < 11s);
    CHECK(longest <= 15s);
    CHECK(longest > 14s);
}

TEST_CASE("backoff_until: delays grow with failures and return to the first after a success", "[base][repeat]")
{
    kt::runner run;
    diary d{.run = run, .fails_from = 2};
    std::vector<std::string> told;
    const kubecoro::backoff_policy policy{.initial = 1s, .factor = 2, .cap = 4s, .jitter = 0};
    const auto loop = run.spawn(kubecoro::backoff_until(run.clock(), policy, d.body(),
                                                        [&told](const failure& f) { told.push_back(f.message()); }));
    run.advance(17s);
    CHECK(d.begun == moments{0s, 1s, 2s, 4s, 8s, 12s, 16s});
    CHECK(told.size() == 6);
    CHECK(told.front() == "round 2");
    d.fails_from = 9;
    run.advance(6s);
    CHECK(d.begun.size() == 10); // successes at 20 s and 21 s, failures at 22 s and 23 s
    loop.cancel();
    run.run_until_idle();
    REQUIRE(loop.done());
    CHECK(loop.outcome().error() == cond::cancelled);
    CHECK(told.size() == 8);
}

TEST_CASE("poll_until: asks until the answer is true", "[base][repeat]")
{
    kt::runner run;
    int asked = 0;
    const std::function<asio::awaitable<result<bool>>()> third = [&asked]() -> asio::awaitable<result<bool>> {
        co_return ++asked == 3;
    };
    const auto start = run.clock().now();
    CHECK(run.run(kubecoro::poll_until(run.clock(), {.interval = 5s}, third)).has_value());
    CHECK(run.clock().now() - start == 10s);
    asked = 0;
    CHECK(run.run(kubecoro::poll_until(run.clock(), {.interval = 5s, .immediate = false}, third)).has_value());
    CHECK(run.clock().now() - start == 25s);
    const std::function<asio::awaitable<result<bool>>()> broken = [&asked]() -> asio::awaitable<result<bool>> {
        ++asked;
        co_return failure(cond::forbidden);
    };
    asked = 0;
    CHECK(run.run(kubecoro::poll_until(run.clock(), {}, broken)).error() == cond::forbidden);
    CHECK(asked == 1);
}

TEST_CASE("poll_until: the timeout also ends a question that is never answered", "[base][repeat]")
{
    kt::runner run;
    const auto start = run.clock().now();
    const std::function<asio::awaitable<result<bool>>()> no = []() -> asio::awaitable<result<bool>> {
        co_return false;
    };
    const kubecoro::poll_timing timing{.interval = 2s, .timeout = 7s, .what = "the deployment is ready"};
    const auto late = run.run(kubecoro::poll_until(run.clock(), timing, no));
    CHECK(late.error() == cond::timed_out);
    CHECK(late.error().message() == "the deployment is ready: no answer in time");
    CHECK(run.clock().now() - start == 7s);
    const std::function<asio::awaitable<result<bool>>()> never = [&run]() -> asio::awaitable<result<bool>> {
        const auto slept = co_await kubecoro::sleep_for(run.clock(), 1h);
        if (!slept) co_return slept.error();
        co_return true;
    };
    CHECK(run.run(kubecoro::poll_until(run.clock(), timing, never)).error() == cond::timed_out);
    CHECK(run.clock().now() - start == 14s);
    for (const auto how :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        const auto cancelled = run.spawn(kubecoro::poll_until(run.clock(), timing, never));
        run.advance(1s);
        cancelled.cancel(how);
        run.run_until_idle();
        REQUIRE(cancelled.done());
        CHECK(cancelled.outcome().error() == cond::cancelled);
    }
}

TEST_CASE("loops: cancelled or destroyed at every step", "[base][repeat][every_step]")
{
    struct world
    {
        explicit world(kt::runner& r) : d{.run = r, .takes = 1s, .fails_from = 4} {}
        diary d;
    };
    const auto scenarios = [](int which) {
        return [which](kt::runner& r) {
            auto w = std::make_shared<world>(r);
            const kubecoro::poll_timing timing{.interval = 1s, .timeout = 6s};
            auto* d = &w->d;
            const std::function<asio::awaitable<result<bool>>()> ask = [d]() -> asio::awaitable<result<bool>> {
                const auto done = co_await d->round();
                if (!done && done.error() == cond::cancelled) co_return done.error();
                co_return false;
            };
            auto body =
                which == 0 ? kubecoro::until(r.clock(), 1s, d->body()) : kubecoro::poll_until(r.clock(), timing, ask);
            return kt::scenario{.body = std::move(body), .fixture = w};
        };
    };
    for (const int which : {0, 1}) {
        const auto cancelled = kt::cancel_after_every_step(scenarios(which), [which](const result<>& outcome) {
            REQUIRE(!outcome);
            const auto c = outcome.error().condition();
            CHECK((c == cond::cancelled || c == (which == 0 ? cond::conflict : cond::timed_out)));
        });
        REQUIRE(cancelled);
        CHECK(*cancelled > 5);
        CHECK(kt::stop_after_every_step(scenarios(which)));
    }
}
