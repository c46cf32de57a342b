// Tests of the reflector's handling of events, versions, time and cancellation.

#include "reflector_script.hpp"
#include <kubecoro/test/protobuf_bytes.hpp>

#include <algorithm>
#include <set>

using namespace reflector_test;

namespace {

/// A pod with a field of a newer version of Kubernetes.
object partial_pod(std::string_view name, std::string_view version)
{
    const auto bytes =
        test::enveloped("v1", "Pod", test::field(1, test::object_meta("web", name, version)) + test::field(900, "new"));
    auto pod = decode_object(bytes, {}, {}, wire_form::protobuf);
    REQUIRE(pod);
    REQUIRE(pod->is_partial());
    return *pod;
}

} // namespace

TEST_CASE("reflector: bookmarks advance the version and nothing else", "[cache][reflector]")
{
    script s;
    s.to_watch();
    s.events({kt::bookmark("11")});
    CHECK(s.as<core::do_apply>().changes.empty());
    CHECK(s.as<core::do_apply>().resource_version == "11");
    CHECK(s.c.resource_version() == "5");
    s.applied();
    CHECK(s.c.resource_version() == "11");
    s.events({kt::bookmark("11")});
    CHECK(s.reads());
    CHECK(s.c.stats().bookmarks == 2);
}

TEST_CASE("reflector: the ADDED events of a watch without a version never advance the version", "[cache][reflector]")
{
    script s;
    s.start();
    s.page(kt::make_page({}, ""));
    s.applied();
    CHECK(s.watches().resource_version.empty());
    s.opened();
    s.events({kt::added(kt::make_pod("web", "a", "90")), kt::added(kt::make_pod("web", "b", "40"))});
    CHECK(s.as<core::do_apply>().changes.size() == 2);
    CHECK(s.as<core::do_apply>().resource_version.empty());
    s.applied();
    CHECK(s.c.resource_version().empty());
    SECTION("until another type of event arrives")
    {
        s.events({kt::bookmark("91"), kt::added(kt::make_pod("web", "c", "92"))});
        s.applied();
        CHECK(s.c.resource_version() == "92");
    }
    SECTION("and if it ends at once, that is no progress")
    {
        s.ends();
        s.waits();
        CHECK(s.lists().resource_version == "0");
    }
}

TEST_CASE("reflector: the version never advances past events that could not be applied", "[cache][reflector]")
{
    script s;
    s.to_watch();
    s.events({kt::added(kt::make_pod("web", "b", "7"))});
    s.next = s.c.on_applied(failure(cond::internal, "no room"), s.now);
    CHECK(s.c.resource_version() == "5");
    const auto said = s.c.take_incidents();
    REQUIRE(said.size() == 1);
    CHECK(said[0].what == "events could not be applied");
    CHECK(said[0].why.message() == "no room");
    CHECK_FALSE(said[0].skipped);
    CHECK(s.c.stats().failures == 1);
    s.waits();
    CHECK(s.lists().resource_version == "5");
    CHECK(s.relists(relist_reason::apply_failed) == 1);
    s.page(kt::make_page({}, "9"));
    s.next = s.c.on_applied(failure(cond::internal, "no room"), s.now);
    CHECK(s.c.resource_version() == "5");
    s.waits();
    CHECK(s.lists().resource_version == "5");
}

TEST_CASE("reflector: foreign events are skipped, counted, and do not advance the version", "[cache][reflector]")
{
    script s({}, {"Pod", "v1", "web"});
    s.to_watch();
    const auto wrong = GENERATE(0, 1, 2, 3, 4, 5);
    watch_event e;
    switch (wrong) {
    case 0:
        e = kt::added(kt::make_object({.kind = "ConfigMap", .ns = "web", .name = "x", .resource_version = "8"}));
        break;
    case 1:
        e = kt::added(object::parse(R"({"kind":"Pod","apiVersion":"v1"})").value());
        break;
    case 2:
        e = kt::unknown_event("POKED");
        break;
    case 3:
        e = kt::added(kt::make_pod("jobs", "x", "8"));
        break;
    case 4:
        e.type = watch_event_type::modified;
        break;
    case 5:
        e = kt::added(kt::make_object({.api_version = "v2", .ns = "web", .name = "x", .resource_version = "8"}));
        break;
    }
    s.events({e});
    CHECK(s.reads());
    CHECK(s.c.stats().skipped == 1);
    CHECK(s.c.resource_version() == "5");
    const auto incidents = s.c.take_incidents();
    REQUIRE(incidents.size() == 1);
    CHECK(incidents.front().skipped);
    // The next valid event is applied.
    s.events({e, kt::added(kt::make_pod("web", "b", "9"))});
    CHECK(s.as<core::do_apply>().changes.size() == 1);
    s.applied();
    CHECK(s.c.resource_version() == "9");
}

