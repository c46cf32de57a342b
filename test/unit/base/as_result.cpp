// Asio's own operations as results.
#include <kubecoro/test/catch.hpp>

#include <kubecoro/base/as_result.hpp>
#include <kubecoro/base/try.hpp>

#include "coroutine_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

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

namespace {

using asio::ip::tcp;
namespace http = boost::beast::http;

asio::awaitable<result<>> serve_one(tcp::acceptor& at)
{
    KUBECORO_TRY(auto socket, co_await at.async_accept(as_result));
    boost::beast::flat_buffer buffer;
    http::request<http::empty_body> asked;
    KUBECORO_TRY(co_await http::async_read(socket, buffer, asked, as_result));
    http::response<http::string_body> answer(http::status::ok, asked.version(), "hello");
    answer.prepare_payload();
    KUBECORO_TRY(co_await http::async_write(socket, answer, as_result));
    co_return result<>{};
}

/// A client as users of Beast write it.
asio::awaitable<result<std::string>> ask(tcp::endpoint server, bool by_list)
{
    boost::beast::tcp_stream stream(co_await asio::this_coro::executor);
    const std::vector<tcp::endpoint> addresses{server};
    if (by_list)
        KUBECORO_TRY(co_await stream.async_connect(addresses, as_result));
    else
        KUBECORO_TRY(co_await stream.async_connect(server, as_result));
    const http::request<http::empty_body> wanted(http::verb::get, "/", 11);
    KUBECORO_TRY(const auto sent, co_await http::async_write(stream, wanted, as_result));
    CHECK(sent > 0);
    boost::beast::flat_buffer buffer;
    http::response<http::string_body> answer;
    KUBECORO_TRY(co_await http::async_read(stream, buffer, answer, as_result));
    co_return answer.body();
}

} // namespace

TEST_CASE("as_result: operations of Beast give results", "[base][as_result]")
{
    for (const bool by_list : {false, true}) {
        asio::io_context context;
        tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
        const auto serving = start(context, serve_one(acceptor));
        const auto asking = start(context, ask(acceptor.local_endpoint(), by_list));
        context.run();
        REQUIRE(asking->value);
        CHECK(asking->value->value() == "hello");
        REQUIRE(serving->value);
        CHECK(serving->value->has_value());
    }
}

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
