// Asio's own operations as results.
#include <kubecoro/test/catch.hpp>

#include <kubecoro/base/as_result.hpp>
#include <kubecoro/base/try.hpp>

#include "coroutine_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <stdexcept>
#include <string>

using namespace kubecoro;
namespace asio = boost::asio;

namespace {

using test::drain;
using test::start;

/// Completes at once with an error or a value, like an operation of Asio.
template<class Signature, class Token, class... Args>
auto complete_with(Token&& token, Args... args)
{
    return asio::async_initiate<Token, Signature>(
        [](auto handler, auto... values) { std::move(handler)(std::move(values)...); }, token, std::move(args)...);
}

template<class T>
T outcome_of(asio::awaitable<T> running)
{
    asio::io_context context;
    const auto run = start(context, std::move(running));
    drain(context);
    if (run->thrown) std::rethrow_exception(run->thrown);
    return std::move(run->value.value());
}

using code = boost::system::error_code;
const code reset = asio::error::connection_reset;
const code aborted = asio::error::operation_aborted;

} // namespace

TEST_CASE("as_result: values of every number, and errors", "[base][as_result]")
{
    CHECK(outcome_of(complete_with<void(code)>(as_result, code())));
    CHECK(outcome_of(complete_with<void(code, int)>(as_result, code(), 3)).value() == 3);
    CHECK(outcome_of(complete_with<void(code, int, std::string)>(as_result, code(), 3, std::string("x"))).value() ==
          std::tuple(3, std::string("x")));
    const auto refused = outcome_of(complete_with<void(code, int)>(as_result, reset, 0));
    CHECK(refused.error() == cond::unreachable);
    CHECK(refused.error().message() == reset.message());
    CHECK(outcome_of(complete_with<void(code)>(as_result, aborted)).error() == cond::cancelled);
    CHECK(outcome_of(complete_with<void(code)>(as_result, aborted)).error().message().empty());
    const auto thrown = std::make_exception_ptr(std::runtime_error("no"));
    CHECK(outcome_of(complete_with<void(std::exception_ptr, int)>(as_result, thrown, 0)).error().message() == "no");
    CHECK(outcome_of(complete_with<void(std::exception_ptr)>(as_result, std::exception_ptr())));
    // Values that cannot be copied pass.
    const auto moved =
        outcome_of(complete_with<void(code, std::unique_ptr<int>)>(as_result, code(), std::make_unique<int>(7)));
    CHECK(**moved == 7);
}

namespace {

/// Waits once, or again and again.
asio::awaitable<result<>> wait_for_ever(asio::steady_timer& timer, int& waits, bool ignores_failures)
{
    for (;;) {
        ++waits;
        if (ignores_failures)
            (void)co_await timer.async_wait(as_result);
        else
            KUBECORO_TRY(co_await timer.async_wait(as_result));
    }
}

asio::awaitable<result<>> wait_by_exception(asio::steady_timer& timer)
{
    co_await timer.async_wait(asio::use_awaitable);
    co_return result<>{};
}

} // namespace

TEST_CASE("as_result: a cancelled wait is a failure, and code that goes on leaves all the same", "[base][as_result]")
{
    asio::io_context context;
    asio::steady_timer timer(context, asio::steady_timer::time_point::max());
    const auto end_of = [&](asio::awaitable<result<>> running) {
        const auto run = start(context, catch_failure(std::move(running)));
        drain(context);
        CHECK_FALSE(run->done);
        run->cancel();
        drain(context);
        REQUIRE(run->value);
        return run->value->error();
    };
    int waits = 0;
    CHECK(end_of(wait_for_ever(timer, waits, false)) == cond::cancelled);
    CHECK(waits == 1);
    // Its next co_await throws, and what called it makes the same failure of that.
    CHECK(end_of(wait_for_ever(timer, waits, true)) == cond::cancelled);
    CHECK(waits == 3);
    CHECK(end_of(wait_by_exception(timer)) == cond::cancelled);
}
