// Tests of has_synced(), its failures, and the handling of failures by the informer.

#include "informer_fixture.hpp"

#include <boost/asio/awaitable.hpp>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;

TEST_CASE("informer: a 403, a 404 or a bad request fails has_synced at once, and retries are delayed",
          "[cache][informer][sync]")
{
    const auto [code, reason, expected] =
        GENERATE(table<int, std::string, cond>({{403, "Forbidden", cond::forbidden},
                                                {404, "NotFound", cond::not_found},
                                                {401, "Unauthorized", cond::unauthorized},
                                                {400, "BadRequest", cond::invalid}}));
    fixture f;
    std::size_t shown = 0;
    auto pods = f.informers->get<pod>({.on_failure = [&shown](const kubecoro::failure&) { ++shown; }});
    auto handler = pods.add_event_handler(f.writer());
    for (int i = 0; i < 40; ++i) f.source().on_list(kt::server_failure(code, reason, "no"));
    auto early = f.run.spawn(pods.has_synced());
    const auto begin = f.run.clock().now();
    f.informers->start();

    const auto synced = f.run.run(handler.has_synced());
    REQUIRE_FALSE(synced);
    CHECK(synced.error() == expected);
    f.settle();
    REQUIRE(early.done());
    CHECK(early.outcome().error() == expected);
    CHECK(f.run.clock().now() == begin);
    CHECK_FALSE(pods.synced());
    CHECK_FALSE(handler.synced());
    // Later calls fail, too, and so does a handler that joins later.
    CHECK(f.run.run(pods.has_synced()).error() == expected);
    auto late = pods.add_event_handler(f.writer());
    f.settle();
    CHECK(f.run.run(late.has_synced()).error() == expected);
    CHECK(f.source().lists() == 1);
    CHECK(pods.state() == kubecoro::informer_state::waiting);

    f.run.advance(10min);
    CHECK(f.source().lists() < 30);
    CHECK(shown == f.source().lists());
    CHECK(f.log.count(kubecoro::log_level::warning) <= 3); // at once, and every five minutes
    CHECK(pods.stats().reflector.last_failure->condition() == expected);
}

TEST_CASE("informer: has_synced succeeds once the permission is granted", "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto handler = pods.add_event_handler(f.writer());
    f.source().on_list(kt::server_failure(403, "Forbidden"));
    auto watch = f.with_one_pod();
    f.informers->start();
    CHECK(f.run.run(pods.has_synced()).error() == cond::forbidden);
    REQUIRE(f.run.run_until([&] { return handler.synced(); }));
    CHECK(f.run.run(pods.has_synced()));
    CHECK(f.run.run(handler.has_synced()));
    CHECK(f.take() == lines{"initial web/a@1"});
}

TEST_CASE("informer: an answer that is no list fails has_synced with its cause, and lists are tried on",
          "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    std::string words = "the PodList has no items";
    SECTION("whatever the source says")
    {
        f.source().on_list(kubecoro::failure(cond::corrupt, words).with_request("GET", "/api/v1/pods"));
    }
    SECTION("a Table")
    {
        words = "a Table";
        auto table = kt::make_page({}, "5");
        table.kind = "Table";
        f.source().on_list(std::move(table));
    }
    auto watch = f.with_one_pod();
    f.informers->start();
    const auto synced = f.run.run(pods.has_synced());
    REQUIRE_FALSE(synced);
    CHECK(synced.error() == cond::corrupt);
    INFO(synced.error().describe());
    CHECK(synced.error().describe().find(words) != std::string::npos);
    if (words.find("items") != std::string::npos) CHECK(synced.error().target() == "/api/v1/pods");
    REQUIRE(f.run.run_until([&] { return pods.synced(); }));
    CHECK(f.run.run(pods.has_synced()));
    CHECK(content(pods) == lines{"web/a@1"});
}

