// Tests of streamed lists: their requests, their ends, and the fallback to LIST.

#include "reflector/watch_list_ability.hpp"
#include "reflector_script.hpp"

#include <algorithm>

using namespace reflector_test;

namespace {

/// A script whose source streams lists.
struct stream_script : script
{
    explicit stream_script(reflector_policy policy = {}, std::shared_ptr<watch_list_ability> shared = {})
        : script(policy, {"Pod", "v1", ""}, 3, shared ? shared : std::make_shared<watch_list_ability>())
    {
    }
    watch_options begin()
    {
        next = c.start(now);
        return watches();
    }
    void silence() { next = c.on_silence(now); }
    /// Waits, then returns the options of the streamed list that follows.
    watch_options waits_and_streams()
    {
        CHECK(waits() > 0s);
        return watches();
    }
    /// Synced by a stream that is still open.
    void to_watch()
    {
        begin();
        opened();
        events({kt::added(kt::make_pod("web", "a", "1")), kt::bookmark("5", true)});
        applied();
        REQUIRE(reads());
    }
};

failure unknown_parameter()
{
    return kt::server_failure(422, "Invalid",
                              "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the "
                              "WatchList feature gate is enabled");
}

bool streamed(const watch_options& o) { return o.send_initial_events == true; }

} // namespace

TEST_CASE("streamed list: the first requests the newest, and becomes the watch", "[cache][reflector][stream]")
{
    stream_script s;
    const auto ask = s.begin();
    CHECK(ask.resource_version.empty());
    CHECK(ask.match == version_match::not_older_than);
    CHECK(ask.send_initial_events == true);
    CHECK(ask.allow_bookmarks);
    CHECK(ask.timeout >= 300s);
    CHECK(ask.timeout <= 600s);
    CHECK(s.c.state() == informer_state::listing);
    s.opened();
    s.events({kt::added(kt::make_pod("web", "b", "7")), kt::added(kt::make_pod("web", "a", "3"))});
    CHECK(s.reads());
    CHECK(s.c.state() == informer_state::listing);
    CHECK(s.c.resource_version().empty());
    s.events({kt::bookmark("9", true)});
    CHECK(s.replaces().items.size() == 2);
    CHECK(s.replaces().resource_version == "9");
    CHECK(s.c.resource_version().empty());
    s.applied();
    CHECK(s.reads());
    CHECK(s.c.resource_version() == "9");
    CHECK(s.c.state() == informer_state::watching);
    s.events({kt::modified(kt::make_pod("web", "a", "11"))});
    CHECK(s.as<core::do_apply>().resource_version == "11");
    s.applied();
    s.ends();
    CHECK(s.watches().resource_version == "11");
    CHECK_FALSE(streamed(s.watches()));
    CHECK(s.watches().match == version_match::unset);
    CHECK(s.c.stats().watch_lists == 1);
    CHECK(s.c.stats().lists == 0);
    CHECK(s.c.stats().events_added == 0);
}

TEST_CASE("streamed list: changes before its end count, and events in the same batch after its end are applied next",
          "[cache][reflector][stream]")
{
    stream_script s;
    s.begin();
    s.opened();
    s.events({kt::added(kt::make_pod("web", "a", "1")), kt::added(kt::make_pod("web", "b", "2")),
              kt::added(kt::make_pod("web", "c", "3"))});
    s.events({kt::bookmark("3")}); // ignored before the end
    s.events({kt::modified(kt::make_pod("web", "a", "4")), kt::deleted(kt::make_pod("web", "b", "5")),
              kt::added(kt::make_pod("web", "d", "6")), kt::bookmark("6", true),
              kt::modified(kt::make_pod("web", "c", "7")), kt::error_event(410, "Expired")});
    const auto all = s.replaces();
    CHECK(all.resource_version == "6");
    std::vector<std::string> seen;
    for (const auto& o : all.items) seen.push_back(std::string(o.name()) + std::string(o.resource_version()));
    std::sort(seen.begin(), seen.end());
    CHECK(seen == std::vector<std::string>{"a4", "c3", "d6"});
    s.applied();
    const auto rest = s.as<core::do_apply>();
    REQUIRE(rest.changes.size() == 1);
    CHECK(rest.resource_version == "7");
    s.applied();
    s.waits();
    CHECK(streamed(s.watches()));
    CHECK(s.watches().resource_version == "7");
    CHECK(s.relists(relist_reason::expired) == 1);
}

