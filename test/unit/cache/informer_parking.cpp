// Tests of a resource whose definition is deleted and created again.

#include "informer_fixture.hpp"
#include "reflector/parking_core.hpp"
#include "reflector_script.hpp"

#include <kubecoro/testing/every_step.hpp>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::informer_state;
using kubecoro::log_level;
using kubecoro::result;

namespace {

const failure unknown(cond::not_found, "the server could not find the requested resource");

kubecoro::detail::parking_core parking()
{
    return kubecoro::detail::parking_core({.initial = 30s, .factor = 2, .cap = 5min, .jitter = 0}, 1);
}

/// Returns the next probe after that failure; nothing when the resource is not parked.
std::optional<kubecoro::duration> next_look(kubecoro::detail::parking_core& p, const failure& why, bool known = true)
{
    p.failed(why, known);
    const auto look = p.next_look();
    return look ? std::optional(look->after) : std::nullopt;
}

/// An informer of pods that is synced and watching, and whose definition is then deleted.
kubecoro::shared_informer<> vanish(fixture& f)
{
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.run.advance(10s);
    f.take();
    f.source().on_watch(unknown);
    for (int i = 0; i < 3; ++i) f.source().on_list(unknown);
    watch.end();
    return pods;
}

} // namespace

TEST_CASE("parking: two 404s in a row park a resource, but only one that was served before", "[cache][parking]")
{
    const failure away(cond::unreachable, "refused");
    auto never_there = parking();
    for (int i = 0; i < 10; ++i) CHECK_FALSE(next_look(never_there, unknown, false));
    auto p = parking();
    CHECK_FALSE(next_look(p, unknown));
    SECTION("anything else in between restarts the count")
    {
        SECTION("a failure") { CHECK_FALSE(next_look(p, away)); }
        SECTION("a response") { p.answered(); }
        CHECK_FALSE(next_look(p, unknown));
        CHECK_FALSE(p.parked());
    }
    CHECK(next_look(p, unknown) == kubecoro::duration(30s));
    CHECK(p.parked());
    SECTION("probes slow down")
    {
        CHECK(next_look(p, unknown) == kubecoro::duration(1min));
        CHECK(next_look(p, away) == kubecoro::duration(2min));
        p.answered(); // to a request other than a list
        CHECK(next_look(p, unknown) == kubecoro::duration(4min));
        CHECK(next_look(p, unknown) == kubecoro::duration(5min));
        CHECK(next_look(p, unknown) == kubecoro::duration(5min));
    }
    SECTION("a successful list ends it, and everything starts over")
    {
        p.succeeded();
        CHECK_FALSE(p.parked());
        CHECK_FALSE(next_look(p, unknown));
        p.succeeded();
        CHECK_FALSE(next_look(p, unknown));
        CHECK(next_look(p, unknown) == kubecoro::duration(30s));
    }
}

TEST_CASE("parking: the first probe is marked, once each time", "[cache][parking]")
{
    auto p = parking();
    for (int round = 0; round < 2; ++round) {
        p.failed(unknown, true);
        CHECK_FALSE(p.next_look());
        p.failed(unknown, true);
        CHECK(p.next_look()->first);
        CHECK_FALSE(p.next_look()->first);
        p.succeeded();
    }
}

TEST_CASE("parking: two 404s with another result in between do not park a reflector", "[cache][parking]")
{
    reflector_test::script s;
    s.to_watch();
    s.now += 10s;
    s.ends();
    s.refused(reflector_test::not_served());
    const auto waits_unparked = [&s] {
        CHECK_FALSE(s.as<kubecoro::detail::reflector_core::do_wait>().gone);
        CHECK(s.c.state() == informer_state::waiting);
        s.waits();
    };
    waits_unparked();
    SECTION("a server that is not ready")
    {
        for (int i = 0; i < 6; ++i) {
            s.list_fails(kt::server_failure(503, "ServiceUnavailable"));
            waits_unparked();
        }
    }
    SECTION("no server")
    {
        s.list_fails(reflector_test::refused_connection());
        waits_unparked();
    }
    SECTION("a version that is too old, after which the list is repeated without a delay")
    {
        s.list_fails(reflector_test::gone());
        CHECK(s.lists().resource_version.empty());
    }
    SECTION("the first page of a list") { s.page(kt::make_page({kt::make_pod("web", "b", "2")}, "6", "t1")); }
    s.list_fails(reflector_test::not_served());
    waits_unparked();
    s.list_fails(reflector_test::not_served());
    CHECK(s.as<kubecoro::detail::reflector_core::do_wait>().gone);
    CHECK(s.c.state() == informer_state::parked);
    CHECK(s.c.stats().parks == 1);
}

TEST_CASE("parking: a sink that failed to take in that the resource is gone receives it again", "[cache][parking]")
{
    reflector_test::script s;
    const auto is_told = [&s] { return s.as<kubecoro::detail::reflector_core::do_wait>().gone; };
    s.to_watch();
    s.now += 10s;
    s.ends();
    s.refused(reflector_test::not_served());
    s.waits();
    s.list_fails(reflector_test::not_served());
    REQUIRE(is_told());
    SECTION("after an exception") { s.next = s.c.on_lost(failure(cond::internal, "no memory")); }
    SECTION("after a failure") { s.next = s.c.on_lost(failure(cond::internal, "no memory")); }
    CHECK(is_told());
    CHECK(s.c.state() == informer_state::parked);
    CHECK(s.c.stats().parks == 1);
    s.next = s.c.on_wake();
    s.next = s.c.on_turn(s.now);
    s.list_fails(reflector_test::not_served());
    CHECK_FALSE(is_told()); // once it was taken in
}