TEST_CASE("informer: a list or a watch that breaks is no reason to end has_synced", "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto synced = f.run.spawn(pods.has_synced());
    SECTION("a list that is cut")
    {
        f.source().on_list(kubecoro::failure(cond::unreachable, "list response: unexpected end of text"));
    }
    SECTION("a streamed list that cannot be decoded: it is tried again, then listed")
    {
        f.source().allow_streamed_lists();
        for (int i = 0; i < 2; ++i) f.source().on_watch().fail(kubecoro::failure(cond::corrupt, "broken"));
    }
    SECTION("a watch that cannot be decoded, while the list is on its way to the store")
    {
        f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        f.source().on_watch().fail(kubecoro::failure(cond::corrupt, "broken"));
    }
    auto watch = f.with_one_pod();
    f.informers->start();
    f.run.advance(1min);
    REQUIRE(synced.done());
    CHECK(synced.outcome());
    CHECK(content(pods) == lines{"web/a@1"});
}

TEST_CASE("informer: a server that is unreachable at first is waited for", "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    for (int i = 0; i < 3; ++i) f.source().on_list(kubecoro::failure(cond::unreachable, "connection refused"));
    f.source().on_list_hang();
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    const auto begin = f.run.clock().now();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(f.run.clock().now() - begin > 5min); // the hanging list's deadline
    CHECK(pods.stats().reflector.lists == 5);
    CHECK(pods.stats().time_to_sync > 5min);
}

TEST_CASE("informer: a failure after the sync changes neither the store nor synced", "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    watch.send(kt::error_event(410, "Expired"));
    for (int i = 0; i < 10; ++i) f.source().on_list(kt::server_failure(403, "Forbidden"));
    f.run.advance(20s);
    CHECK(pods.synced());
    CHECK(f.run.run(pods.has_synced()));
    CHECK(content(pods) == lines{"web/a@1"});
    CHECK(pods.stats().reflector.relists_total() >= 2);
}

TEST_CASE("informer: the stop ends every wait for the sync", "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto handler = pods.add_event_handler(f.writer());
    f.source().on_list_hang();
    auto first = f.run.spawn(pods.has_synced());
    auto second = f.run.spawn(handler.has_synced());
    auto all = f.run.spawn(f.informers->has_synced());
    f.informers->start();
    f.settle();
    CHECK_FALSE(first.done());
    REQUIRE(f.run.run(f.informers->stop()));
    f.settle();
    REQUIRE(first.done());
    REQUIRE(second.done());
    REQUIRE(all.done());
    CHECK(first.outcome().error() == cond::cancelled);
    CHECK(second.outcome().error() == cond::cancelled);
    CHECK(all.outcome().error() == cond::cancelled);
    CHECK(f.run.run(pods.has_synced()).error() == cond::cancelled);
}

TEST_CASE("informer: a wait for several caches ends with the first failure, which names its informer",
          "[cache][informer][sync]")
{
    using kubecoro::untyped::config_map;
    fixture f;
    auto pods = f.informers->get<pod>();
    auto maps = f.informers->get<config_map>();
    f.source().on_list_hang(); // never answers; the other's failure is still returned
    auto other = f.provider->source(config_map::resource(), {});
    SECTION("one fails")
    {
        other->on_list(kt::server_failure(403, "Forbidden"));
        f.informers->start();
        const auto synced = f.run.run(f.informers->has_synced());
        REQUIRE_FALSE(synced);
        CHECK(synced.error() == cond::forbidden);
        CHECK(synced.error().describe().find("configmaps") != std::string::npos);
    }
    SECTION("the wait is cancelled")
    {
        other->on_list_hang();
        f.informers->start();
        auto waiting = f.run.spawn(f.informers->has_synced());
        f.settle();
        waiting.cancel();
        f.settle();
        REQUIRE(waiting.done());
        CHECK(waiting.outcome().error() == cond::cancelled);
    }
    SECTION("nothing to wait for") { CHECK(f.run.run(kubecoro::wait_for_cache_sync({}))); }
}

