// The small sans-io cores: pool, retries, token, pager.
#include "auth/token_core.hpp"
#include "http/connection_pool_core.hpp"
#include "http/retry_core.hpp"
#include "rest/pager_core.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
using ids = std::vector<connection_pool_core::id>;

namespace {

const connection_pool_core::moment start{};

list_page page(std::initializer_list<const char*> names, std::string version, std::string next = {})
{
    list_page out;
    for (const char* name : names)
        out.items.push_back(*object::parse(std::string(R"({"metadata":{"name":")") + name + R"("}})"));
    out.resource_version = std::move(version);
    out.continue_token = std::move(next);
    return out;
}

} // namespace

TEST_CASE("pool: the most recent idle connection is reused first", "[client][pool]")
{
    connection_pool_core pool;
    CHECK_FALSE(pool.take());
    CHECK(pool.put(1, start).empty());
    CHECK(pool.put(2, start + 1s).empty());
    CHECK(pool.take() == 2);
    CHECK(pool.take() == 1);
    CHECK_FALSE(pool.take());
}

TEST_CASE("pool: idle connections are closed after the timeout, oldest first", "[client][pool]")
{
    connection_pool_core pool({.max_idle = 10, .idle_timeout = 90s});
    CHECK(pool.put(1, start).empty());
    CHECK(pool.put(2, start + 10s).empty());
    CHECK(pool.expire(start + 89s).empty());
    CHECK(pool.expire(start + 90s) == ids{1});
    CHECK(pool.put(3, start + 100s) == ids{2});
    CHECK(pool.idle() == 1);
}

TEST_CASE("pool: the oldest idle connection can be looked at and removed", "[client][pool]")
{
    connection_pool_core pool;
    CHECK_FALSE(pool.oldest());
    CHECK(pool.put(1, {}).empty());
    CHECK(pool.put(2, {}).empty());
    CHECK(pool.oldest() == 1);
    CHECK(pool.remove_oldest() == std::vector<connection_pool_core::id>{1});
    CHECK(pool.oldest() == 2);
    CHECK(pool.take() == 2);
    CHECK_FALSE(pool.oldest());
}

TEST_CASE("pool: too many idle connections evict the oldest", "[client][pool]")
{
    connection_pool_core pool({.max_idle = 2});
    CHECK(pool.put(1, start).empty());
    CHECK(pool.put(2, start).empty());
    CHECK(pool.put(3, start) == ids{1});
    CHECK(pool.take() == 3);
    connection_pool_core none({.max_idle = 0});
    CHECK(none.put(7, start) == ids{7});
}

TEST_CASE("retry: only a refusal with Retry-After is retried, up to the maximum", "[client][retry]")
{
    retry_core core(2);
    const auto wait = [](const retry_core::action& a) {
        const auto* w = std::get_if<retry_core::wait>(&a);
        return w ? std::optional(w->length) : std::nullopt;
    };
    CHECK_FALSE(wait(core.on_answer(200, 1s, false)));
    CHECK_FALSE(wait(core.on_answer(404, 1s, false)));
    CHECK_FALSE(wait(core.on_answer(429, {}, false)));
    CHECK_FALSE(wait(core.on_answer(503, {}, false)));
    CHECK_FALSE(wait(core.on_answer(429, 3600s, false)));
    CHECK(wait(core.on_answer(429, 3s, false)) == 3s);
    CHECK(wait(core.on_answer(503, 0s, false)) == 0s);
    CHECK_FALSE(wait(core.on_answer(500, 1s, false)));
}

TEST_CASE("retry: the pause is what the server asks for, and up to half of it more", "[client][retry]")
{
    CHECK(spread(4s, 0.0) == 4s);
    CHECK(spread(4s, 0.5) == 5s);
    CHECK(spread(4s, 0.999) < 6s);
    CHECK(spread(0s, 0.9) == 0s);
}

TEST_CASE("retry: a 401 renews the credentials once", "[client][retry]")
{
    retry_core core(10);
    CHECK(std::holds_alternative<retry_core::renew_credentials>(core.on_answer(401, {}, true)));
    CHECK(std::holds_alternative<retry_core::deliver>(core.on_answer(401, {}, true)));
    retry_core fixed(10);
    CHECK(std::holds_alternative<retry_core::deliver>(fixed.on_answer(401, {}, false)));
}

TEST_CASE("retry: Retry-After is a whole number of seconds or nothing", "[client][retry]")
{
    CHECK(parse_retry_after("7") == 7s);
    CHECK(parse_retry_after("0") == 0s);
    for (const char* text : {"", "-1", "1.5", "7 ", "Wed, 21 Oct 2015 07:28:00 GMT", "99999999999999"})
        CHECK_FALSE(parse_retry_after(text));
}

TEST_CASE("retry: on a dead idle connection, a read or partly sent request is repeated once", "[client][retry]")
{
    const broken_attempt idle{.method = "GET", .reused = true, .wholly_sent = true, .why = cond::unreachable};
    const auto with = [&](auto change) {
        auto a = idle;
        change(a);
        return may_repeat(a);
    };
    for (const char* method : {"GET", "HEAD", "OPTIONS"})
        for (const cond why : {cond::unreachable, cond::timed_out}) {
            INFO(method);
            CHECK(with([&](auto& a) { a.method = method, a.why = why; }));
            CHECK_FALSE(with([&](auto& a) { a.method = method, a.why = why, a.earlier = 1; }));
            CHECK_FALSE(with([&](auto& a) { a.method = method, a.why = why, a.answer_begun = true; }));
        }
    for (const char* method : {"POST", "PATCH", "PUT", "DELETE"}) {
        INFO(method);
        // The server may have carried it out, and others may have written since.
        CHECK_FALSE(with([&](auto& a) { a.method = method; }));
        CHECK(with([&](auto& a) { a.method = method, a.wholly_sent = false; }));
        CHECK_FALSE(with([&](auto& a) { a.method = method, a.wholly_sent = false, a.answer_begun = true; }));
        CHECK_FALSE(with([&](auto& a) { a.method = method, a.wholly_sent = false, a.earlier = 1; }));
    }
    for (const cond why : {cond::cancelled, cond::corrupt, cond::internal})
        CHECK_FALSE(with([&](auto& a) { a.method = "GET", a.why = why; }));
}

TEST_CASE("retry: on a broken new connection, only requests without side effects are repeated", "[client][retry]")
{
    for (const char* method : {"GET", "HEAD", "OPTIONS"}) {
        CHECK(may_repeat({.method = method, .wholly_sent = true}));
        CHECK_FALSE(may_repeat({.method = method, .wholly_sent = true, .why = cond::timed_out}));
    }
    for (const char* method : {"PUT", "DELETE", "POST", "PATCH"}) {
        CHECK_FALSE(may_repeat({.method = method, .wholly_sent = true}));
        CHECK_FALSE(may_repeat({.method = method, .wholly_sent = false}));
    }
}

TEST_CASE("token: the file is read first at once, then after fifty seconds", "[client][token]")
{
    token_core core("inline");
    CHECK(core.stale(start));
    CHECK(core.token() == "inline");
    CHECK(core.loaded(" one\n", start));
    CHECK(core.token() == "one");
    CHECK_FALSE(core.stale(start + 49s));
    CHECK(core.stale(start + 50s));
    CHECK(core.loaded("one", start + 50s));
    CHECK(core.token() == "one");
    CHECK_FALSE(core.stale(start + 51s));
    CHECK(core.loaded("two", start + 60s));
    CHECK(core.token() == "two");
}

TEST_CASE("token: an empty file keeps the token and is read again", "[client][token]")
{
    token_core core;
    CHECK(core.loaded("one", start));
    CHECK_FALSE(core.loaded(" \n", start + 60s));
    CHECK(core.token() == "one");
    CHECK(core.stale(start + 60s));
}

TEST_CASE("token: a reason why the file cannot be read is reported once in five minutes", "[client][token]")
{
    token_core core;
    CHECK(core.failed("missing", start));
    CHECK_FALSE(core.failed("missing", start + 299s));
    CHECK(core.failed("missing", start + 300s));
    CHECK_FALSE(core.failed("missing", start + 301s));
    CHECK(core.failed("empty", start + 302s));
    CHECK_FALSE(core.failed("empty", start + 303s));
    CHECK(core.loaded("one", start + 304s));
    CHECK(core.failed("empty", start + 305s));
}

TEST_CASE("pager: later pages carry the token alone and the first page's version is kept", "[client][pager]")
{
    list_options asked;
    asked.resource_version = "5";
    asked.match = version_match::not_older_than;
    asked.label_selector = "a=b";
    pager_core pager(asked);
    auto first = pager.next();
    REQUIRE(first);
    CHECK(first->limit == 500);
    CHECK(first->resource_version == "5");
    CHECK_FALSE(pager.on_page(page({"a", "b"}, "10", "t1")));
    auto second = pager.next();
    REQUIRE(second);
    CHECK(second->resource_version.empty());
    CHECK(second->match == version_match::unset);
    CHECK(second->continue_token == "t1");
    CHECK(second->label_selector == "a=b");
    CHECK_FALSE(pager.on_page(page({"c"}, "11")));
    CHECK_FALSE(pager.next());
    auto all = std::move(pager).result();
    CHECK(all.items.size() == 3);
    CHECK(all.resource_version == "10");
}

TEST_CASE("pager: a version is the oldest that is wanted, however long the pages are", "[client][pager]")
{
    list_options asked;
    asked.limit = GENERATE(std::uint32_t{0}, std::uint32_t{7});
    CHECK(pager_core(asked).next()->match == version_match::unset);
    asked.resource_version = "0";
    CHECK(pager_core(asked).next()->match == version_match::unset);
    asked.resource_version = "5";
    CHECK(pager_core(asked).next()->match == version_match::not_older_than);
    asked.match = version_match::exact;
    CHECK(pager_core(asked).next()->match == version_match::exact);
}

TEST_CASE("pager: cyclic or endless pages are corrupt", "[client][pager]")
{
    pager_core pager{list_options()};
    CHECK_FALSE(pager.on_page(page({"a", "b"}, "10", "t1")));
    SECTION("the same token again")
    {
        const auto last = pager.on_page(page({"c"}, "10", "t1"));
        REQUIRE(last);
        CHECK(last->condition() == cond::corrupt);
    }
    SECTION("the same token again, later")
    {
        CHECK_FALSE(pager.on_page(page({"b"}, "10", "t2")));
        CHECK_FALSE(pager.on_page(page({"c"}, "10", "t3")));
        const auto last = pager.on_page(page({"d"}, "10", "t3"));
        REQUIRE(last);
        CHECK(last->condition() == cond::corrupt);
    }
    SECTION("later pages that take turns")
    {
        std::optional<failure> last;
        unsigned pages = 0;
        for (; !last && pages < 1000; ++pages)
            last = pager.on_page(page({"c"}, "10", "turn" + std::to_string(pages % 7)));
        REQUIRE(last);
        CHECK(last->condition() == cond::corrupt);
        CHECK(pages < 4 * 7);
    }
    SECTION("the first page again")
    {
        CHECK_FALSE(pager.on_page(page({}, "10", "t2")));
        const auto last = pager.on_page(page({"a"}, "10", "t3"));
        REQUIRE(last);
        CHECK(last->condition() == cond::corrupt);
    }
    SECTION("no end")
    {
        std::optional<failure> last;
        for (unsigned n = 0; !last && n <= pager_core::max_pages; ++n)
            last = pager.on_page(page({}, "10", "n" + std::to_string(n)));
        REQUIRE(last);
        CHECK(last->condition() == cond::corrupt);
    }
}

TEST_CASE("pager: an expired chain becomes one full list at the original version", "[client][pager]")
{
    list_options asked;
    asked.resource_version = "5";
    asked.limit = 2;
    pager_core pager(asked);
    CHECK_FALSE(pager.on_page(page({"a", "b"}, "10", "t1")));
    CHECK_FALSE(pager.on_failure(failure(cond::expired)));
    auto whole = pager.next();
    REQUIRE(whole);
    CHECK(whole->limit == 0);
    CHECK(whole->resource_version == "5");
    CHECK(whole->continue_token.empty());
    CHECK(pager.on_failure(failure(cond::expired)));
    CHECK_FALSE(pager.on_page(page({"a", "b", "c"}, "12")));
    CHECK_FALSE(pager.next());
    auto all = std::move(pager).result();
    CHECK(all.items.size() == 3);
    CHECK(all.resource_version == "12");
}

TEST_CASE("pager: a 410 on the first page and every other failure end the list", "[client][pager]")
{
    pager_core first{list_options()};
    CHECK(first.on_failure(failure(cond::expired)));
    pager_core later{list_options()};
    CHECK_FALSE(later.on_page(page({"a"}, "1", "t")));
    CHECK(later.on_failure(failure(cond::unreachable)));
}