TEST_CASE("streamed list: an empty one is a bookmark only; foreign objects are skipped", "[cache][reflector][stream]")
{
    stream_script s;
    s.begin();
    s.opened();
    SECTION("no object")
    {
        s.events({kt::bookmark("5", true)});
        CHECK(s.replaces().items.empty());
    }
    SECTION("a pod among others")
    {
        s.events({kt::unknown_event("POKED"), kt::added(kt::make_object({.kind = "Node", .name = "n"})),
                  kt::added(kt::make_pod("web", "a", "4")), kt::bookmark("5", true)});
        CHECK(s.replaces().items.size() == 1);
        CHECK(s.c.stats().skipped == 2);
    }
}

TEST_CASE("streamed list: one with objects of another kind only fails instead of being empty",
          "[cache][reflector][stream]")
{
    stream_script s;
    s.begin();
    s.opened();
    s.events(
        {kt::added(kt::make_object({.kind = "Node", .name = "n", .resource_version = "4"})), kt::bookmark("5", true)});
    CHECK(s.as<core::do_wait>().delay > 0s);
    REQUIRE(s.c.stats().last_failure);
    CHECK(*s.c.stats().last_failure == cond::misconfigured);
}

TEST_CASE("streamed list: an empty one whose last bookmark has another kind fails", "[cache][reflector][stream]")
{
    stream_script s;
    s.begin();
    s.opened();
    SECTION("the right kind, or none")
    {
        s.events({kt::bookmark("5", true, GENERATE("Pod", ""))});
        CHECK(s.replaces().items.empty());
    }
    SECTION("another kind")
    {
        s.events({kt::bookmark("5", true, "Node")});
        CHECK(s.as<core::do_wait>().delay > 0s);
        REQUIRE(s.c.stats().last_failure);
        CHECK(*s.c.stats().last_failure == cond::misconfigured);
        CHECK(s.c.stats().last_failure->message() == "the list is of another kind: a v1 Node where a Pod was expected");
    }
}

TEST_CASE("streamed list: a server that refuses it is listed at once, and not tried again for a while",
          "[cache][reflector][stream]")
{
    const auto refusal = GENERATE(0, 1, 2, 3);
    auto shared = std::make_shared<watch_list_ability>();
    stream_script s({}, shared);
    s.begin();
    s.refused(refusal == 0   ? unknown_parameter()
              : refusal == 1 ? kt::server_failure(400, "BadRequest")
              : refusal == 2 ? kt::server_failure(405, "MethodNotAllowed")
                             : kt::server_failure(415, "UnsupportedMediaType"));
    CHECK(s.lists().resource_version == "0");
    CHECK(s.lists().limit == 500);
    CHECK(s.c.stats().fallbacks == 1);
    CHECK(s.c.stats().failures == 0);
    const auto told = s.c.take_incidents();
    REQUIRE(told.size() == 1);
    CHECK(told.front().detour);
    s.page(kt::make_page({}, "5"));
    s.applied();
    CHECK_FALSE(streamed(s.watches()));
    s.opened();
    // Another informer of the same resource does not try either.
    stream_script other({}, shared);
    CHECK(other.start().resource_version == "0");
    SECTION("not soon")
    {
        s.now += 29min;
        s.events({kt::error_event(410, "Expired")});
        s.waits();
        CHECK(s.lists().resource_version == "5");
    }
    SECTION("but later, since it may have been upgraded")
    {
        s.now += 30min;
        s.events({kt::error_event(410, "Expired")});
        s.waits();
        CHECK(streamed(s.watches()));
        CHECK(s.watches().resource_version == "5");
    }
}