TEST_CASE("informer: a relist after a 410 delivers each difference once, after the store has changed",
          "[cache][informer]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    bool ahead = true;
    pods.add_event_handler(f.writer());
    pods.add_event_handler({.on_add = [&](const kubecoro::added<>& e) {
        ahead = ahead && pods.lister().get(e.obj.key()) && (e.initial || !pods.lister().get("web", "a"));
    }});
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.settle();
    f.take();
    watch.send({kt::modified(kt::make_pod("web", "b", "6")), kt::error_event(410, "Expired")});
    f.source().on_list(kt::make_page({kt::make_pod("web", "b", "6"), kt::make_pod("web", "c", "8")}, "9"));
    auto next = f.source().on_watch();
    REQUIRE(f.run.run_until([&] { return next.opened(); }));
    f.settle();
    CHECK(f.take() == lines{"updated web/b@2 > 6", "lost web/a@1", "added web/c@8"});
    CHECK(ahead);
    CHECK(f.source().list_call(1).resource_version == "6");
    CHECK(next.options().resource_version == "9");
    CHECK(pods.stats().reflector.relists[static_cast<std::size_t>(kubecoro::relist_reason::expired)] == 1);
}

TEST_CASE("informer: a half-open watch is ended by the reflector's deadline and resumed", "[cache][informer]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({}, "5"));
    auto silent = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    REQUIRE(f.run.run_until([&] { return silent.opened(); }));
    auto next = f.source().on_watch();
    const auto begin = f.run.clock().now();
    REQUIRE(f.run.run_until([&] { return next.opened(); }));
    CHECK(silent.closed());
    CHECK(f.run.clock().now() - begin == silent.options().timeout + 30s);
    CHECK(next.options().resource_version == "5");
    CHECK(pods.stats().reflector.lists == 1);
    CHECK(pods.stats().reflector.reconnects == 1);
    CHECK(f.log.count("informer=pods source=pods limit=overdue") == 1);
    next.send(kt::added(kt::make_pod("web", "a", "6")));
    f.settle();
    CHECK(content(pods) == lines{"web/a@6"});
}

TEST_CASE("informer: an idle limit ends a silent watch, not an active one", "[cache][informer]")
{
    kubecoro::factory_options o;
    o.policy.idle_timeout = 60s;
    fixture f(std::move(o));
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    for (int i = 0; i < 4; ++i) {
        f.run.advance(50s);
        watch.send(kt::bookmark(std::to_string(10 + i)));
    }
    f.settle();
    CHECK_FALSE(watch.closed());
    auto next = f.source().on_watch();
    f.run.advance(61s);
    CHECK(watch.closed());
    CHECK(next.opened());
    CHECK(next.options().resource_version == "13");
    CHECK(pods.last_resource_version() == "13");
}

TEST_CASE("informer: limits of duration::max() never expire", "[cache][informer]")
{
    constexpr auto for_ever = kubecoro::duration::max();
    kubecoro::factory_options o;
    o.resync = for_ever;
    o.policy.backoff = {.initial = 1s, .cap = for_ever};
    o.policy.list_timeout = o.policy.open_timeout = for_ever;
    o.policy.watch_timeout_min = o.policy.watch_timeout_max = std::chrono::seconds::max();
    o.policy.watch_grace = o.policy.idle_timeout = o.policy.short_watch = o.policy.healthy_after = for_ever;
    fixture f(std::move(o));
    auto pods = f.informers->get<pod>();
    pods.add_event_handler(f.writer());
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"), 1s);
    auto watch = f.source().on_watch(1s);
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    REQUIRE(f.run.run_until([&] { return watch.opened(); }));
    f.run.advance(std::chrono::hours{24 * 365 * 10});
    CHECK_FALSE(watch.closed());
    CHECK(watch.options().timeout == std::chrono::hours{24 * 365});
    CHECK(f.take() == lines{"initial web/a@1"});
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    f.settle();
    CHECK(f.take() == lines{"added web/b@6"});
    CHECK(f.source().calls().size() == 2);
}

