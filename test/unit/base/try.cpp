#include "coroutine_fixture.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/test/catch.hpp>

#include <memory>
#include <string>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::result;
using kubecoro::test::drain;
using kubecoro::test::start;

namespace {

asio::awaitable<result<std::string>> name_of(int n)
{
    if (n < 0) co_return failure(cond::invalid, "negative").with_request("GET", "/names").because("cannot name it");
    co_return std::string("a name that is too long to be stored in place: ") + std::to_string(n);
}

asio::awaitable<result<>> check(int n)
{
    if (n > 9) co_return failure(cond::forbidden, "too large");
    co_return result<>{};
}

/// Counts the steps that it came through.
asio::awaitable<result<std::size_t>> both_names(int first, int second, int limit, int& steps)
{
    KUBECORO_TRY(auto name, co_await name_of(first));
    ++steps;
    KUBECORO_TRY(const std::string other, co_await name_of(second));
    ++steps;
    KUBECORO_TRY(co_await check(limit));
    ++steps;
    KUBECORO_TRY(name, co_await name_of(first + 1));
    co_return name.size() + other.size();
}

template<class T>
result<T> outcome_of(asio::awaitable<result<T>> work)
{
    asio::io_context context;
    const auto run = start(context, std::move(work));
    drain(context);
    return *run->value;
}

asio::awaitable<result<int>> moves(std::unique_ptr<int> held)
{
    const auto give = [](std::unique_ptr<int>& p) -> result<std::unique_ptr<int>> { return std::move(p); };
    KUBECORO_TRY(auto mine, give(held));
    co_return *mine;
}

asio::awaitable<result<int>> in_branches(bool ask)
{
    // An `else` after the form without a value belongs to this `if`.
    if (ask)
        KUBECORO_TRY(co_await check(10));
    else
        co_return 2;
    co_return 1;
}

asio::awaitable<result<int>> in_one_branch(bool ask)
{
    if (ask) KUBECORO_TRY(co_await check(10));
    co_return 1;
}

} // namespace

TEST_CASE("KUBECORO_TRY: values are unwrapped and the coroutine goes on", "[base][try]")
{
    int steps = 0;
    CHECK(outcome_of(both_names(1, 22, 3, steps)).value() == 48 + 49);
    CHECK(steps == 3);
    CHECK(outcome_of(moves(std::make_unique<int>(7))).value() == 7);
}

TEST_CASE("KUBECORO_TRY: a failure leaves at once, with its request and its causes", "[base][try]")
{
    int steps = 0;
    const auto second = outcome_of(both_names(1, -1, 3, steps));
    CHECK(steps == 1);
    REQUIRE_FALSE(second);
    CHECK(second.error() == cond::invalid);
    CHECK(second.error().message() == "cannot name it");
    CHECK(second.error().target() == "/names");
    REQUIRE(second.error().cause() != nullptr);
    CHECK(second.error().cause()->message() == "negative");

    steps = 0;
    const auto third = outcome_of(both_names(1, 1, 10, steps));
    CHECK(steps == 2);
    CHECK(third.error() == cond::forbidden);
}

TEST_CASE("KUBECORO_TRY: the form without a value is one statement", "[base][try]")
{
    CHECK(outcome_of(in_branches(true)).error() == cond::forbidden);
    CHECK(outcome_of(in_branches(false)).value() == 2);
    CHECK(outcome_of(in_one_branch(true)).error() == cond::forbidden);
    CHECK(outcome_of(in_one_branch(false)).value() == 1);
}
