// Tests of the watcher: lists and changes by pull, page by page, through every failure.

#include "watcher_fixture.hpp"

using namespace watcher_test;

TEST_CASE("watcher: lists, then returns every change in order", "[cache][parts]")
{
    watching f;
    auto watch = f.to_watch();
    watch.send({kt::added(kt::make_pod("web", "b", "6")), kt::modified(kt::make_pod("web", "a", "7")),
                kt::deleted(kt::make_pod("web", "b", "8"))});
    CHECK(f.next() == lines{"applied web/b@6", "applied web/a@7", "deleted web/b@8", "@8"});
    watch.send(kt::bookmark("9"));
    CHECK(f.next() == lines{"@9"});
    CHECK(f.waits());
    CHECK(f.pods->state() == informer_state::watching);
    CHECK(f.pods->stats().events_added == 1);
    CHECK(f.heard.empty());
}

TEST_CASE("watcher: does nothing before the first next()", "[cache][parts]")
{
    watching f;
    f.begin();
    f.run.advance(1min);
    CHECK(f.source().calls().empty());
    CHECK(f.pods->state() == informer_state::created);
    CHECK(f.run.run(f.pods->stop()));
    CHECK(f.pods->state() == informer_state::stopped);
    CHECK(f.next().front().starts_with("failed"));
    CHECK(f.source().calls().empty());
}

TEST_CASE("watcher: holds one page of a list, and requests the next when that is taken", "[cache][parts]")
{
    watching f;
    for (int n = 1; n <= 4; ++n)
        f.source().on_list(page_of("p" + std::to_string(n), "5", n == 4 ? "" : "t" + std::to_string(n)));
    f.source().on_watch();
    auto o = f.options();
    o.policy.page_size = 1;
    f.begin(std::move(o));
    CHECK(f.next() == lines{"init_begins", "listed web/p1@1"});
    f.run.advance(1h);
    CHECK(f.source().lists() == 2); // one is ready
    CHECK(f.pods->state() == informer_state::listing);
    CHECK(f.next() == lines{"listed web/p2@1"});
    f.run.advance(1h);
    CHECK(f.source().lists() == 3);
    CHECK(f.next() == lines{"listed web/p3@1"});
    CHECK(f.next() == lines{"listed web/p4@1", "init_done", "@5"});
    f.run.run_until_idle();
    CHECK(f.source().watches() == 1);
    CHECK(f.source().watch_call(0).resource_version == "5");
    CHECK_FALSE(f.source().watch_call(0).send_initial_events);
    CHECK(f.source().list_call(0).limit == 1);
    CHECK(f.source().list_call(0).resource_version.empty());
    CHECK(f.heard.empty());
}

TEST_CASE("watcher: pages have 500 objects by default, and lists are never streamed", "[cache][parts]")
{
    watching f;
    f.source().allow_streamed_lists();
    f.source().on_list(kt::make_page({}, "5"));
    f.source().on_watch();
    f.begin();
    CHECK(f.next() == lines{"init_begins", "init_done", "@5"});
    CHECK(f.source().list_call(0).limit == 500);
}

TEST_CASE("watcher: an expired watch begins a new list", "[cache][parts]")
{
    watching f;
    auto watch = f.to_watch();
    watch.send({kt::added(kt::make_pod("web", "b", "6")), kt::error_event(410, "Expired")});
    f.source().on_list(page_of("c", "9"));
    f.source().on_watch();
    CHECK(f.next() == lines{"applied web/b@6", "@6"});
    CHECK(f.next() == lines{"init_begins", "listed web/c@1", "init_done", "@9"});
    REQUIRE(f.heard.size() == 1);
    CHECK(f.heard.front() == cond::expired);
    CHECK(f.pods->stats().relists[static_cast<std::size_t>(relist_reason::expired)] == 1);
}

TEST_CASE("watcher: a broken watch is resumed without a list", "[cache][parts]")
{
    watching f;
    auto watch = f.to_watch();
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    CHECK(f.next() == lines{"applied web/b@6", "@6"});
    watch.fail(failure(cond::unreachable, "reset"));
    f.source().on_watch().send(kt::added(kt::make_pod("web", "c", "7")));
    CHECK(f.next() == lines{"applied web/c@7", "@7"});
    CHECK(f.source().watch_call(1).resource_version == "6");
    CHECK(f.source().lists() == 1);
}

TEST_CASE("watcher: a list that fails in the middle begins again", "[cache][parts]")
{
    watching f;
    const failure why = GENERATE(failure(cond::unreachable, "reset"), kt::server_failure(410, "Expired"),
                                 kt::server_failure(500, "InternalError"));
    f.source().on_list(page_of("a", "5", "t1"));
    f.source().on_list(why);
    f.source().on_list(page_of("b", "6", "t1"));
    f.source().on_list(page_of("c", "6"));
    f.source().on_watch();
    f.begin();
    CHECK(f.next() == lines{"init_begins", "listed web/a@1"});
    CHECK(f.next() == lines{"init_begins", "listed web/b@1"});
    CHECK(f.next() == lines{"listed web/c@1", "init_done", "@6"});
    CHECK(f.heard.size() == 1);
    CHECK(f.pods->stats().failures == 1);
    CHECK(f.source().list_call(2).limit == 500);
}

