// Tests of the reflector's decisions after a watch whose version is refused, and of what it tells about the age of its content.

#include "reflector_script.hpp"

#include <algorithm>

using namespace reflector_test;

namespace {

struct refused_script : script
{
    using script::script;

    void refuse() { events({kt::error_event(410, "Expired")}); }
    /// The watch is refused, and the list that follows has this version.
    list_options relists_after_refusal(std::string version)
    {
        refuse();
        waits();
        auto asked = lists();
        page(kt::make_page({}, std::move(version)));
        return asked;
    }
    void has_event(std::string_view version)
    {
        events({kt::added(kt::make_pod("web", "b", version))});
        applied();
    }
    void to_new_watch()
    {
        applied();
        opened();
        REQUIRE(reads());
    }
    /// Synced at 5 by a list that came in pages.
    void to_paged_watch()
    {
        start();
        page(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"));
        page(kt::make_page({}, "5"));
        to_new_watch();
    }
    bool behind() const { return c.stats().behind != 0; }
    duration age() const { return now - c.stats().current_at.value(); }
};

} // namespace

TEST_CASE("refused watch: a limit with a version asks for one that is not older", "[cache][reflector][refused]")
{
    SECTION("because the first list came in pages")
    {
        refused_script s;
        s.to_paged_watch();
        s.refuse();
        s.waits();
        CHECK(s.lists().resource_version == "5");
        CHECK(s.lists().limit == 500);
        CHECK(s.lists().match == version_match::not_older_than);
        s.page(kt::make_page({}, "8", "t2"));
        CHECK(s.lists().match == version_match::unset); // the token says it
        s.list_fails(gone());
        CHECK(s.lists().limit == 0);
        CHECK(s.lists().resource_version == "5");
    }
    SECTION("because the policy has a page size")
    {
        refused_script s({.page_size = 7});
        CHECK(s.start().match == version_match::unset);
        s.page(kt::make_page({}, "5"));
        s.to_new_watch();
        s.refuse();
        s.waits();
        CHECK(s.lists().limit == 7);
        CHECK(s.lists().match == version_match::not_older_than);
        s.list_fails(gone());
        CHECK(s.lists().resource_version.empty());
        CHECK(s.lists().match == version_match::unset);
    }
}

TEST_CASE("refused watch: paged relists end with the first sign of a watch cache", "[cache][reflector][refused]")
{
    refused_script s;
    s.to_paged_watch();
    SECTION("a bookmark")
    {
        s.events({kt::bookmark("6")});
        s.applied();
        CHECK(s.relists_after_refusal("8").limit == 0);
    }
    SECTION("a list that is not paged")
    {
        CHECK(s.relists_after_refusal("8").limit == 500);
        s.to_new_watch();
        s.has_event("9");
        CHECK(s.relists_after_refusal("10").limit == 0);
    }
    SECTION("but not as long as lists come in pages")
    {
        s.refuse();
        s.waits();
        s.page(kt::make_page({}, "8", "t1"));
        s.page(kt::make_page({}, "8"));
        s.to_new_watch();
        s.has_event("9");
        CHECK(s.relists_after_refusal("10").limit == 500);
    }
}

TEST_CASE("refused watch: a list of the refused version is followed by one of the newest, at once and once",
          "[cache][reflector][refused]")
{
    const auto how = GENERATE(as<std::string>(), "as an event", "as an answer", "as the failure of the stream");
    const auto listed = GENERATE(as<std::string>(), "the same version", "an older one", "in pages");
    INFO("refused " << how << ", listed: " << listed);
    refused_script s;
    s.to_watch();
    if (how == "as an event") {
        s.refuse();
    } else if (how == "as an answer") {
        s.now += 2s;
        s.ends();
        s.refused(gone());
    } else {
        s.breaks(gone());
    }
    s.waits();
    CHECK(s.lists().resource_version == "5");
    // The first of several pages tells.
    s.page(kt::make_page({kt::make_pod("web", "a", "1")}, listed == "an older one" ? "4" : "5",
                         listed == "in pages" ? "t1" : ""));
    CHECK(s.lists().resource_version.empty());
    CHECK(s.lists().continue_token.empty());
    CHECK(s.relists(relist_reason::expired) == 2);
    CHECK(s.c.take_incidents().back().what == "list is too old");
    SECTION("the newest is newer")
    {
        s.page(kt::make_page({}, "9"));
        CHECK(s.replaces().resource_version == "9");
        s.applied();
        CHECK(s.watches().resource_version == "9");
        s.opened();
        CHECK(s.relists_after_refusal("12").resource_version == "9"); // as after any first refusal
        CHECK(s.replaces().resource_version == "12");
    }
    SECTION("the newest is the refused one: it is taken, and later lists ask for the newest with backoff")
    {
        for (int i = 0; i < 3; ++i) {
            s.page(kt::make_page({}, "5"));
            CHECK(s.replaces().resource_version == "5");
            s.applied();
            s.opened();
            s.refuse();
            CHECK(s.waits() >= 800ms);
            CHECK(s.lists().resource_version.empty());
        }
    }
}

TEST_CASE("refused watch: when a list has led beyond one refusal only to another, the newest is requested",
          "[cache][reflector][refused]")
{
    refused_script s;
    s.to_watch();
    CHECK(s.relists_after_refusal("7").resource_version == "5");
    CHECK(s.replaces().resource_version == "7");
    s.to_new_watch();
    SECTION("refused again")
    {
        CHECK(s.relists_after_refusal("20").resource_version.empty());
        s.to_new_watch();
        CHECK(s.relists_after_refusal("21").resource_version == "20");
    }
    SECTION("an event shows that the watch was not refused")
    {
        s.has_event("8");
        CHECK(s.relists_after_refusal("9").resource_version == "8");
    }
    SECTION("so does a bookmark, even of the same version")
    {
        s.events({kt::bookmark("7")});
        CHECK(s.relists_after_refusal("9").resource_version == "7");
    }
}

TEST_CASE("refused watch: versions that are no numbers are compared as texts", "[cache][reflector][refused]")
{
    refused_script s;
    s.to_watch("abc");
    CHECK(s.relists_after_refusal("abb").resource_version == "abc");
    CHECK(s.replaces().resource_version == "abb");
    s.to_new_watch();
    s.events({kt::bookmark("abd")});
    s.applied();
    s.relists_after_refusal("abd");
    CHECK(s.lists().resource_version.empty());
}

TEST_CASE("refused watch: numbers are compared as numbers", "[cache][reflector][refused]")
{
    refused_script s;
    s.to_watch("99");
    s.relists_after_refusal("100");
    CHECK(s.replaces().resource_version == "100");
}

TEST_CASE("refused watch: a streamed list of the refused version is followed by one of the newest",
          "[cache][reflector][refused][stream]")
{
    refused_script s({}, {"Pod", "v1", ""}, 3, std::make_shared<watch_list_ability>());
    s.next = s.c.start(s.now);
    s.opened();
    s.events({kt::bookmark("5", true)});
    s.applied();
    s.refuse();
    s.waits();
    CHECK(s.watches().resource_version == "5");
    CHECK(s.watches().match == version_match::not_older_than);
    s.opened();
    s.events({kt::added(kt::make_pod("web", "a", "1")), kt::bookmark("5", true)});
    CHECK(s.watches().resource_version.empty());
    CHECK(s.watches().send_initial_events == true);
    s.opened();
    s.events({kt::bookmark("5", true)});
    CHECK(s.replaces().items.empty()); // nothing of the stream that was given up
    s.applied();
    CHECK(s.reads());
}

TEST_CASE("age: a refused watch shows that the content is old, and what leads beyond it that it is not",
          "[cache][reflector][refused][age]")
{
    refused_script s;
    s.start();
    CHECK_FALSE(s.c.stats().current_at);
    s.page(kt::make_page({}, "5"));
    s.to_new_watch();
    CHECK(s.age() == 0s);
    s.now += 20s;
    s.events({kt::bookmark("6")});
    s.applied();
    CHECK(s.age() == 0s);
    s.now += 30s;
    CHECK(s.age() == 30s);
    CHECK_FALSE(s.behind());
    s.refuse();
    CHECK(s.behind());
    CHECK(s.age() == 30s);
    s.waits();
    s.now += 10s;
    SECTION("a newer list")
    {
        s.page(kt::make_page({}, "8"));
        s.to_new_watch();
        CHECK_FALSE(s.behind());
        CHECK(s.age() == 0s);
        SECTION("a refusal takes its proof back")
        {
            s.now += 1s;
            s.refuse();
            CHECK(s.behind());
            CHECK(s.age() == 41s);
        }
        SECTION("an event confirms it")
        {
            s.has_event("9");
            s.now += 1s;
            s.refuse();
            CHECK(s.age() == 1s);
        }
    }
    SECTION("a list of the refused version proves nothing, and neither does the newest if it has that version")
    {
        s.page(kt::make_page({}, "6"));
        s.page(kt::make_page({}, "6"));
        s.to_new_watch();
        CHECK(s.behind());
        CHECK(s.age() == 40s);
        s.events({kt::bookmark("6")});
        CHECK_FALSE(s.behind());
        CHECK(s.age() == 0s);
    }
    SECTION("a newest list that is older is that of a cluster restored from a backup")
    {
        s.list_fails(kt::server_failure(504, "Timeout", "Timeout: Too large resource version: 6, current: 3"));
        s.page(kt::make_page({}, "3"));
        s.to_new_watch();
        CHECK_FALSE(s.behind());
        CHECK(s.age() == 0s);
        CHECK(s.relists_after_refusal("4").resource_version == "3");
        CHECK(s.replaces().resource_version == "4");
    }
}

TEST_CASE("age: a resource that is gone is known to be so", "[cache][reflector][refused][age]")
{
    refused_script s;
    s.to_watch();
    s.refuse();
    s.waits();
    s.now += 10s;
    s.list_fails(not_served());
    s.waits();
    CHECK(s.age() == 10s);
    s.list_fails(not_served());
    CHECK(s.c.state() == informer_state::parked);
    CHECK_FALSE(s.behind());
    CHECK(s.age() == 0s);
}

TEST_CASE("reflector: watches that break at once, one after the other, are followed by a list",
          "[cache][reflector][refused]")
{
    const failure cut(cond::unreachable, "watch response: the stream ends inside a line that starts at byte 0");
    refused_script s;
    s.to_watch();
    for (int i = 0; i < 2; ++i) {
        s.breaks(cut);
        s.waits();
        CHECK(s.watches().resource_version == "5");
        s.opened();
    }
    SECTION("the third")
    {
        s.breaks(cut);
        s.waits();
        CHECK(s.lists().resource_version == "5");
        CHECK(s.relists(relist_reason::short_watch) == 1);
    }
    SECTION("not if there was an event in between")
    {
        s.has_event("7");
        s.breaks(cut);
        s.opened();
        s.breaks(cut);
        s.waits();
        CHECK(s.watches().resource_version == "7");
    }
    SECTION("not if one of them lasted")
    {
        s.now += 1s;
        s.breaks(cut);
        s.opened();
        s.breaks(cut);
        s.waits();
        CHECK(s.watches().resource_version == "5");
    }
    SECTION("not if one of them ended in order")
    {
        s.now += 1s;
        s.ends();
        s.opened();
        s.breaks(cut);
        s.waits();
        CHECK(s.watches().resource_version == "5");
    }
    CHECK(s.c.stats().decode_errors == 0);
}

TEST_CASE("reflector: an item that is null costs that item, counted and reported", "[cache][reflector]")
{
    script s({}, {"Pod", "v1", "web"});
    s.start();
    auto with_null = kt::make_page({kt::make_pod("web", "a", "1")}, "5");
    with_null.left_out.push_back({.why = "item 1 of the list is null"});
    s.page(std::move(with_null));
    CHECK(s.replaces().items.size() == 1);
    CHECK(s.replaces().left_out.empty());
    CHECK(s.c.stats().skipped == 1);
    CHECK(s.c.stats().outdated == 0);
    const auto told = s.c.take_incidents();
    REQUIRE(told.size() == 1);
    CHECK(told.front().skipped);
    CHECK(told.front().why.message() == "item 1 of the list is null");
}