TEST_CASE("reflector: a list with objects of another kind only fails instead of being empty", "[cache][reflector]")
{
    script s;
    s.start();
    s.page(kt::make_page(
        {kt::make_object({.kind = "Node", .name = "n"}), kt::make_object({.kind = "Node", .name = "m"})}, "5"));
    CHECK(s.as<core::do_wait>().delay > 0s);
    REQUIRE(s.c.stats().last_failure);
    CHECK(*s.c.stats().last_failure == cond::misconfigured);
    CHECK(s.c.stats().last_failure->message() == "the list is of another kind: a v1 Node where a Pod was expected");
    CHECK(s.c.stats().skipped == 2);
}

TEST_CASE("reflector: foreign list items are skipped; a Table is not a list", "[cache][reflector]")
{
    script s;
    s.start();
    SECTION("items")
    {
        s.page(kt::make_page({kt::make_pod("web", "a", "1"), object{}, kt::make_object({.kind = "Node", .name = "n"})},
                             "5"));
        CHECK(s.replaces().items.size() == 1);
        CHECK(s.c.stats().skipped == 2);
    }
    SECTION("a Table")
    {
        auto table = kt::make_page({}, "5");
        table.kind = "Table";
        s.page(std::move(table));
        s.waits();
        CHECK(s.lists().resource_version == "0");
        CHECK(s.c.stats().decode_errors == 1);
    }
    SECTION("a page that points to itself")
    {
        s.page(kt::make_page({}, "5", "t"));
        s.page(kt::make_page({}, "5", "t"));
        s.waits();
        CHECK(s.c.stats().decode_errors == 1);
    }
}

TEST_CASE("reflector: each watch timeout is drawn from 300 to 600 seconds, and the reflector's deadline is later",
          "[cache][reflector]")
{
    script s;
    s.to_watch();
    std::vector<std::chrono::seconds> drawn;
    for (int i = 0; i < 200; ++i) {
        s.now += 10s;
        s.ends();
        drawn.push_back(s.watches().timeout);
        s.opened();
        CHECK(s.c.silent_until() == s.now + drawn.back() + 30s);
    }
    CHECK(*std::min_element(drawn.begin(), drawn.end()) >= 300s);
    CHECK(*std::max_element(drawn.begin(), drawn.end()) <= 600s);
    CHECK(*std::max_element(drawn.begin(), drawn.end()) - *std::min_element(drawn.begin(), drawn.end()) > 200s);
}

TEST_CASE("reflector: backoff delays double from 0.8 s to 30 s, and the jitter at most doubles them",
          "[cache][reflector]")
{
    const auto pauses = [](reflector_policy policy, std::uint64_t seed) {
        script s(policy, {"Pod", "v1", ""}, seed);
        s.start();
        std::vector<duration> out;
        for (int i = 0; i < 8; ++i) {
            s.list_fails(refused_connection());
            out.push_back(s.waits());
        }
        return out;
    };
    const std::vector<duration> plain{800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s, 30s};
    reflector_policy steady;
    steady.backoff.jitter = 0;
    CHECK(pauses(steady, 3) == plain);

    double sum = 0;
    constexpr int runs = 100;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        const auto drawn = pauses({}, seed);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            CHECK(drawn[i] >= plain[i]);
            CHECK(drawn[i] <= 2 * plain[i]);
            sum += static_cast<double>(drawn[i].count()) / static_cast<double>(plain[i].count());
        }
    }
    const double mean = sum / (runs * 8);
    CHECK(mean > 1.4);
    CHECK(mean < 1.6);
}