TEST_CASE("streamed list: a server that ignores the parameter is detected by its silence", "[cache][reflector][stream]")
{
    stream_script s;
    s.begin();
    s.opened();
    SECTION("it sends nothing at all") { CHECK(s.c.silent_until() == s.now + 15s); }
    SECTION("it sends the existing objects and no end")
    {
        s.now += 5s;
        s.events({kt::added(kt::make_pod("web", "a", "1"))});
        CHECK(s.c.silent_until() == s.now + 15s);
    }
    SECTION("it continues with events")
    {
        const auto begin = s.now;
        s.now += 10s;
        s.events({kt::modified(kt::make_pod("web", "a", "2")), kt::deleted(kt::make_pod("web", "b", "3"))});
        CHECK(s.c.silent_until() == begin + 15s);
    }
    SECTION("it adds objects forever")
    {
        const auto begin = s.now;
        for (int i = 0; i < 30; ++i) {
            s.now += 10s;
            s.events({kt::added(kt::make_pod("web", "n" + std::to_string(i), "3"))});
        }
        CHECK(s.c.silent_until() == begin + 5min);
    }
    s.now = s.c.silent_until();
    s.silence();
    CHECK(s.lists().resource_version == "0");
    CHECK(s.c.stats().fallbacks == 1);
    // No received object is lost or delivered: the list has it.
    s.page(kt::make_page({kt::make_pod("web", "a", "2")}, "5"));
    CHECK(s.replaces().items.size() == 1);
    s.applied();
    CHECK(s.watches().resource_version == "5");
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    CHECK(s.lists().resource_version == "5");
}

TEST_CASE("streamed list: one that breaks is retried with backoff, and after two a LIST follows",
          "[cache][reflector][stream]")
{
    const int how = GENERATE(0, 1, 2, 3, 4);
    auto shared = std::make_shared<watch_list_ability>();
    stream_script s({}, shared);
    s.begin();
    const auto goes_wrong = [&] {
        if (how == 4) return s.refused(failure(cond::timed_out));
        s.opened();
        s.events({kt::added(kt::make_pod("web", "a", "1"))});
        switch (how) {
        case 0:
            return s.ends();
        case 1:
            return s.breaks(failure(cond::unreachable, "reset"));
        case 2:
            return s.breaks(failure(cond::corrupt, "rubbish"));
        default:
            return s.events({kt::error_event(500, "InternalError")});
        }
    };
    goes_wrong();
    CHECK(s.waits_and_streams().resource_version.empty());
    CHECK(s.c.stats().watch_lists == 2);
    goes_wrong();
    CHECK(s.lists().resource_version == "0");
    CHECK(s.c.stats().fallbacks == 1);
    CHECK(s.c.stats().decode_errors == (how == 2 ? 2 : 0));
    CHECK(shared->worth_trying(s.now));
    s.page(kt::make_page({}, "5"));
    s.applied();
    // Only a regular end without the last bookmark indicates missing support.
    CHECK(shared->worth_trying(s.now) == (how != 0));
    CHECK(s.watches().resource_version == "5");
}

TEST_CASE("streamed list: a fallback LIST that fails is repeated as a LIST, until it succeeds",
          "[cache][reflector][stream]")
{
    const int code = GENERATE(401, 403, 404, 500);
    stream_script s;
    s.begin();
    s.refused(kt::server_failure(code, "Whatever"));
    s.lists();
    for (int i = 0; i < 3; ++i) {
        s.list_fails(kt::server_failure(code, "Whatever"));
        s.waits();
        s.lists();
    }
    s.page(kt::make_page({}, "5"));
    s.applied();
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    CHECK(streamed(s.watches()));
}

TEST_CASE("streamed list: a busy or unreachable server is waited for, independent of the number of attempts",
          "[cache][reflector][stream]")
{
    stream_script s({.watch_list_attempts = 1});
    s.begin();
    for (int i = 0; i < 5; ++i) {
        if (i % 2 == 0) {
            s.refused(i == 0 ? refused_connection() : kt::server_failure(429, "TooManyRequests"));
        } else {
            s.opened();
            s.events({kt::error_event(429, "TooManyRequests")});
        }
        CHECK(streamed(s.waits_and_streams()));
    }
    CHECK(s.c.stats().fallbacks == 0);
}