TEST_CASE("watcher: failures do not end the stream, and are retried with backoff", "[cache][parts]")
{
    watching f;
    f.source().on_list(kt::server_failure(403, "Forbidden"));
    f.source().on_list(failure(cond::unreachable, "refused"));
    f.source().on_list(page_of("a", "5"));
    f.source().on_watch();
    f.begin();
    CHECK(f.waits());
    CHECK(f.heard.size() == 1);
    CHECK(f.pods->state() == informer_state::waiting);
    CHECK(f.next() == lines{"init_begins", "listed web/a@1", "init_done", "@5"});
    CHECK(f.heard.size() == 2);
    CHECK(f.heard.front() == cond::forbidden);
    CHECK(f.log.count("list failed") == 2);
}

TEST_CASE("watcher: retry_now() ends the wait between two attempts", "[cache][parts]")
{
    watching f;
    f.source().on_list(failure(cond::unreachable, "refused"));
    f.source().on_list(page_of("a", "5"));
    f.source().on_watch();
    f.begin();
    CHECK(f.waits());
    f.pods->retry_now();
    f.run.advance(300ms); // the turn of its relist_budget
    CHECK(f.source().lists() == 2);
}

TEST_CASE("watcher: a slow consumer holds the watch back, which is not ended as silent meanwhile", "[cache][parts]")
{
    watching f;
    auto o = f.options();
    o.policy = {.idle_timeout = 1min, .idle_needs_bookmarks = false};
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    f.begin(std::move(o));
    CHECK(f.next() == lines{"init_begins", "init_done", "@5"});
    for (int v = 6; v <= 9; ++v) watch.send(kt::added(kt::make_pod("web", "p", std::to_string(v))));
    watch.pause(10s).end(); // it is on its way
    for (int v = 6; v <= 9; ++v) {
        f.run.advance(3h);
        CHECK(watch.pending() == static_cast<std::size_t>(9 - v) + 2); // one event is ready, the rest and the end wait
        CHECK(f.next() == lines{"applied web/p@" + std::to_string(v), "@" + std::to_string(v)});
    }
    f.source().on_watch();
    CHECK(f.waits());
    f.run.advance(10s);
    CHECK(f.source().watches() == 2); // after the regular end
    CHECK(f.source().watch_call(1).resource_version == "9");
    CHECK(f.source().lists() == 1);
    CHECK(f.pods->stats().idle_ends + f.pods->stats().overdue_ends == 0);
    CHECK(f.heard.empty());
}

TEST_CASE("watcher: a resource that is no longer served is an empty list without a version", "[cache][parts]")
{
    watching f;
    auto watch = f.to_watch();
    watch.send(kt::error_event(410, "Expired"));
    f.source().on_list(kt::server_failure(404, "NotFound"));
    f.source().on_list(kt::server_failure(404, "NotFound"));
    CHECK(f.next() == lines{"init_begins", "init_done"});
    CHECK(f.pods->state() == informer_state::parked);
    f.source().on_list(page_of("b", "9"));
    f.source().on_watch();
    CHECK(f.next() == lines{"init_begins", "listed web/b@1", "init_done", "@9"});
}

TEST_CASE("watcher: objects that are too large are named with their page", "[cache][parts]")
{
    watching f;
    auto first = page_of("a", "5", "t1");
    first.left_out.push_back({.key = {"web", "big"}, .resource_version = "4", .why = "too large"});
    f.source().on_list(std::move(first));
    f.source().on_list(page_of("c", "5"));
    auto watch = f.source().on_watch();
    f.begin();
    CHECK(f.next() == lines{"init_begins", "listed web/a@1", "left out web/big"});
    CHECK(f.next() == lines{"listed web/c@1", "init_done", "@5"});
    CHECK(f.heard.size() == 1);
    auto gone = kt::deleted({});
    gone.left_out = std::make_shared<left_out_object>(
        left_out_object{.key = {"web", "big"}, .resource_version = "6", .why = "too large"});
    watch.send(std::move(gone));
    CHECK(f.next() == lines{"deleted web/big@", "@6"});
}
TEST_CASE("watcher: options that cannot work fail next()", "[cache][parts]")
{
    watching f;
    SECTION("a namespace of a cluster-scoped kind")
    {
        f.pods.emplace(f.provider, untyped::node::resource(), reflector_options{.ns = "web", .log = logger::silent()});
        CHECK(f.provider->opened() == 0);
    }
    SECTION("a source without an executor")
    {
        f.pods.emplace(f.provider->source(pod::resource()), pod::resource(),
                       reflector_options{.log = logger::silent()});
    }
    const auto refused = f.run.run(f.pods->next());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::misconfigured);
    CHECK(f.run.run(f.pods->stop()));
}

TEST_CASE("watcher: reads a source as well, with the executor of the options", "[cache][parts]")
{
    watching f;
    auto o = f.options();
    o.executor = f.run.executor();
    o.time = f.run.shared_clock();
    f.source().on_list(page_of("a", "5"));
    f.source().on_watch();
    f.pods.emplace(f.provider->source(pod::resource()), pod::resource(), std::move(o));
    CHECK(f.next() == lines{"init_begins", "listed web/a@1", "init_done", "@5"});
}
