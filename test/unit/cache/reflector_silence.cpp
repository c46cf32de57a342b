// Tests of half-open watches and of internal errors that are retried without a relist.

#include "reflector_script.hpp"

using namespace reflector_test;

TEST_CASE("reflector: a watch that had bookmarks and falls silent is ended and resumed", "[cache][reflector][idle]")
{
    script s;
    s.to_watch();
    const auto overdue = s.c.silent_until();
    SECTION("a quiet watch stays open until it is overdue")
    {
        s.now += 10s;
        s.events({kt::added(kt::make_pod("web", "b", "7"))});
        s.applied();
        CHECK(s.c.silent_until() == overdue);
    }
    SECTION("one bookmark does not count as regular")
    {
        s.now += 60s;
        s.events({kt::bookmark("8")});
        s.applied();
        CHECK(s.c.silent_until() == overdue);
    }
    SECTION("two do")
    {
        for (int i = 0; i < 2; ++i) {
            s.now += 60s;
            s.events({kt::bookmark(std::to_string(8 + i))});
            s.applied();
        }
        REQUIRE(overdue - s.now > 3min);
        CHECK(s.c.silent_until() == s.now + 3min);
        s.now = s.c.silent_until();
        s.next = s.c.on_silence(s.now);
        CHECK(s.watches().resource_version == "9");
        CHECK(s.c.stats().idle_ends == 1);
        CHECK(s.c.stats().overdue_ends == 0);
        // The next watch has had none: it is not ended early if the resource is only quiet.
        s.opened();
        CHECK(s.c.silent_until() > s.now + 5min);
    }
    CHECK(s.c.stats().lists == 1);
}

TEST_CASE("reflector: time in which the sink had no room is no silence of the watch", "[cache][reflector][idle]")
{
    script s({.idle_timeout = 2min, .idle_needs_bookmarks = false});
    s.to_watch();
    s.events({kt::added(kt::make_pod("web", "b", "7"))});
    s.applied();
    SECTION("briefly")
    {
        s.now += 90s;
        s.c.on_released(s.now, s.now);
        CHECK(s.c.silent_until() == s.now + 2min);
    }
    SECTION("past the watch's deadline: its end may have arrived long ago")
    {
        s.now += 1h;
        s.c.on_released(s.now, s.now);
        CHECK(s.c.silent_until() == s.now + 30s); // watch_grace
    }
}

TEST_CASE("reflector: idle detection without bookmarks, and none at all", "[cache][reflector][idle]")
{
    script every({.idle_timeout = 2min, .idle_needs_bookmarks = false});
    every.to_watch();
    CHECK(every.c.silent_until() == every.now + 2min);
    script none({.idle_timeout = 0s});
    none.to_watch();
    none.events({kt::bookmark("8"), kt::bookmark("9")});
    none.applied();
    CHECK(none.c.silent_until() > none.now + 5min);
}

TEST_CASE("reflector: internal errors of a watch are retried without a relist for the configured time",
          "[cache][reflector]")
{
    script s({.internal_error_retry = 1min});
    s.to_watch();
    const bool in_stream = GENERATE(true, false);
    const auto goes_wrong = [&] {
        if (in_stream) return s.events({kt::error_event(500, "InternalError")});
        s.now += 2s;
        s.ends();
        s.refused(kt::server_failure(500, "InternalError"));
    };
    goes_wrong();
    const auto first = s.now;
    CHECK(s.waits() >= 800ms);
    CHECK(s.watches().resource_version == "5");
    SECTION("then a relist follows")
    {
        s.now = first + 1min;
        if (in_stream) s.next = s.c.on_watch_opened({}, s.now);
        if (in_stream)
            s.events({kt::error_event(500, "InternalError")});
        else
            s.refused(kt::server_failure(500, "InternalError"));
        s.waits();
        CHECK(s.lists().resource_version == "5");
        CHECK(s.relists(in_stream ? relist_reason::server_error : relist_reason::watch_refused) == 1);
    }
    SECTION("health restarts the time")
    {
        s.opened();
        s.now = first + 2min;
        s.events({kt::error_event(500, "InternalError")});
        s.waits();
        CHECK(s.watches().resource_version == "5");
        CHECK(s.c.stats().lists == 1);
    }
}