TEST_CASE("streamed list: a version that is too old or too far ahead requests the newest at once, and only once",
          "[cache][reflector][stream]")
{
    const bool expired = GENERATE(true, false);
    const bool in_stream = GENERATE(true, false);
    const std::string text = "Timeout: Too large resource version: 9, current: 5";
    stream_script s;
    s.to_watch();
    s.events({kt::error_event(410, "Expired")});
    CHECK(s.waits_and_streams().resource_version == "5");
    const auto goes_wrong = [&] {
        if (!in_stream) return s.refused(expired ? gone() : kt::server_failure(504, "Timeout", text));
        s.opened();
        s.events({expired ? kt::error_event(410, "Expired") : kt::error_event(504, "Timeout", text)});
    };
    goes_wrong();
    CHECK(streamed(s.watches()));
    CHECK(s.watches().resource_version.empty());
    CHECK(s.relists(expired ? relist_reason::expired : relist_reason::too_large) == (expired ? 2 : 1));
    goes_wrong();
    CHECK(s.waits_and_streams().resource_version.empty());
    s.opened();
    s.events({kt::bookmark("20", true)});
    s.applied();
    CHECK(s.c.resource_version() == "20");
}

TEST_CASE("streamed list: the age of the watch counts from its end, and a break right after it is resumed",
          "[cache][reflector][stream]")
{
    stream_script s;
    s.to_watch();
    SECTION("broken") { s.breaks(failure(cond::unreachable, "reset")); }
    SECTION("ended") { s.ends(); }
    CHECK(s.watches().resource_version == "5");
    CHECK_FALSE(streamed(s.watches()));
    CHECK(s.c.stats().relists_total() == 0);
}

TEST_CASE("streamed list: one that could not be applied is repeated, and the version stays",
          "[cache][reflector][stream]")
{
    stream_script s;
    s.begin();
    s.opened();
    s.events({kt::added(kt::make_pod("web", "a", "1")), kt::bookmark("5", true), kt::bookmark("6")});
    s.next = s.c.on_applied(failure(cond::internal, "no room"), s.now);
    CHECK(s.c.resource_version().empty());
    CHECK(s.waits_and_streams().resource_version.empty());
}

TEST_CASE("streamed list: disabled by the policy, or by a source without support", "[cache][reflector][stream]")
{
    stream_script off({.watch_list = false});
    CHECK(off.start().resource_version == "0");
    script cannot;
    CHECK(cannot.start().resource_version == "0");
}

TEST_CASE("streamed list: JSON is listed, unless the policy asks for more", "[cache][reflector][stream]")
{
    struct source final : list_watch_source
    {
        bool streams = true;
        bool cheaply = true;

        boost::asio::awaitable<result<list_page>> list(list_options) override
        {
            co_return failure(cond::internal, "unused");
        }
        boost::asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options) override
        {
            co_return failure(cond::internal, "unused");
        }
        bool streams_lists() const noexcept override { return streams; }
        bool streams_cheaply() const noexcept override { return cheaply; }
        std::string describe() const override { return "pods"; }
    };
    source s;
    CHECK(detail::may_stream_lists(s, {}));
    CHECK_FALSE(detail::may_stream_lists(s, {.watch_list = false}));
    s.cheaply = false;
    CHECK_FALSE(detail::may_stream_lists(s, {}));
    CHECK(detail::may_stream_lists(s, {.watch_list_json = true}));
    CHECK_FALSE(detail::may_stream_lists(s, {.watch_list = false, .watch_list_json = true}));
    s.streams = false;
    CHECK_FALSE(detail::may_stream_lists(s, {.watch_list_json = true}));
}

TEST_CASE("streamed list: a cancellation stops it in any phase", "[cache][reflector][stream]")
{
    const int steps = GENERATE(0, 1, 2, 3);
    stream_script s;
    s.begin();
    if (steps > 0) s.opened();
    if (steps > 1) s.events({kt::added(kt::make_pod("web", "a", "1"))});
    if (steps > 2) s.events({kt::bookmark("5", true)});
    s.next = s.c.on_cancel();
    CHECK(std::holds_alternative<core::do_stop>(s.next));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_silence(s.now)));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_events({kt::bookmark("5", true)}, s.now)));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_watch_opened({}, s.now)));
}
