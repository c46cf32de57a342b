// Tests of an informer with streamed lists, from the first object to the handlers.

#include "informer_fixture.hpp"

using namespace informer_test;
using kubecoro::cond;

namespace {

/// The bookmark that ends a streamed list.
kubecoro::watch_event end_at(std::string_view version) { return kt::bookmark(version, true); }

} // namespace

TEST_CASE("informer: a streamed list fills the store at its end, and continues as the watch",
          "[cache][informer][stream]")
{
    fixture f;
    f.source().allow_streamed_lists();
    auto pods = f.informers->get<pod>();
    auto handler = pods.add_event_handler(f.writer());
    auto stream = f.source().on_watch();
    f.informers->start();
    stream.send(kt::added(kt::make_pod("web", "b", "7"))).send(kt::added(kt::make_pod("web", "a", "3")));
    f.settle();
    CHECK(pods.lister().size() == 0);
    CHECK_FALSE(pods.synced());
    CHECK(pods.state() == kubecoro::informer_state::listing);
    stream.send({end_at("9"), kt::modified(kt::make_pod("web", "a", "10"))});
    REQUIRE(f.run.run(handler.has_synced()));
    CHECK(sorted(f.take()) == lines{"initial web/a@3", "initial web/b@7", "updated web/a@3 > 10"});
    CHECK(pods.last_resource_version() == "10");
    CHECK(pods.state() == kubecoro::informer_state::watching);
    CHECK(f.source().lists() == 0);
    CHECK(f.source().watches() == 1);
    CHECK_FALSE(stream.closed());
    CHECK(pods.stats().reflector.watch_lists == 1);
}

TEST_CASE("informer: a server without streamed lists is listed, and the refusal is not reported as a failure",
          "[cache][informer][stream]")
{
    fixture f;
    f.source().allow_streamed_lists();
    std::size_t shown = 0;
    auto pods = f.informers->get<pod>({.on_failure = [&shown](const kubecoro::failure&) { ++shown; }});
    SECTION("it refuses the request")
    {
        f.source().on_watch(kt::server_failure(422, "Invalid", "sendInitialEvents is forbidden"));
    }
    SECTION("it sends the existing objects, and no end")
    {
        f.source().on_watch().send(kt::added(kt::make_pod("web", "a", "1")));
    }
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(content(pods) == lines{"web/a@1"});
    CHECK(shown == 0);
    CHECK(f.log.count(kubecoro::log_level::warning) == 0);
    CHECK(f.log.count("info streamed list failed, falling back to LIST informer=pods source=pods failure=") == 1);
    CHECK(pods.stats().reflector.fallbacks == 1);
    CHECK(f.source().watch_call(1).resource_version == "5");
    // The next informer of this resource does not try to stream.
    auto& other = f.source("web");
    other.allow_streamed_lists();
    other.on_list(kt::make_page({}, "6"));
    auto other_watch = other.on_watch();
    auto more = f.informers->get<pod>({.namespaces = {"web"}});
    f.informers->start();
    REQUIRE(f.run.run(more.has_synced()));
    CHECK(more.stats().reflector.watch_lists == 0);
}

TEST_CASE("informer: a half-open watch that had bookmarks is ended and resumed", "[cache][informer][stream]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    auto next = f.source().on_watch();
    f.informers->start();
    watch.pause(60s).send(kt::bookmark("6")).pause(60s).send(kt::bookmark("7"));
    f.run.advance(120s + 179s);
    CHECK_FALSE(watch.closed());
    f.run.advance(2s);
    CHECK(watch.closed());
    REQUIRE(next.opened());
    CHECK(next.options().resource_version == "7");
    CHECK(pods.stats().reflector.idle_ends == 1);
    CHECK(f.log.count("informer=pods source=pods limit=idle_timeout") == 1);
    CHECK(f.source().lists() == 1);
}

TEST_CASE("informer: on_failure gets the operation, its objects and the cause", "[cache][informer][sync]")
{
    fixture f;
    std::vector<kubecoro::failure> shown;
    auto pods = f.informers->get<pod>({.on_failure = [&shown](const kubecoro::failure& why) { shown.push_back(why); }});
    f.source().on_list(kt::server_failure(403, "Forbidden", "no"));
    f.informers->start();
    f.settle();
    REQUIRE(shown.size() == 1);
    CHECK(shown[0] == cond::forbidden);
    CHECK(shown[0].message() == "list failed: pods");
    REQUIRE(shown[0].status());
    CHECK(shown[0].status()->code == 403);
}
