// The library ends with its call what coroutines of the program do to the state of their chain.
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/retry.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/kept_caller.hpp>
#include <kubecoro/test/tampering.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;

namespace {

struct world
{
    kt::runner run;
    unsigned rounds = 0;
    tamper with = tamper::finish;

    /// A coroutine of the program that tampers and then returns.
    template<class T>
    asio::awaitable<result<T>> user(result<T> outcome)
    {
        ++rounds;
        (void)co_await sleep_for(run.clock(), 1s);
        KUBECORO_TEST_TAMPER(with);
        co_return outcome;
    }
};

using loop = std::function<asio::awaitable<result<>>(world&)>;

const backoff_policy slow{.initial = 1s, .cap = 1s};

const std::vector<std::pair<std::string, loop>> loops{
    {"until", [](world& w) { return until(w.run.clock(), 1s, [&w] { return w.user(result<>{}); }); }},
    {"until with long pauses", [](world& w) { return until(w.run.clock(), 10h, [&w] { return w.user(result<>{}); }); }},
    {"poll_until with long pauses",
     [](world& w) {
         return poll_until(w.run.clock(), poll_timing{.interval = 10h}, [&w] { return w.user<bool>(false); });
     }},
    {"until without a pause", [](world& w) { return until(w.run.clock(), 0s, [&w] { return w.user(result<>{}); }); }},
    {"jitter_until",
     [](world& w) {
         const round_timing timing{.period = 1s, .jitter = 1, .sliding = false, .seed = 1};
         return jitter_until(w.run.clock(), timing, [&w] { return w.user(result<>{}); });
     }},
    {"backoff_until",
     [](world& w) {
         return backoff_until(
             w.run.clock(), slow, [&w] { return w.user<void>(failure(cond::conflict)); }, nullptr, 1);
     }},
    {"poll_until",
     [](world& w) { return poll_until(w.run.clock(), poll_timing{}, [&w] { return w.user<bool>(false); }); }},
    {"poll_until with a limit",
     [](world& w) {
         return poll_until(w.run.clock(), poll_timing{.timeout = 100h}, [&w] { return w.user<bool>(false); });
     }},
    {"retry_on",
     [](world& w) {
         const retry_policy often{.attempts = 1000000, .delays = slow, .seed = 1};
         return retry_on(
             w.run.clock(), cond::conflict, [&w] { return w.user<void>(failure(cond::conflict)); }, often);
     }},
};

const std::vector<std::pair<std::string, loop>> calls{
    {"with_timeout", [](world& w) { return with_timeout(w.run.clock(), 1h, "ask", w.user(result<>{})); }},
    {"with_timeout, no limit", [](world& w) { return with_timeout(w.run.clock(), 0s, "ask", w.user(result<>{})); }},
    {"poll_until",
     [](world& w) { return poll_until(w.run.clock(), poll_timing{}, [&w] { return w.user<bool>(true); }); }},
    {"retry_on", [](world& w) { return retry_on(w.run.clock(), cond::conflict, [&w] { return w.user(result<>{}); }); }},
    {"race",
     [](world& w) -> asio::awaitable<result<>> {
         (void)co_await race(w.user(result<>{}), sleep_for(w.run.clock(), 1h));
         co_return result<>{};
     }},
};

void check(const std::string& name, const loop& f, std::size_t handlers)
{
    for (const auto how : ways_to_tamper) {
        world w;
        w.with = how;
        INFO(name << ", cancelled after " << handlers << " handlers");
        CHECK(left_by(
                  w, [&](caller_after& seen) { return await_then_sleep(w.run.clock(), f(w), seen); }, handlers) == "");
    }
}

} // namespace

TEST_CASE("own chain: a loop whose body tampers with its chain ends by cancellation, and its caller is as before",
          "[base][own_chain]")
{
    for (const auto& [name, f] : loops)
        for (const std::size_t handlers : {0, 1, 2, 5, 20, 21, 22, 23}) check(name, f, handlers);
}

