// Tests of watches that break while the server's state changes.

#include "synced_fixture.hpp"

using namespace informer_test;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::relist_reason;

namespace {

kubecoro::object recreated(const std::string& name, const std::string& version)
{
    return kt::make_object({.ns = "web", .name = name, .resource_version = version, .uid = "another " + name});
}

} // namespace

// client-go: SharedInformerWatchDisruption
TEST_CASE("informer: changes during a broken watch are delivered once, to each handler by its own policy",
          "[cache][informer][disruption]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2"),
                                      kt::make_pod("web", "c", "3"), kt::make_pod("web", "d", "4")},
                                     "5"));
    auto watch = f.source().on_watch();
    pods.add_event_handler(f.writer());
    pods.add_event_handler(f.writer("resyncing "), {.resync = 1min});
    auto selective = f.writer("selective ");
    pods.add_event_handler(std::move(selective), {.filter = [](const kubecoro::object& o) { return o.name() == "d"; }});
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.settle();
    f.take();
    // During the break a is changed, b deleted, c deleted and created again, e created.
    f.source().on_watch(kt::server_failure(410, "Expired"));
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "6"), recreated("c", "8"), kt::make_pod("web", "d", "4"),
                                      kt::make_pod("web", "e", "9")},
                                     "10"));
    auto again = f.source().on_watch();
    f.run.advance(1s);
    watch.fail(failure(cond::unreachable, "cut off"));
    f.settle();
    CHECK(f.take().empty());
    REQUIRE(f.run.run_until([&] { return again.opened(); }));
    f.settle();
    std::vector<std::string> one;
    std::vector<std::string> other;
    for (auto& line : f.take()) {
        if (line.starts_with("resyncing "))
            other.push_back(line.substr(10));
        else
            one.push_back(line);
    }
    const lines expected{"added web/c@8", "added web/e@9", "lost web/b@2", "lost web/c@3", "updated web/a@1 > 6"};
    CHECK(sorted(one) == expected); // d did not change
    CHECK(sorted(other) == expected);
    CHECK(content(pods) == lines{"web/a@6", "web/c@8", "web/d@4", "web/e@9"});
    CHECK(again.options().resource_version == "10");
    f.run.advance(1min);
    CHECK(sorted(f.take()) == lines{"resyncing resync web/a@6", "resyncing resync web/c@8", "resyncing resync web/d@4",
                                    "resyncing resync web/e@9"});
}

// client-go: ResetWatch
TEST_CASE("informer: a reset watch resumes after the last event, and relists when the server has compacted it",
          "[cache][informer][disruption]")
{
    synced_fixture f;
    f.pods.add_event_handler(f.writer());
    auto second = f.source().on_watch();
    auto third = f.source().on_watch();
    f.start();
    f.take();
    f.modify("a", 6);
    f.watch.fail(failure(cond::unreachable, "reset"));
    f.settle();
    CHECK(f.watch.closed());
    REQUIRE(second.opened()); // at once
    CHECK(second.options().resource_version == "6");
    second.send({kt::added(kt::make_pod("web", "c", "7")), kt::bookmark("9")});
    second.end();
    f.settle();
    REQUIRE(third.opened());
    CHECK(third.options().resource_version == "9");
    CHECK(f.source().lists() == 1);
    CHECK(f.take() == lines{"updated web/a@1 > 6", "added web/c@7"});
    CHECK(f.pods.last_resource_version() == "9");

    f.source().on_watch(kt::server_failure(410, "Expired"));
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "6"), kt::make_pod("web", "c", "11")}, "12"));
    auto last = f.source().on_watch();
    f.run.advance(1s);
    third.fail(failure(cond::unreachable, "reset"));
    REQUIRE(f.run.run_until([&] { return last.opened(); }));
    f.settle();
    CHECK(f.source().list_call(1).resource_version == "9");
    CHECK(last.options().resource_version == "12");
    CHECK(f.take() == lines{"lost web/b@2", "updated web/c@7 > 11"});
    const auto& done = f.pods.stats().reflector;
    CHECK(done.relists[static_cast<std::size_t>(relist_reason::expired)] == 1);
    CHECK(done.relists_total() == 1);
    CHECK(done.watches == 4);
}

// client-go: NewReflectorWithCustomBackoff
TEST_CASE("informer: the backoff in its policy sets the delays between lists", "[cache][informer]")
{
    kubecoro::reflector_policy own;
    own.backoff = {.initial = 100ms, .factor = 3, .cap = 1s, .jitter = 0};
    fixture f;
    kubecoro::factory_options defaults{.time = f.run.shared_clock(), .log = f.log.handle(), .seed = 7};
    defaults.relists = kubecoro::relist_budget(8, 0s, f.run.shared_clock());
    kubecoro::informer_options options;
    SECTION("the factory's") { defaults.policy = own; }
    SECTION("the informer's") { options.policy = own; }
    const auto other = std::make_unique<kubecoro::informer_factory>(f.provider, defaults);
    auto pods = other->get<pod>(options);
    for (int i = 0; i < 6; ++i) f.source().on_list(failure(cond::unreachable, "refused"));
    f.source().on_list_hang();
    other->start();
    f.run.advance(10s);
    const auto calls = f.source().calls();
    REQUIRE(calls.size() == 7);
    std::vector<kubecoro::duration> pauses;
    for (std::size_t i = 1; i < calls.size(); ++i) pauses.push_back(calls[i].at - calls[i - 1].at);
    CHECK(pauses == std::vector<kubecoro::duration>{100ms, 300ms, 900ms, 1s, 1s, 1s});
    CHECK(f.run.run(other->stop()));
}
