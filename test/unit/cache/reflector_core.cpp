// Tests of the reflector's decisions as scripts: its next action for each input.

#include "reflector_script.hpp"

using namespace reflector_test;

TEST_CASE("reflector: the first list asks for version 0, the watch for the list's version", "[cache][reflector]")
{
    script s;
    const auto first = s.start();
    CHECK(first.resource_version == "0");
    CHECK(first.limit == 500);
    CHECK(first.continue_token.empty());
    s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    CHECK(s.replaces().items.size() == 1);
    CHECK(s.replaces().resource_version == "5");
    CHECK(s.c.resource_version().empty());
    s.applied();
    CHECK(s.c.resource_version() == "5");
    const auto watch = s.watches();
    CHECK(watch.resource_version == "5");
    CHECK(watch.allow_bookmarks);
    s.opened();
    CHECK(s.reads());
    CHECK(s.c.state() == informer_state::watching);
}

TEST_CASE("reflector: pages after the first have the token and no version, and the first page's version counts",
          "[cache][reflector]")
{
    script s;
    s.start();
    s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"));
    CHECK(s.lists().continue_token == "t1");
    CHECK(s.lists().resource_version.empty());
    CHECK(s.lists().limit == 500);
    s.page(kt::make_page({kt::make_pod("web", "b", "2")}, "6", "t2"));
    CHECK(s.lists().continue_token == "t2");
    s.page(kt::make_page({kt::make_pod("web", "c", "3")}, "7"));
    CHECK(s.replaces().items.size() == 3);
    CHECK(s.replaces().resource_version == "5");
    CHECK(s.c.stats().lists == 1);
    CHECK(s.c.stats().pages == 3);
}

TEST_CASE("reflector: where no objects are wanted yet, a list asks for one and keeps none", "[cache][reflector]")
{
    script s({}, {"Pod", "v1", ""}, 3, std::make_shared<watch_list_ability>());
    s.c.want_none();
    auto asked = s.start();
    s.list_fails(failure(cond::forbidden, "no"));
    s.waits();
    asked = s.lists();
    CHECK(asked.limit == 1);
    CHECK(asked.resource_version.empty());
    CHECK(asked.continue_token.empty());
    s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"));
    CHECK(s.replaces().items.empty());
    CHECK(s.replaces().resource_version == "5");
    s.applied();
    CHECK(s.watches().resource_version == "5");
    s.opened();
    CHECK(s.reads());
    CHECK(s.c.stats().pages == 2);

    // The next list is a whole one, streamed where that is possible.
    s.c.want_list();
    s.next = s.c.on_silence(s.now);
    s.next = s.c.on_turn(s.now);
    CHECK(s.watches().send_initial_events == true);
    CHECK(s.relists(relist_reason::share_grew) == 1);
}