TEST_CASE("reflector: a custom backoff is followed exactly", "[cache][reflector]")
{
    const backoff_policy own{.initial = 100ms, .factor = 3, .cap = 1s, .jitter = 0};
    script s({.backoff = own});
    s.start();
    for (const duration expected : std::vector<duration>{100ms, 300ms, 900ms, 1s, 1s}) {
        s.list_fails(refused_connection());
        CHECK(s.waits() == expected);
    }
    s.page(kt::make_page({}, "5"));
    s.applied();
    s.opened();
    s.now += 5s;
    s.events({kt::error_event(410, "Expired")});
    CHECK(s.waits() == 100ms);
}

TEST_CASE("reflector: the backoff grows with failures, and only health resets it", "[cache][reflector]")
{
    script s;
    s.start();
    duration longest{};
    for (int i = 0; i < 12; ++i) {
        s.list_fails(refused_connection());
        s.now += 10min; // time alone does not reset it
        longest = s.waits();
    }
    CHECK(longest >= 30s);
    CHECK(longest <= 60s);
    s.page(kt::make_page({}, "5"));
    s.applied();
    s.opened();
    SECTION("a list and a short watch are not health")
    {
        s.events({kt::error_event(410, "Expired")});
        CHECK(s.waits() >= 30s);
    }
    SECTION("a watch that lasts is health")
    {
        s.now += 5s;
        s.events({kt::error_event(410, "Expired")});
        CHECK(s.waits() <= 1600ms);
    }
}

TEST_CASE("reflector: Retry-After is the minimum delay", "[cache][reflector]")
{
    script s;
    s.start();
    server_status busy;
    busy.code = 429;
    busy.reason = "TooManyRequests";
    busy.retry_after = 17s;
    std::set<duration> waits;
    for (int i = 0; i < 20; ++i) {
        s.list_fails(failure(busy));
        const auto wait = s.waits();
        CHECK(wait >= 17s);
        // The backoff of many failures in a row is longer.
        if (i < 4) CHECK(wait <= 25500ms);
        if (i < 4) waits.insert(wait);
    }
    CHECK(waits.size() == 4);
    busy.retry_after = 86400s;
    s.list_fails(failure(busy));
    const auto longest = s.waits();
    CHECK(longest >= 300s);
    CHECK(longest <= 450s);
}

TEST_CASE("reflector: a cancellation stops it in any phase", "[cache][reflector]")
{
    const int steps = GENERATE(0, 1, 2, 3, 4, 5);
    script s;
    if (steps > 0) s.start();
    if (steps == 1) s.list_fails(failure(cond::cancelled)); // caused by the cancellation
    if (steps > 1) s.page(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    if (steps > 2) s.applied();
    if (steps > 3) s.opened();
    if (steps > 4) s.events({kt::added(kt::make_pod("web", "b", "6"))});
    s.next = s.c.on_cancel();
    CHECK(std::holds_alternative<core::do_stop>(s.next));
    CHECK(s.c.state() == informer_state::stopped);
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_list(kt::make_page({}, "5"), s.now)));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_watch_opened({}, s.now)));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_events({}, s.now)));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_watch_failed(gone(), s.now)));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_applied({}, s.now)));
    CHECK(std::holds_alternative<core::do_stop>(s.c.on_wake()));
    CHECK(s.c.take_incidents().empty());
}

TEST_CASE("reflector: objects with unknown fields are stored, counted and reported once", "[cache][reflector]")
{
    script s;
    s.start();
    s.page(kt::make_page({partial_pod("a", "5"), kt::make_pod("web", "b", "5"), partial_pod("c", "5")}, "5"));
    CHECK(s.replaces().items.size() == 3);
    s.applied();
    s.opened();
    CHECK(s.c.stats().partial == 2);
    const auto said = s.c.take_incidents();
    REQUIRE(said.size() == 1);
    CHECK(said[0].what == "objects have fields that this version does not know");
    CHECK_THAT(said[0].why.message(), Catch::Contains("web/a") && Catch::Contains("decode_options::form"));
    s.events({kt::modified(partial_pod("a", "6"))});
    CHECK(s.as<core::do_apply>().changes.size() == 1);
    CHECK(s.c.stats().partial == 3);
    CHECK(s.c.take_incidents().empty());
}
