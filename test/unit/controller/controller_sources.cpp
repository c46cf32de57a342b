// Sources that fail, come late, are removed early, or throw on their events.
#include "controller_fixture.hpp"

#include <stdexcept>

using namespace controller_test;

TEST_CASE("controller: a forbidden source is named with its cause when the wait times out", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    for (int n = 0; n < 100; ++n)
        f.source<config_map>().on_list(kt::server_failure(403, "Forbidden", "configmaps is forbidden: no permission"));
    auto& c = f.make_noting({.sync_timeout = 30s});
    c.watch(pods, enqueue_object());
    const auto maps = c.watch(f.informers->get<config_map>(), enqueue_object());
    f.informers->start();
    const auto ended = f.run.spawn(c.run());
    f.run.advance(10s);
    CHECK_FALSE(ended.done());
    CHECK(f.log.count("the first list of a source failed controller=subject source=configmaps") == 1);
    REQUIRE(maps.stats().trouble);
    CHECK(*maps.stats().trouble == cond::forbidden);
    CHECK(c.describe().find("configmaps, waiting for its first list") != std::string::npos);
    f.run.advance(20s);
    REQUIRE(ended.done());
    const auto& why = ended.outcome().error();
    CHECK(why == cond::timed_out);
    CHECK(why.message().find("configmaps (forbidden)") != std::string::npos);
    CHECK(why.message().find("no permission") != std::string::npos);
    CHECK(why.message().find("pods") == std::string::npos);
    CHECK(f.run.run(c.ready()).error() == cond::timed_out);
    CHECK(f.run.run(c.stop()).error() == cond::timed_out);
    CHECK(f.take().empty());
    CHECK(c.stats().phase == controller_phase::stopped);
    CHECK(maps.stats().state == source_state::over);
}

TEST_CASE("controller: without a sync timeout, a resource that does not exist yet is awaited forever", "[controller]")
{
    fixture f;
    f.source<pod>().on_list(kt::server_failure(404, "NotFound", "no such resource"));
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    auto& c = f.make_noting({.sync_timeout = 0s});
    const auto source = c.watch(pods, enqueue_object());
    f.begin();
    CHECK(f.take() == lines{"web/a"});
    CHECK_FALSE(source.stats().trouble);
}

TEST_CASE("controller: a failing source does not delay one that works", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    for (int n = 0; n < 20; ++n) f.source<config_map>().on_list(kt::server_failure(403, "Forbidden", "no"));
    auto& c = f.make_noting();
    c.watch(pods, enqueue_object());
    f.begin();
    CHECK(f.take() == lines{"web/a"});
    auto maps = c.watch(f.informers->get<config_map>(), enqueue_object());
    f.informers->start();
    f.run.advance(5s);
    watch.send(kt::added(kt::make_pod("web", "b", "11")));
    f.settle(); // no time passes
    CHECK(f.take() == lines{"web/b"});
    CHECK(c.stats().phase == controller_phase::running);
    CHECK(f.run.run(maps.removed()).has_value());
    CHECK(c.stats().sources.size() == 1);
}

TEST_CASE("controller: sources can be added and removed while it runs", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    auto& c = f.make_noting();
    f.begin();
    auto first = c.watch(pods, enqueue_object());
    f.settle();
    CHECK(f.take() == lines{"web/a"});
    auto second = c.watch(pods, enqueue_mapped([](const object& o, key_sink out) { out("second", o.name()); }));
    f.settle();
    CHECK(f.take() == lines{"second/a"});
    CHECK(c.stats().sources.size() == 2);
    CHECK(f.run.run(first.removed()).has_value());
    CHECK(f.run.run(first.removed()).has_value());
    watch.send(kt::added(kt::make_pod("web", "b", "11")));
    f.settle();
    CHECK(f.take() == lines{"second/b"});
    CHECK(first.stats().state == source_state::over);
    CHECK(c.stats().sources.size() == 1);
    second.remove();
    watch.send(kt::added(kt::make_pod("web", "c", "12")));
    f.settle();
    CHECK(f.take().empty());
    REQUIRE(f.run.run(c.stop()));
    const auto late = c.watch(pods, enqueue_object());
    CHECK(late.stats().state == source_state::over);
    CHECK(f.run.run(late.removed()).has_value());
}