TEST_CASE("parking: the objects are removed with their definition, and probes are sent", "[cache][parking]")
{
    fixture f;
    std::vector<kubecoro::departure> why;
    auto pods = vanish(f);
    pods.add_event_handler({.on_delete = [&why](const kubecoro::deleted<>& e) { why.push_back(e.why); }});
    f.run.advance(5s);
    CHECK(pods.state() == informer_state::parked);
    CHECK(pods.synced());
    CHECK(content(pods).empty());
    CHECK(sorted(f.take()) == lines{"lost web/a@1", "lost web/b@2"});
    CHECK(why == std::vector(2, kubecoro::departure::kind_gone));
    CHECK(pods.last_resource_version().empty());
    CHECK(pods.stats().reflector.parks == 1);
    const auto lists = f.source().lists();
    f.run.advance(20s);
    CHECK(f.source().lists() == lines::size_type(lists));
    f.source().on_list_hang();
    f.run.advance(5min);
    CHECK(f.source().lists() <= lists + 4);
    CHECK(pods.state() == informer_state::parked);
    CHECK(f.log.count("parked") == 1);
    CHECK(f.log.count(log_level::warning) <= 3); // the two refusals and the parking
}

TEST_CASE("parking: the informer resumes when the resource is served again", "[cache][parking]")
{
    fixture f;
    auto pods = vanish(f);
    f.run.advance(5s);
    REQUIRE(pods.state() == informer_state::parked);
    f.take();
    f.source().on_list(kt::make_page({kt::make_pod("web", "c", "20")}, "20"));
    auto watch = f.source().on_watch();
    REQUIRE(f.run.run_until([&] { return pods.state() == informer_state::watching; }));
    f.settle();
    CHECK(f.take() == lines{"added web/c@20"});
    CHECK(content(pods) == lines{"web/c@20"});
    CHECK(f.log.count("the resource is back") == 1);
    CHECK(pods.stats().reflector.relists[static_cast<std::size_t>(kubecoro::relist_reason::parked)] >= 1);
    watch.send(kt::added(kt::make_pod("web", "d", "21")));
    f.settle();
    CHECK(f.take() == lines{"added web/d@21"});
}

TEST_CASE("parking: retry_now probes at once, and does nothing when no wait is in progress", "[cache][parking]")
{
    fixture f;
    auto pods = vanish(f);
    f.run.advance(5s);
    REQUIRE(pods.state() == informer_state::parked);
    const auto begin = f.run.clock().now();
    while (f.source().unused() > 0) {
        pods.retry_now();
        f.settle();
    }
    f.source().on_list(kt::make_page({}, "20"));
    auto watch = f.source().on_watch();
    pods.retry_now();
    f.settle();
    CHECK(pods.state() == informer_state::watching);
    CHECK(f.run.clock().now() == begin);
    pods.retry_now();
    pods.retry_now();
    f.settle();
    CHECK_FALSE(watch.closed());
    // None of these calls shortens the next wait.
    f.source().on_watch(failure(cond::unreachable, "gone"));
    f.source().on_watch_hang();
    watch.end();
    f.settle();
    CHECK(pods.state() == informer_state::waiting);
    f.settle();
    CHECK(pods.state() == informer_state::waiting);
}

TEST_CASE("parking: a retry_now between the end of a wait and its resumption does not shorten the next",
          "[cache][parking][every_step]")
{
    for (std::size_t step = 0;; ++step) {
        INFO("retried " << step << " handlers after the second failure");
        fixture f;
        auto pods = f.informers->get<pod>();
        for (int i = 0; i < 3; ++i) f.source().on_list(failure(cond::unreachable, "gone"));
        f.source().on_list_hang();
        f.informers->start();
        REQUIRE(f.run.run_until([&] { return f.source().lists() == 1; }));
        const auto ran = f.run.step(step);
        const auto before = f.source().lists();
        pods.retry_now();
        f.run.advance(500ms); // the turn to list may take 200 ms, and a backoff delay is longer than this
        CHECK(f.source().lists() <= before + 1);
        if (ran < step || before == 3) break;
    }
}

TEST_CASE("parking: a resource that was never served is retried as usual", "[cache][parking]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    for (int i = 0; i < 5; ++i) f.source().on_list(unknown);
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    CHECK(f.run.run(pods.has_synced()).error() == cond::not_found);
    f.run.advance(2min);
    CHECK(pods.synced());
    CHECK(f.log.count("parked") == 0);
}

TEST_CASE("parking: each namespace is parked by itself", "[cache][parking]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web", "jobs"}});
    for (const std::string ns : {"web", "jobs"}) f.source(ns).on_list(kt::make_page({kt::make_pod(ns, "a", "1")}, "5"));
    auto web = f.source("web").on_watch();
    auto jobs = f.source("jobs").on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.run.advance(10s);
    f.source("jobs").on_watch(unknown);
    f.source("jobs").on_list(unknown);
    f.source("jobs").on_list_hang();
    jobs.end();
    f.run.advance(5s);
    CHECK(pods.state() == informer_state::parked);
    CHECK(content(pods) == lines{"web/a@1"});
    SECTION("a parked namespace may be removed")
    {
        CHECK(f.run.run(pods.remove_namespace("jobs")));
        CHECK(pods.state() == informer_state::watching);
    }
    SECTION("or be stopped during a probe")
    {
        pods.retry_now();
        f.settle();
        CHECK(f.run.run(f.informers->stop()));
    }
}
