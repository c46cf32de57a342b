// What stands under everything else: latches, signals, task groups, and values that are bound to a context.
#include "own_context.hpp"

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

using namespace std::chrono_literals;
using namespace kubecoro;
using lifetime_test::own_context;
namespace asio = boost::asio;

namespace {

asio::awaitable<result<>> nothing() { co_return result<>{}; }

} // namespace

TEST_CASE("lifetimes: a task group outlives its context", "[lifetimes]")
{
    std::optional<task_group> tasks;
    SECTION("joined")
    {
        own_context context;
        tasks.emplace(context.executor());
        CHECK(tasks->spawn("one", nothing()));
        REQUIRE(context.run(tasks->join()));
    }
    SECTION("with children that go with it")
    {
        own_context context;
        tasks.emplace(context.executor());
        CHECK(tasks->spawn("one", latch().wait()));
        CHECK(tasks->spawn("two", context.executor(), latch().wait()));
        context.settle();
        CHECK(tasks->running() == 2);
    }
    CHECK(tasks->running() == 0);
    CHECK_FALSE(tasks->spawn("late", nothing()));
    tasks->stop();
}

TEST_CASE("lifetimes: a kept executor is empty when its context has ended", "[lifetimes]")
{
    kept_executor kept;
    kept_executor copy;
    CHECK_FALSE(kept.get());
    {
        own_context context;
        kept = context.executor();
        copy = make_kept_strand(kept);
        CHECK(kept.get());
        CHECK(copy.get());
        CHECK(copy.get() != kept.get());
    }
    CHECK_FALSE(kept.get());
    CHECK_FALSE(copy.get());
    CHECK_FALSE(make_kept_strand(kept).get());
}

TEST_CASE("lifetimes: a bound value goes with its context, or with the last handle", "[lifetimes]")
{
    const auto token = std::make_shared<int>(1);
    context_bound<std::shared_ptr<int>> bound;
    {
        own_context context;
        bound = context_bound<std::shared_ptr<int>>(context.executor(), token);
        // One that holds another.
        auto nested = context_bound<context_bound<std::shared_ptr<int>>>(
            context.executor(), context_bound<std::shared_ptr<int>>(context.executor(), token));
        const auto copy = bound;
        CHECK(token.use_count() == 3);
        CHECK(*copy.get() == token);
        nested = {};
        CHECK(token.use_count() == 2);
    }
    CHECK(token.use_count() == 1);
    CHECK_FALSE(bound.get());
}

TEST_CASE("lifetimes: latches and signals outlive the contexts of those who wait", "[lifetimes]")
{
    const latch l;
    const wake_signal s;
    {
        own_context context;
        task_group tasks(context.executor());
        tasks.spawn("latch", l.wait());
        tasks.spawn("signal", s.wait());
        context.settle();
        tasks.stop();
        REQUIRE(context.run(tasks.join()));
    }
    CHECK(l.settle({}));
    s.notify();
    own_context other;
    CHECK(other.run(l.wait()));
    CHECK(other.run(s.wait()));
}

TEST_CASE("lifetimes: whoever settles a latch touches nothing of a waiter's context that has ended", "[lifetimes]")
{
    // The waiter's thread is through with it as soon as it has been woken: faster, now and then, than settle() returns.
    for (int round = 0; round < 200; ++round) {
        const latch l;
        const wake_signal s;
        std::thread elsewhere([l, s] {
            own_context context;
            static_cast<void>(context.run(l.wait()));
            own_context another;
            static_cast<void>(another.run(s.wait()));
        });
        if (round % 2 != 0) std::this_thread::yield();
        l.settle({});
        s.notify();
        elsewhere.join();
        REQUIRE(l.settled());
    }
}

TEST_CASE("lifetimes: a latch may be settled while the context of a waiter ends", "[lifetimes]")
{
    for (int round = 0; round < 200; ++round) {
        const latch l;
        const wake_signal s;
        auto context = std::make_unique<own_context>();
        task_group tasks(context->executor());
        tasks.spawn("latch", l.wait());
        tasks.spawn("signal", s.wait());
        context->settle();
        std::thread elsewhere([l, s] {
            s.notify();
            l.settle({});
        });
        context.reset();
        elsewhere.join();
        REQUIRE(l.settled());
    }
}
