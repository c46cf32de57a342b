// First: its function templates must not take the place of functions of the header under test.
#include <kubecoro/base/try.hpp>

#include "coroutine_fixture.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/strand.hpp>

#include <memory>
#include <optional>

using namespace kubecoro;
using kubecoro::test::drain;
using kubecoro::test::start;
namespace asio = boost::asio;

namespace {

asio::awaitable<result<>> nothing() { co_return result<>{}; }

} // namespace

TEST_CASE("task_group: may outlive its context", "[base][lifetimes]")
{
    std::optional<task_group> tasks;
    SECTION("joined")
    {
        asio::io_context context;
        tasks.emplace(asio::make_strand(context));
        CHECK(tasks->spawn("one", nothing()));
        drain(context);
    }
    SECTION("with children that are destroyed with it")
    {
        asio::io_context context;
        tasks.emplace(asio::make_strand(context));
        CHECK(tasks->spawn("one", latch().wait()));
        CHECK(tasks->spawn("two", asio::make_strand(context), latch().wait()));
        drain(context);
        CHECK(tasks->running() == 2);
    }
    CHECK(tasks->running() == 0);
    CHECK_FALSE(tasks->spawn("late", nothing()));
    tasks->stop();
}

TEST_CASE("kept_executor: is empty after its context has ended", "[base][lifetimes]")
{
    detail::kept_executor kept;
    detail::kept_executor copy;
    CHECK_FALSE(kept.get());
    {
        asio::io_context context;
        kept = detail::kept_executor(asio::make_strand(context));
        copy = detail::make_kept_strand(kept);
        CHECK(kept.get());
        CHECK(copy.get());
        CHECK(copy.get() != kept.get());
    }
    CHECK_FALSE(kept.get());
    CHECK_FALSE(copy.get());
    CHECK_FALSE(detail::make_kept_strand(kept).get());
}

TEST_CASE("context_bound: the value is destroyed with its context or with the last handle", "[base][lifetimes]")
{
    const auto token = std::make_shared<int>(1);
    detail::context_bound<std::shared_ptr<int>> bound;
    {
        asio::io_context context;
        bound = detail::context_bound<std::shared_ptr<int>>(asio::make_strand(context), token);
        // A value that owns another tie.
        auto nested = detail::context_bound<detail::context_bound<std::shared_ptr<int>>>(
            asio::make_strand(context), detail::context_bound<std::shared_ptr<int>>(asio::make_strand(context), token));
        const auto copy = bound;
        CHECK(token.use_count() == 3);
        CHECK(*copy.get() == token);
        nested = {};
        CHECK(token.use_count() == 2);
    }
    CHECK(token.use_count() == 1);
    CHECK_FALSE(bound.get());
}

TEST_CASE("latch and wake_signal: outlive the contexts of their waiters", "[base][lifetimes]")
{
    const latch l;
    const detail::wake_signal s;
    {
        asio::io_context context;
        task_group tasks(asio::make_strand(context));
        tasks.spawn("latch", l.wait());
        tasks.spawn("signal", s.wait());
        drain(context);
        tasks.stop();
        drain(context);
    }
    CHECK(l.settle({}));
    s.notify();
    asio::io_context other;
    const auto settled = start(other, l.wait());
    const auto notified = start(other, s.wait());
    drain(other);
    CHECK(settled->done);
    CHECK(notified->done);
}
