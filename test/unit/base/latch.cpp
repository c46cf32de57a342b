#include "coroutine_fixture.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/catch.hpp>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::latch;
using kubecoro::result;
using kubecoro::detail::wake_signal;
using kubecoro::test::drain;
using kubecoro::test::start;

TEST_CASE("latch: waiters before and after settle() get the outcome, and the first settle wins", "[base][latch]")
{
    asio::io_context context;
    const latch l;
    const auto before = start(context, l.wait());
    const auto also = start(context, latch(l).wait());
    drain(context);
    CHECK_FALSE(before->done);
    CHECK_FALSE(l.settled());
    CHECK(l.outcome().has_value());

    CHECK(l.settle(failure(cond::forbidden, "no list on pods")));
    CHECK_FALSE(l.settle({}));
    CHECK_FALSE(before->done); // never resumed inside the call
    const auto after = start(context, l.wait());
    drain(context);
    for (const auto& w : {before, also, after}) {
        REQUIRE(w->value);
        REQUIRE(w->value->has_error());
        CHECK(w->value->error().message() == "no list on pods");
    }
    CHECK(l.settled());
    CHECK(l.outcome().error() == cond::forbidden);
}

TEST_CASE("latch: cancelling one waiter does not affect the others", "[base][latch]")
{
    asio::io_context context;
    const latch l;
    const auto one = start(context, l.wait());
    const auto two = start(context, l.wait());
    drain(context);
    one->cancel();
    drain(context);
    REQUIRE(one->value);
    CHECK(one->value->error() == cond::cancelled);
    CHECK_FALSE(two->done);
    l.settle({});
    drain(context);
    REQUIRE(two->value);
    CHECK(two->value->has_value());
}

TEST_CASE("latch: a cancellation before the start does not hang", "[base][latch]")
{
    asio::io_context context;
    const latch l;
    const auto w = start(context, l.wait());
    w->cancel();
    drain(context);
    REQUIRE(w->done);
    CHECK((w->thrown || w->value->error() == cond::cancelled));
}

TEST_CASE("latch: a context may be destroyed before the latch, with waiters in it", "[base][latch]")
{
    const latch l;
    {
        asio::io_context context;
        const auto w = start(context, l.wait());
        drain(context);
        CHECK_FALSE(w->done);
    }
    CHECK(l.settle({}));
}

TEST_CASE("wake_signal: a notification is kept once", "[base][wake_signal]")
{
    asio::io_context context;
    const wake_signal s;
    s.notify();
    s.notify();
    const auto first = start(context, s.wait());
    drain(context);
    REQUIRE(first->value);
    CHECK(first->value->has_value());
    const auto second = start(context, s.wait());
    drain(context);
    CHECK_FALSE(second->done);
    s.notify();
    CHECK_FALSE(second->done); // never resumed inside the call
    drain(context);
    REQUIRE(second->value);
    CHECK(second->value->has_value());
    const auto third = start(context, s.wait());
    drain(context);
    CHECK_FALSE(third->done);
    s.notify();
    drain(context);
    CHECK(third->done);
}

TEST_CASE("wake_signal: a cancelled wait loses no notification", "[base][wake_signal]")
{
    asio::io_context context;
    const wake_signal s;
    auto w = start(context, s.wait());
    drain(context);
    w->cancel();
    drain(context);
    REQUIRE(w->value);
    CHECK(w->value->error() == cond::cancelled);
    SECTION("a later notification is seen")
    {
        s.notify();
        w = start(context, s.wait());
        drain(context);
        REQUIRE(w->value);
        CHECK(w->value->has_value());
    }
    SECTION("without a notification the next wait suspends")
    {
        w = start(context, s.wait());
        drain(context);
        CHECK_FALSE(w->done);
    }
}

TEST_CASE("wake_signal: cancelled and notified at once: either outcome, and no notification is lost",
          "[base][wake_signal]")
{
    asio::io_context context;
    const wake_signal s;
    const auto w = start(context, s.wait());
    drain(context);
    SECTION("cancelled first")
    {
        w->cancel();
        s.notify();
    }
    SECTION("notified first")
    {
        s.notify();
        w->cancel();
    }
    drain(context);
    REQUIRE(w->value);
    if (w->value->has_error()) {
        const auto next = start(context, s.wait());
        drain(context);
        CHECK(next->done);
    }
}

TEST_CASE("wake_signal: a context may be destroyed before the signal", "[base][wake_signal]")
{
    const wake_signal s;
    {
        asio::io_context context;
        const auto w = start(context, s.wait());
        drain(context);
        CHECK_FALSE(w->done);
    }
    s.notify();
    asio::io_context other;
    const auto w = start(other, s.wait());
    drain(other);
    CHECK(w->done);
}
