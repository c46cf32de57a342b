#include "listener/news_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <string>
#include <vector>

using kubecoro::cond;
using kubecoro::failure;
using kubecoro::time_point;
using kubecoro::detail::news_core;
using namespace std::chrono_literals;

namespace {

failure forbidden(std::string message)
{
    kubecoro::server_status s;
    s.code = 403;
    s.reason = "Forbidden";
    s.message = std::move(message);
    return failure(std::move(s));
}

} // namespace

TEST_CASE("news: a failure is new once, then every few minutes; the request does not count", "[cache][news]")
{
    news_core told;
    const time_point begin(1h);
    const auto why = forbidden("not you");
    CHECK(told.is_news("list failed", why.with_request("GET", "/api/v1/pods?timeoutSeconds=300"), begin));
    CHECK_FALSE(told.is_news("list failed", why.with_request("GET", "/api/v1/pods?timeoutSeconds=301"), begin + 1s));
    CHECK_FALSE(told.is_news("list failed", why, begin + news_core::told_again_after - 1s));
    CHECK(told.is_news("list failed", why, begin + news_core::told_again_after));
    CHECK_FALSE(told.is_news("list failed", why, begin + news_core::told_again_after + 1s));
}

TEST_CASE("news: a server that cannot be reached is said again soon, then less and less often", "[cache][news]")
{
    news_core told;
    const time_point begin(1h);
    const failure away(cond::unreachable, "Connection refused");
    std::vector<long> at;
    for (int second = 0; second < 1000; ++second)
        if (told.is_news("list failed", away, begin + std::chrono::seconds(second))) at.push_back(second);
    CHECK(at == std::vector<long>{0, 10, 30, 70, 150, 310, 610, 910});
    // It was reached in the meantime.
    CHECK(told.is_news("list failed", away, begin + 2h));
    CHECK(told.is_news("list failed", away, begin + 2h + 10s));
}

TEST_CASE("news: another operation, condition, message or cause is new, and alternating ones are reported once each",
          "[cache][news]")
{
    news_core told;
    const time_point now(1h);
    CHECK(told.is_news("list failed", forbidden("a"), now));
    CHECK(told.is_news("watch refused", forbidden("a"), now));
    CHECK(told.is_news("list failed", forbidden("b"), now));
    CHECK(told.is_news("list failed", failure(cond::unreachable, "a"), now));
    CHECK(told.is_news("list failed", failure(cond::unreachable, "b"), now));
    CHECK(told.is_news("list failed", failure(cond::unreachable, "b").because("a"), now));
    CHECK_FALSE(told.is_news("list failed", forbidden("a"), now));
    CHECK_FALSE(told.is_news("list failed", forbidden("b"), now));
}

TEST_CASE("news: ever new messages use bounded memory and are always reported", "[cache][news]")
{
    news_core told;
    for (std::size_t i = 0; i < 10 * news_core::most_kinds; ++i)
        CHECK(told.is_news("skipped", failure(cond::corrupt, std::to_string(i)), time_point(1h)));
}