TEST_CASE("informer: a watch that is never accepted times out and is retried", "[cache][informer]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({}, "5"));
    f.source().on_watch_hang();
    auto next = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run_until([&] { return next.opened(); }));
    CHECK(next.options().resource_version == "5");
    CHECK(pods.stats().reflector.lists == 1);
    CHECK(f.source().in_flight() == 0);
}

TEST_CASE("informer: several namespaces fill one store, each with a watch of its own", "[cache][informer]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web", "jobs", "web"}});
    auto handler = pods.add_event_handler(f.writer());
    auto& web = f.source("web");
    auto& jobs = f.source("jobs");
    web.on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto web_watch = web.on_watch();
    jobs.on_list(kt::make_page({kt::make_pod("jobs", "a", "2")}, "7"), 1s);
    auto jobs_watch = jobs.on_watch();
    f.informers->start();
    f.settle();
    CHECK(f.take() == lines{"initial web/a@1"});
    web_watch.send(kt::added(kt::make_pod("web", "b", "6")));
    f.settle();
    CHECK(f.take() == lines{"added web/b@6"});
    CHECK_FALSE(pods.synced());
    CHECK_FALSE(handler.synced());
    REQUIRE(f.run.run(handler.has_synced()));
    CHECK(f.take() == lines{"initial jobs/a@2"});
    CHECK(f.provider->opened() == 2);
    CHECK(pods.last_resource_version() == "7");

    // A relist of one namespace does not affect the other.
    web_watch.send(kt::error_event(410, "Expired"));
    web.on_list(kt::make_page({kt::make_pod("web", "b", "6"), kt::make_pod("jobs", "stray", "6")}, "9"));
    auto again = web.on_watch();
    REQUIRE(f.run.run_until([&] { return again.opened(); }));
    f.settle();
    CHECK(f.take() == lines{"lost web/a@1"});
    CHECK(content(pods) == lines{"jobs/a@2", "web/b@6"});
    CHECK(pods.stats().reflector.skipped == 1);
    CHECK(pods.stats().reflector.watches == 3);
}

TEST_CASE("informer: one forbidden namespace blocks the sync of the whole informer", "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"a", "b"}});
    auto handler = pods.add_event_handler(f.writer());
    f.source("a").on_list(kt::server_failure(403, "Forbidden"));
    f.source("a").on_list(kt::make_page({}, "5"));
    auto first = f.source("a").on_watch();
    f.source("b").on_list(kt::make_page({kt::make_pod("b", "x", "1")}, "4"));
    auto second = f.source("b").on_watch();
    f.informers->start();
    f.settle();
    CHECK(f.run.run(pods.has_synced()).error() == cond::forbidden);
    CHECK(f.take() == lines{"initial b/x@1"});
    REQUIRE(f.run.run_until([&] { return handler.synced(); }));
    CHECK(f.run.run(pods.has_synced()));
}

TEST_CASE("informer: once the cause is fixed, a handler that is still busy is waited for again",
          "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto slow = pods.add_event_handler({.on_add = [&f](kubecoro::added<>) -> asio::awaitable<void> {
        co_await kubecoro::sleep_for(f.run.clock(), 1min);
    }});
    f.source().on_list(kt::server_failure(403, "Forbidden"));
    auto watch = f.with_one_pod();
    f.informers->start();
    CHECK(f.run.run(slow.has_synced()).error() == cond::forbidden);
    REQUIRE(f.run.run_until([&] { return pods.synced(); }));
    CHECK_FALSE(slow.synced());
    CHECK(f.run.run(slow.has_synced()));
    CHECK(slow.synced());
}

