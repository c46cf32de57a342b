#include "coroutine_fixture.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using kubecoro::catch_failure;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::result;
using kubecoro::test::drain;
using kubecoro::test::start;

namespace {

asio::awaitable<void> throws(std::exception_ptr e)
{
    std::rethrow_exception(e);
    co_return;
}

asio::awaitable<result<int>> gives(int n) { co_return n; }

asio::awaitable<result<int>> fails() { co_return failure(cond::conflict, "another client was first"); }

template<class E>
result<> outcome_of(E e)
{
    asio::io_context context;
    const auto run = start(context, catch_failure(throws(std::make_exception_ptr(e))));
    drain(context);
    return run->value.value();
}

/// Without guard: the wait throws operation_aborted.
asio::awaitable<result<>> wait_forever(asio::steady_timer& timer)
{
    co_await timer.async_wait(asio::use_awaitable);
    co_return result<>{};
}

} // namespace

TEST_CASE("catch_failure: values and failures pass through", "[base][catch_failure]")
{
    asio::io_context context;
    const auto good = start(context, catch_failure(gives(3)));
    const auto bad = start(context, catch_failure(fails()));
    drain(context);
    CHECK(good->value->value() == 3);
    CHECK(bad->value->error() == cond::conflict);
    CHECK(bad->value->error().message() == "another client was first");
}

TEST_CASE("catch_failure: exceptions become failures", "[base][catch_failure]")
{
    using boost::system::system_error;
    CHECK(outcome_of(kubecoro::error(failure(cond::expired, "x"))).error() == cond::expired);
    CHECK(outcome_of(system_error(asio::error::operation_aborted)).error() == cond::cancelled);
    CHECK(outcome_of(system_error(asio::error::connection_reset)).error() == cond::unreachable);
    CHECK(outcome_of(std::system_error(std::make_error_code(std::errc::connection_refused))).error() ==
          cond::unreachable);
    const auto internal = outcome_of(std::runtime_error("a handler failed"));
    CHECK(internal.error() == cond::internal);
    CHECK(internal.error().message() == "a handler failed");
    CHECK(outcome_of(42).error() == cond::internal);
}

TEST_CASE("catch_failure: cancellation of the caller reaches the operation and becomes cancelled",
          "[base][catch_failure]")
{
    asio::io_context context;
    asio::steady_timer timer(context, asio::steady_timer::time_point::max());
    const auto run = start(context, catch_failure(wait_forever(timer)));
    drain(context);
    REQUIRE_FALSE(run->done);
    run->cancel();
    drain(context);
    REQUIRE(run->value);
    CHECK(run->value->error() == cond::cancelled);
}

namespace {

struct log_of_stop
{
    bool before = true;
    bool after = false;
    bool second_wait_aborted = false;
    bool cleaned_up = false;
};

asio::awaitable<void> nested_finish() { co_await kubecoro::finish_despite_cancellation(); }

/// Cleans up after the first cancellation: a post, then a second wait that only a second cancellation ends.
asio::awaitable<result<>> clean_up_after_cancellation(asio::steady_timer& timer, log_of_stop& seen)
{
    seen.before = co_await kubecoro::stop_requested();
    const auto first = co_await catch_failure(wait_forever(timer));
    if (first.has_value() || first.error() != cond::cancelled) co_return failure(cond::internal, "not cancelled");
    co_await kubecoro::finish_despite_cancellation();
    seen.after = co_await kubecoro::stop_requested();
    co_await asio::post(asio::use_awaitable);
    seen.cleaned_up = true;
    const auto second = co_await catch_failure(wait_forever(timer));
    seen.second_wait_aborted = second.has_error();
    co_return first;
}

asio::awaitable<result<>> without_finish(asio::steady_timer& timer, log_of_stop& seen)
{
    const auto first = co_await catch_failure(wait_forever(timer));
    seen.after = first.has_error();
    co_await asio::post(asio::use_awaitable); // throws operation_aborted
    seen.cleaned_up = true;
    co_return result<>{};
}

/// The mode belongs to the whole stack of awaitables, so a callee can set it for its caller.
asio::awaitable<result<>> finish_set_by_callee(asio::steady_timer& timer, log_of_stop& seen)
{
    co_await nested_finish();
    const auto first = co_await catch_failure(wait_forever(timer));
    seen.after = co_await kubecoro::stop_requested();
    co_await asio::post(asio::use_awaitable);
    seen.cleaned_up = true;
    co_return first;
}

} // namespace

TEST_CASE("catch_failure: clean-up runs despite cancellation, and a second cancellation ends it",
          "[base][catch_failure]")
{
    asio::io_context context;
    asio::steady_timer timer(context, asio::steady_timer::time_point::max());
    log_of_stop seen;
    const auto run = start(context, clean_up_after_cancellation(timer, seen));
    drain(context);
    run->cancel();
    drain(context);
    CHECK_FALSE(seen.before);
    CHECK(seen.after);
    CHECK(seen.cleaned_up);
    REQUIRE_FALSE(run->done);
    run->cancel();
    drain(context);
    REQUIRE(run->value);
    CHECK(seen.second_wait_aborted);
}

TEST_CASE("catch_failure: without finish_despite_cancellation the next co_await throws", "[base][catch_failure]")
{
    asio::io_context context;
    asio::steady_timer timer(context, asio::steady_timer::time_point::max());
    log_of_stop seen;
    const auto run = start(context, without_finish(timer, seen));
    drain(context);
    run->cancel();
    drain(context);
    REQUIRE(run->done);
    CHECK(seen.after);
    CHECK_FALSE(seen.cleaned_up);
    CHECK(kubecoro::to_failure(run->thrown) == cond::cancelled);
}

TEST_CASE("catch_failure: finish_despite_cancellation affects the whole stack of coroutines", "[base][catch_failure]")
{
    asio::io_context context;
    asio::steady_timer timer(context, asio::steady_timer::time_point::max());
    log_of_stop seen;
    const auto run = start(context, finish_set_by_callee(timer, seen));
    drain(context);
    run->cancel();
    drain(context);
    REQUIRE(run->value);
    CHECK(seen.after);
    CHECK(seen.cleaned_up);
    CHECK(run->value->error() == cond::cancelled);
}

TEST_CASE("catch_failure: an exception becomes a failure without memory for its words as well", "[base][catch_failure]")
{
    const auto thrown = std::make_exception_ptr(std::runtime_error(std::string(100, 'w')));
    bool described = false;
    for (std::uint64_t nth = 1; !described && nth < 20; ++nth) {
        kubecoro::test::fail_allocation(nth);
        const auto why = kubecoro::to_failure(thrown);
        kubecoro::test::fail_allocation(0);
        CHECK(why == cond::internal);
        described = !why.message().empty();
    }
    CHECK(described);
}