TEST_CASE("controller: a source can be removed before the start, and while it is waited for", "[controller]")
{
    fixture f;
    auto& c = f.make_noting();
    const auto never = c.watch(f.informers->get<config_map>(), enqueue_object());
    CHECK(f.run.run(never.removed()).has_value());
    f.source<pod>().on_list_hang();
    const auto hanging = c.watch(f.informers->get<pod>(), enqueue_object());
    f.informers->start();
    c.start();
    f.run.advance(10s);
    CHECK(c.stats().phase == controller_phase::syncing);
    hanging.remove();
    CHECK(f.run.run(c.ready()).has_value());
    CHECK(c.stats().sources.empty());
    event_source().remove();
    CHECK(f.run.run(event_source().removed()).has_value());
    CHECK(event_source().stats().state == source_state::over);
}

TEST_CASE("controller: an informer that stops before its first list ends the wait, and later has no effect",
          "[controller]")
{
    fixture f;
    f.source<pod>().on_list_hang();
    auto& c = f.make_noting();
    c.watch(f.informers->get<pod>(), enqueue_object());
    f.informers->start();
    const auto ended = f.run.spawn(c.run());
    f.settle();
    CHECK(f.run.run(f.informers->stop()).has_value());
    f.settle();
    REQUIRE(ended.done());
    CHECK(ended.outcome().error() == cond::cancelled);
    CHECK(ended.outcome().error().message().find("pods") != std::string::npos);

    fixture g;
    auto [pods, watch] = g.pods({kt::make_pod("web", "a", "1")});
    auto& d = g.make_noting();
    d.watch(pods, enqueue_object());
    g.begin();
    CHECK(g.run.run(g.informers->stop()).has_value());
    g.settle();
    CHECK(d.stats().phase == controller_phase::running);
    d.trigger({"by", "hand"});
    g.settle();
    CHECK(g.take() == lines{"web/a", "by/hand"});
    CHECK(g.run.run(d.stop()).has_value());
}

TEST_CASE("controller: a map function that throws is isolated, counted and logged with its object", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1"), kt::make_pod("web", "bad", "2")});
    auto& c = f.make_noting();
    const auto source = c.watch(pods, enqueue_mapped([](const object& o, key_sink out) {
                                    if (o.name() == "bad") throw std::runtime_error("no key for this");
                                    out(o.key());
                                }));
    f.begin();
    CHECK(f.take() == lines{"web/a"});
    watch.send({kt::modified(kt::make_pod("web", "bad", "11")), kt::added(kt::make_pod("web", "b", "12"))});
    f.settle();
    CHECK(f.take() == lines{"web/b"});
    CHECK(source.stats().failed == 2);
    CHECK(f.number("kubecoro_controller_failed_events_total") == 2);
    CHECK(f.log.count("object=web/bad failure=\"internal: no key for this\"") == 2);
}

TEST_CASE("controller: a tenant whose objects make a map function throw does not fill the log", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    auto& c = f.make_noting();
    const auto source = c.watch(pods, enqueue_mapped([](const object& o, key_sink out) {
                                    if (o.name() == "bad") throw std::runtime_error(std::string(o.resource_version()));
                                    out(o.key());
                                }));
    f.begin();
    watch.send(kt::added(kt::make_pod("web", "bad", "11")));
    for (int version = 12; version <= 1'010; ++version)
        watch.send(kt::modified(kt::make_pod("web", "bad", std::to_string(version))));
    f.settle();
    CHECK(source.stats().failed > 500);
    CHECK(f.log.count("the filter or the map function of a source failed") == 10);
    f.run.advance(1min);
    watch.send(kt::modified(kt::make_pod("web", "bad", "2000")));
    f.settle();
    CHECK(f.log.count("the filter or the map function of a source failed") == 11);
    CHECK(f.log.count("lines like the next one were left out") == 1);
}

TEST_CASE("controller: a filter selects the events that become work, and a resync passes all again", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    auto& c = f.make_noting();
    c.watch(pods, enqueue_object(), {.filter = predicates::labels_changed()});
    c.watch(pods, enqueue_mapped([](const object& o, key_sink out) { out("again", o.name()); }),
            {.filter = predicates::not_(predicates::resource_version_changed()), .resync = 60s, .name = "resync"});
    f.begin();
    CHECK(f.take() == lines{"web/a"});
    watch.send(kt::modified(kt::make_pod("web", "a", "11")));
    f.settle();
    CHECK(f.take().empty());
    f.run.advance(61s);
    CHECK(f.take() == lines{"again/a"});
}