TEST_CASE("reflector: a server with an endless chain of pages is retried with backoff", "[cache][reflector]")
{
    script s;
    s.start();
    s.page(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5", "t1"));
    SECTION("the same token again") { s.page(kt::make_page({kt::make_pod("web", "c", "3")}, "5", "t1")); }
    SECTION("later pages that take turns")
    {
        int pages = 0;
        for (; std::holds_alternative<core::do_list>(s.next); ++pages)
            s.page(kt::make_page({kt::make_pod("web", "c" + std::to_string(pages % 7), "3")}, "5",
                                 "turn" + std::to_string(pages % 7)));
        CHECK(pages < 4 * 7);
    }
    SECTION("the first page again")
    {
        s.page(kt::make_page({}, "5", "t2")); // no object of this page matches the selector
        s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t3"));
    }
    SECTION("no end")
    {
        int pages = 1;
        for (; std::holds_alternative<core::do_list>(s.next); ++pages)
            s.page(kt::make_page({}, "5", "n" + std::to_string(pages)));
        CHECK(pages > 1000);
    }
    CHECK(s.waits() > 0s);
    CHECK(s.lists().continue_token.empty());
    REQUIRE(s.c.stats().last_failure);
    CHECK(*s.c.stats().last_failure == cond::corrupt);
    CHECK(s.c.stats().events_added == 0);
}

TEST_CASE("reflector: a page chain that expires becomes one full list at the original version", "[cache][reflector]")
{
    script s;
    s.start();
    s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"));
    s.list_fails(gone());
    CHECK(s.lists().resource_version == "0");
    CHECK(s.lists().limit == 0);
    CHECK(s.lists().continue_token.empty());
    SECTION("and succeeds without the pages of the chain")
    {
        s.page(kt::make_page({kt::make_pod("web", "b", "2")}, "9"));
        REQUIRE(s.replaces().items.size() == 1);
        CHECK(s.replaces().resource_version == "9");
    }
    SECTION("and when that expires too, the newest version is requested at once")
    {
        s.list_fails(gone());
        CHECK(s.lists().resource_version.empty());
    }
}

TEST_CASE("reflector: page sizes follow the requested version", "[cache][reflector]")
{
    SECTION("a relist at a version is not paged: a limit would force the server to read etcd")
    {
        script s;
        s.to_watch();
        s.events({kt::error_event(410, "Expired")});
        s.waits();
        CHECK(s.lists().resource_version == "5");
        CHECK(s.lists().limit == 0);
    }
    SECTION("unless the list at 0 was paginated: then the server has no cache")
    {
        script s;
        s.start();
        s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"));
        s.page(kt::make_page({}, "5"));
        s.applied();
        s.opened();
        s.events({kt::error_event(410, "Expired")});
        s.waits();
        CHECK(s.lists().limit == 500);
    }
    SECTION("even when its chain broke and one full list replaced it")
    {
        script s;
        s.start();
        s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"));
        s.list_fails(gone());
        s.page(kt::make_page({}, "5"));
        s.applied();
        s.opened();
        s.events({kt::error_event(410, "Expired")});
        s.waits();
        CHECK(s.lists().limit == 500);
    }
    SECTION("the policy's size takes precedence")
    {
        script s({.page_size = 7});
        CHECK(s.start().limit == 7);
    }
}

TEST_CASE("reflector: a list that has expired or is too far ahead requests the newest at once, and only once",
          "[cache][reflector]")
{
    const bool expired = GENERATE(true, false);
    const failure why =
        expired ? gone() : kt::server_failure(504, "Timeout", "Timeout: Too large resource version: 9, current: 5");
    script s;
    s.to_watch();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    s.list_fails(why);
    CHECK(s.lists().resource_version.empty());
    CHECK(s.lists().limit == 500);
    CHECK(s.relists(expired ? relist_reason::expired : relist_reason::too_large) == (expired ? 2 : 1));
    s.list_fails(why);
    s.waits();
    CHECK(s.lists().resource_version.empty());
    s.page(kt::make_page({}, "20"));
    s.applied();
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    CHECK(s.lists().resource_version == "20");
}

TEST_CASE("reflector: a version that the server refuses as invalid is given up for the newest list",
          "[cache][reflector]")
{
    const auto refused = kt::server_failure(400, "BadRequest", "invalid resource version");
    script s;
    s.to_watch();
    s.events({kt::bookmark("not a version")});
    s.applied();
    s.ends();
    s.refused(refused);
    s.waits();
    CHECK(s.lists().resource_version == "not a version");
    s.list_fails(refused);
    CHECK(s.lists().resource_version.empty());
    SECTION("the newest is listed")
    {
        s.page(kt::make_page({}, "20"));
        s.applied();
        CHECK(s.watches().resource_version == "20");
    }
    SECTION("another part of the request is invalid: only the first list is repeated at once")
    {
        s.list_fails(refused);
        s.waits();
        CHECK(s.lists().resource_version.empty());
        s.list_fails(refused);
        s.waits();
    }
}

TEST_CASE("reflector: a 410 on a watch relists at the last seen version", "[cache][reflector]")
{
    script s;
    s.to_watch();
    s.events({kt::added(kt::make_pod("web", "b", "7"))});
    s.applied();
    SECTION("as an event in the stream") { s.events({kt::error_event(410, "Expired")}); }
    SECTION("as an event, in the old wording") { s.events({kt::error_event(410, "Gone")}); }
    SECTION("as the failure of the stream") { s.breaks(gone()); }
    SECTION("at the start of the next watch")
    {
        s.ends();
        s.refused(gone());
    }
    const auto delay = s.waits();
    CHECK(delay >= 800ms);
    CHECK(delay <= 1600ms);
    CHECK(s.lists().resource_version == "7");
    CHECK(s.relists(relist_reason::expired) == 1);
}

TEST_CASE("reflector: the regular end of a watch is no failure: watch again at once, at the version reached",
          "[cache][reflector]")
{
    script s;
    s.to_watch();
    SECTION("after an event, however soon")
    {
        s.events({kt::added(kt::make_pod("web", "b", "7"))});
        s.applied();
        s.ends();
        CHECK(s.watches().resource_version == "7");
    }
    SECTION("after a bookmark")
    {
        s.events({kt::bookmark("8")});
        s.applied();
        s.ends();
        CHECK(s.watches().resource_version == "8");
    }
    SECTION("after a second of silence")
    {
        s.now += 1s;
        s.ends();
        CHECK(s.watches().resource_version == "5");
    }
    CHECK(s.c.stats().reconnects == 0);
    CHECK(s.c.stats().lists == 1);
    CHECK(s.c.stats().failures == 0);
}

TEST_CASE("reflector: a watch that ends within a second without an event is a refusal: relist with backoff",
          "[cache][reflector]")
{
    script s;
    s.to_watch();
    s.now += 999ms;
    SECTION("silent") {}
    SECTION("a bookmark at its first version does not count either") { s.events({kt::bookmark("5")}); }
    s.ends();
    CHECK(s.waits() >= 800ms);
    CHECK(s.lists().resource_version == "5");
    CHECK(s.relists(relist_reason::short_watch) == 1);
}

TEST_CASE("reflector: a watch that the client itself ends within a second is no failure: watch with backoff",
          "[cache][reflector]")
{
    script s;
    s.to_watch();
    SECTION("short")
    {
        s.now += 999ms;
        s.ends_early();
        CHECK(s.waits() >= 800ms);
        CHECK(s.watches().resource_version == "5");
    }
    SECTION("not short")
    {
        s.now += 1s;
        s.ends_early();
        CHECK(s.watches().resource_version == "5");
    }
    CHECK(s.c.stats().lists == 1);
    CHECK(s.c.stats().failures == 0);
}

TEST_CASE("reflector: a refused connection or a 429 keeps the version and does not list", "[cache][reflector]")
{
    script s;
    s.to_watch();
    SECTION("connection refused at the start")
    {
        s.now += 2s;
        s.ends();
        s.refused(refused_connection());
    }
    SECTION("429 at the start")
    {
        s.now += 2s;
        s.ends();
        s.refused(kt::server_failure(429, "TooManyRequests"));
    }
    SECTION("no response at the start")
    {
        s.now += 2s;
        s.ends();
        s.refused(failure(cond::timed_out));
    }
    SECTION("429 as an event") { s.events({kt::error_event(429, "TooManyRequests")}); }
    CHECK(s.waits() >= 800ms);
    CHECK(s.watches().resource_version == "5");
    CHECK(s.c.stats().lists == 1);
    CHECK(s.c.stats().reconnects == 1);
}

TEST_CASE("reflector: any other refusal of a watch relists with backoff", "[cache][reflector]")
{
    const int code = GENERATE(400, 401, 403, 404, 500);
    script s;
    s.start();
    s.page(kt::make_page({}, "5"));
    s.applied();
    s.refused(kt::server_failure(code, "Whatever"));
    CHECK(s.waits() >= 800ms);
    CHECK(s.lists().resource_version == "5");
    CHECK(s.relists(relist_reason::watch_refused) == 1);
}

TEST_CASE("reflector: a stream that breaks is resumed at the last version", "[cache][reflector]")
{
    script s;
    s.to_watch();
    SECTION("at once when it had delivered something")
    {
        s.events({kt::added(kt::make_pod("web", "b", "7"))});
        s.applied();
        s.breaks(failure(cond::unreachable, "reset"));
        CHECK(s.watches().resource_version == "7");
    }
    SECTION("at once when it had lasted")
    {
        s.now += 1s;
        s.breaks(failure(cond::unreachable, "reset"));
        CHECK(s.watches().resource_version == "5");
    }
    SECTION("with backoff when it broke at once")
    {
        s.breaks(failure(cond::unreachable, "reset"));
        CHECK(s.waits() >= 800ms);
        CHECK(s.watches().resource_version == "5");
    }
    SECTION("at once when it was silent beyond its end")
    {
        s.now += 11min;
        s.next = s.c.on_silence(s.now);
        CHECK(s.c.stats().overdue_ends == 1);
        CHECK(s.watches().resource_version == "5");
    }
    CHECK(s.c.stats().reconnects == 1);
    CHECK(s.c.stats().lists == 1);
}

TEST_CASE("reflector: a stream that cannot be decoded relists, after earlier events were applied", "[cache][reflector]")
{
    script s;
    s.to_watch();
    s.events({kt::added(kt::make_pod("web", "b", "7"))});
    s.applied();
    s.breaks(failure(cond::corrupt, "broken JSON at byte 17"));
    s.waits();
    CHECK(s.lists().resource_version == "7");
    CHECK(s.c.stats().decode_errors == 1);
    CHECK(s.relists(relist_reason::corrupt) == 1);
}

TEST_CASE("reflector: other errors in the stream relist with backoff", "[cache][reflector]")
{
    script s;
    s.to_watch();
    s.events({kt::modified(kt::make_pod("web", "a", "6")), kt::error_event(500, "InternalError"),
              kt::added(kt::make_pod("web", "z", "9"))});
    // Events before the error count, those after it do not.
    const auto apply = s.as<core::do_apply>();
    CHECK(apply.changes.size() == 1);
    CHECK(apply.resource_version == "6");
    s.applied();
    s.waits();
    CHECK(s.lists().resource_version == "6");
    CHECK(s.relists(relist_reason::server_error) == 1);
}

TEST_CASE("reflector: lists before the first success are not counted as relists", "[cache][reflector]")
{
    script s;
    s.start();
    for (int i = 0; i < 3; ++i) {
        s.list_fails(kt::server_failure(403, "Forbidden"));
        s.waits();
        s.lists();
    }
    CHECK(s.relists(relist_reason::list_failed) == 0);
    CHECK(s.c.stats().lists == 4);
    s.page(kt::make_page({}, "5"));
    s.applied();
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    s.lists();
    CHECK(s.relists(relist_reason::expired) == 1);
    CHECK(s.c.stats().relists_total() == 1);
}