TEST_CASE("informer: namespaces of a cluster-scoped kind are refused, not silently empty", "[cache][informer][sync]")
{
    fixture f;
    std::size_t shown = 0;
    auto nodes = f.informers->get<kubecoro::untyped::node>(
        {.namespaces = {"web"}, .on_failure = [&shown](const kubecoro::failure&) { ++shown; }});
    f.informers->start();
    const auto synced = f.run.run(nodes.has_synced());
    REQUIRE_FALSE(synced);
    CHECK(synced.error() == cond::misconfigured);
    CHECK(synced.error().describe().find("nodes") != std::string::npos);
    CHECK(synced.error().describe().find("namespaces") != std::string::npos);
    CHECK(shown == 1);
}

TEST_CASE("informer: a wait for several that is cancelled while it ends also ends its waits", "[cache][informer][sync]")
{
    using kubecoro::untyped::config_map;
    for (std::size_t first = 0; first < 12; ++first) {
        for (std::size_t second = 0; second < 6; ++second) {
            fixture f;
            auto pods = f.informers->get<pod>();
            auto maps = f.informers->get<config_map>();
            f.source().on_list_hang();
            f.provider->source(config_map::resource(), {})->on_list(kt::server_failure(403, "Forbidden"));
            f.informers->start();
            f.settle();
            // The failure is known: the other wait is stopped in one of the next steps.
            auto waiting = f.run.spawn(kubecoro::wait_for_cache_sync({pods, maps}));
            f.run.cancel_after(first, waiting, asio::cancellation_type::terminal);
            f.run.cancel_after(first + second, waiting, asio::cancellation_type::terminal);
            f.settle();
            REQUIRE(waiting.done());
        }
    }
}

TEST_CASE("informer: a wait for several may be destroyed while it is suspended", "[cache][informer][sync]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list_hang();
    f.informers->start();
    auto waiting = f.run.spawn(kubecoro::wait_for_cache_sync({pods, pods}));
    f.run.step(GENERATE(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, 20u));
    CHECK_FALSE(waiting.done());
    f.run.destroy_coroutines(); // as at the end of a program
    CHECK_FALSE(waiting.done());
    f.informers.reset();
}

TEST_CASE("informer: a shard of metadata only is refused, since an ignored selector would go unnoticed",
          "[cache][informer][sync]")
{
    fixture f;
    kubecoro::informer_options options;
    options.shard_selector = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
    options.storage.policy = kubecoro::storage::metadata_only;
    auto pods = f.informers->get<pod>(options);
    f.informers->start();
    const auto synced = f.run.run(pods.has_synced());
    REQUIRE_FALSE(synced);
    CHECK(synced.error() == cond::misconfigured);
    CHECK(synced.error().describe().find("shard_selector") != std::string::npos);

    options.storage = {};
    CHECK_FALSE(f.informers->get<pod>(options) == f.informers->get<pod>());
}

TEST_CASE("sync: a failure of a namespace that has been listed since does not fail the wait for the others",
          "[cache][informer][sync]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        kt::runner run(seed, kt::ready_order::shuffled);
        kubecoro::test::scripted_informers scripted(run, {.log = kubecoro::logger::silent()});
        scripted.source(pod::resource(), "a").on_list_hang();
        auto& b = scripted.source(pod::resource(), "b");
        b.on_list(kubecoro::failure(kubecoro::cond::forbidden, "not yet"));
        b.on_list(kt::make_page({kt::make_pod("b", "x", "1")}, "5"));
        b.on_watch();
        auto pods = scripted.informers->get<pod>({.namespaces = {"a", "b"}});
        scripted.informers->start();
        run.run_until_idle();
        pods.retry_now();
        run.advance(1s);
        REQUIRE(pods.lister().size() == 1);
        auto synced = run.spawn(pods.has_synced());
        run.run_until_idle();
        REQUIRE_FALSE(synced.done());
        CHECK(run.run(scripted.informers->stop()));
    }
}