TEST_CASE("own chain: a call of a coroutine that tampers with its chain leaves the caller as it was",
          "[base][own_chain]")
{
    for (const auto& [name, f] : calls)
        for (const std::size_t handlers : {0, 1, 2, 3, 4, 5}) check(name, f, handlers);
}

TEST_CASE("own chain: a cancellation that the body has swallowed ends the loop after this round", "[base][own_chain]")
{
    for (const auto& [name, f] : loops) {
        world w;
        w.with = tamper::forget;
        INFO(name);
        const auto task = w.run.spawn(f(w));
        w.run.step(1);
        REQUIRE(w.rounds == 1);
        task.cancel();
        w.run.advance(1h);
        REQUIRE(task.done());
        CHECK(w.rounds == 1);
        REQUIRE_FALSE(task.outcome());
        CHECK(task.outcome().error() == cond::cancelled);
    }
}

TEST_CASE("own chain: a loop may be called in a clean-up section, where a second cancellation ends it",
          "[base][own_chain]")
{
    world w;
    bool asked = false;
    const auto clean_up = [&]() -> asio::awaitable<result<>> {
        (void)co_await sleep_for(w.run.clock(), 1h);
        co_await finish_despite_cancellation();
        (void)co_await retry_on(w.run.clock(), cond::conflict, [&]() -> asio::awaitable<result<>> {
            const auto slept = co_await sleep_for(w.run.clock(), 1s);
            asked = slept.has_value();
            co_return slept;
        });
        co_return co_await until(w.run.clock(), 1s, [&w] { return w.user(result<>{}); });
    };
    const auto task = w.run.spawn(clean_up());
    w.run.advance(1s);
    task.cancel();
    w.run.advance(10s);
    CHECK(asked);
    CHECK(w.rounds > 3);
    CHECK_FALSE(task.done());
    task.cancel();
    w.run.run_until_idle();
    REQUIRE(task.done());
    CHECK(task.outcome().error() == cond::cancelled);
}

TEST_CASE("finishing: the caller has its own setting back however the call ends", "[base][own_chain]")
{
    kt::runner run;
    const auto ends = GENERATE(0, 1, 2);
    bool went_on = false;
    const auto inner = [&]() -> asio::awaitable<result<>> {
        (void)co_await sleep_for(run.clock(), 1h);
        co_await asio::post(asio::use_awaitable);
        went_on = true;
        if (ends == 1) throw std::runtime_error("oh");
        co_return ends == 0 ? result<>() : result<>(failure(cond::conflict));
    };
    caller_after seen;
    auto call = await_then_sleep(run.clock(), detail::finishing(inner()), seen);
    const auto task = run.spawn(std::move(call));
    run.advance(1s);
    task.cancel();
    run.run_until_idle();
    CHECK(went_on);
    CHECK(seen.returned);
    CHECK(seen.throws);
    CHECK(task.done());
}

TEST_CASE("finishing: in a clean-up section the caller's setting stays as well", "[base][own_chain]")
{
    kt::runner run;
    const auto clean_up = []() -> asio::awaitable<result<bool>> {
        co_await finish_despite_cancellation();
        const auto inner = []() -> asio::awaitable<result<>> { co_return result<>{}; };
        (void)co_await detail::finishing(inner());
        co_return co_await asio::this_coro::throw_if_cancelled();
    };
    const auto throws = run.run(clean_up());
    REQUIRE(throws);
    CHECK_FALSE(*throws);
}

TEST_CASE("own chain: giving a chain its state back allocates nothing", "[base][own_chain]")
{
    kt::runner run;
    const auto loop = []() -> asio::awaitable<result<std::uint64_t>> {
        co_await detail::own_filter();
        const auto before = allocations_so_far().calls;
        for (int round = 0; round < 100; ++round) {
            co_await detail::own_filter();
            co_await detail::own_throws();
        }
        co_return allocations_so_far().calls - before;
    };
    const auto counted = run.run(loop());
    REQUIRE(counted);
    CHECK(*counted == 0);
}
