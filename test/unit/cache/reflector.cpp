// Tests of the public reflector: a user's sink equals the resource through every failure, of the server's and its own.

#include "recording_sink.hpp"

#include <kubecoro/base/timeout.hpp>

using namespace reflector_test;

TEST_CASE("public reflector: lists into the sink, then applies every change in order", "[cache][parts]")
{
    reflecting f;
    auto watch = f.to_watch();
    CHECK(f.sink->held() == lines{"web/a@1"});
    CHECK(f.pods->last_resource_version() == "5");
    CHECK(f.pods->state() == informer_state::watching);
    watch.send({kt::added(kt::make_pod("web", "b", "6")), kt::modified(kt::make_pod("web", "a", "7"))});
    watch.send(kt::deleted(kt::make_pod("web", "b", "8")));
    watch.send(kt::bookmark("9"));
    f.run.run_until_idle();
    CHECK(f.sink->take_calls() == lines{"apply 2@7", "apply 1@8", "apply 0@9"});
    CHECK(f.sink->held() == lines{"web/a@7"});
    CHECK(f.pods->last_resource_version() == "9");
    CHECK(f.pods->stats().events_added == 1);
    CHECK(f.heard.empty());
}

TEST_CASE("public reflector: runs until it is cancelled, and only once", "[cache][parts]")
{
    reflecting f;
    auto watch = f.to_watch();
    SECTION("a second run() is refused")
    {
        const auto again = f.run.run(f.pods->run());
        REQUIRE_FALSE(again);
        CHECK(again.error() == cond::misconfigured);
        CHECK(f.pods->state() == informer_state::watching);
    }
    const auto how =
        GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total);
    f.running.cancel(how);
    f.run.run_until_idle();
    REQUIRE(f.running.done());
    CHECK(f.running.outcome().error() == cond::cancelled);
    CHECK(f.pods->state() == informer_state::stopped);
    CHECK(watch.closed());
    CHECK(f.heard.empty());
}

TEST_CASE("public reflector: a watch that newer certificates end at once is opened again, and no failure",
          "[cache][parts]")
{
    reflecting f;
    auto watch = f.to_watch();
    watch.end_early();
    auto next = f.source().on_watch();
    f.run.advance(10s);
    CHECK(next.opened());
    CHECK(f.pods->stats().lists == 1);
    CHECK(f.pods->stats().failures == 0);
    CHECK(f.heard.empty());
}

TEST_CASE("public reflector: an expired watch gives the sink the full content", "[cache][parts]")
{
    reflecting f;
    auto watch = f.to_watch();
    watch.send(kt::error_event(410, "Expired"));
    f.source().on_list(kt::make_page({kt::make_pod("web", "c", "8")}, "9"));
    f.source().on_watch();
    f.run.advance(10s);
    CHECK(f.sink->take_calls() == lines{"replace 1@9"});
    CHECK(f.sink->held() == lines{"web/c@8"});
    REQUIRE(f.heard.size() == 1);
    CHECK(f.heard.front() == cond::expired);
    CHECK(f.heard.front().message() == "watch ended by the server: pods");
}

TEST_CASE("public reflector: a sink that fails or throws loses nothing, and is given a list", "[cache][parts]")
{
    reflecting f;
    auto watch = f.to_watch();
    SECTION("fails") { f.sink->failing = 1; }
    SECTION("throws before it suspends") { f.sink->throwing = 1; }
    SECTION("throws later") { f.sink->throwing_later = 1; }
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    watch.send(kt::added(kt::make_pod("web", "c", "7")));
    f.run.run_until_idle();
    CHECK(f.sink->take_calls() == lines{"apply 1@6"});
    CHECK(watch.closed());
    CHECK(f.pods->last_resource_version() == "5");
    CHECK(f.pods->state() == informer_state::waiting); // with backoff
    REQUIRE(f.heard.size() == 1);
    CHECK(f.heard.front() == cond::internal);
    CHECK(f.heard.front().message() == "the sink failed: pods");
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "6")}, "9"));
    f.source().on_watch();
    f.run.advance(10s);
    CHECK(f.sink->take_calls() == lines{"replace 2@9"});
    CHECK(f.sink->held() == lines{"web/a@1", "web/b@6"});
    CHECK(f.pods->last_resource_version() == "9");
    CHECK(f.pods->stats().failures == 1);
    CHECK(f.pods->stats().relists[static_cast<std::size_t>(relist_reason::apply_failed)] == 1);
    CHECK(f.log.count("the sink failed") == 1);
}

TEST_CASE("public reflector: a sink that always fails is retried with growing delays", "[cache][parts]")
{
    reflecting f;
    f.sink->failing = 1'000'000;
    for (int i = 0; i < 200; ++i) f.source().on_list(kt::make_page({}, "5"));
    f.begin();
    f.run.advance(30min);
    CHECK(f.heard.size() > 30);
    CHECK(f.heard.size() < 70);
    CHECK(f.source().watches() == 0);
}

TEST_CASE("public reflector: one call at a time; a stalled sink holds the watch back, which is not silent meanwhile",
          "[cache][parts]")
{
    reflecting f;
    auto o = f.options();
    o.policy = {.idle_timeout = 1min, .idle_needs_bookmarks = false};
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    f.begin(std::move(o));
    f.sink->stalled.emplace();
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    watch.send(kt::added(kt::make_pod("web", "c", "7")));
    f.run.advance(3h);
    CHECK(f.sink->take_calls() == lines{"replace 0@5", "apply 1@6"});
    CHECK(watch.pending() == 1);
    CHECK_FALSE(watch.closed());
    CHECK(f.pods->last_resource_version() == "5");
    f.sink->stalled->settle({});
    f.run.run_until_idle();
    CHECK(f.sink->take_calls() == lines{"apply 1@7"});
    CHECK(f.sink->most_running == 1);
    CHECK(f.heard.empty());
    CHECK(f.source().watches() == 1);
}

TEST_CASE("public reflector: a streamed list and the events behind it are two calls", "[cache][parts]")
{
    reflecting f;
    f.source().allow_streamed_lists();
    auto watch = f.source().on_watch();
    watch.send(
        {kt::added(kt::make_pod("web", "a", "1")), kt::bookmark("5", true), kt::added(kt::make_pod("web", "b", "6"))});
    SECTION("in order")
    {
        f.begin();
        CHECK(f.sink->take_calls() == lines{"replace 1@5", "apply 1@6"});
        CHECK(f.sink->most_running == 1);
    }
    SECTION("the second is not made when the first fails")
    {
        f.sink->failing = 1;
        f.begin();
        CHECK(f.sink->take_calls() == lines{"replace 1@5"});
        CHECK(f.pods->last_resource_version().empty());
    }
    CHECK(f.source().lists() == 0);
}

TEST_CASE("public reflector: a resource that is no longer served empties the sink, also if it fails at first",
          "[cache][parts]")
{
    reflecting f;
    const int failing = GENERATE(0, 2);
    auto watch = f.to_watch();
    f.sink->failing = failing;
    watch.send(kt::error_event(410, "Expired"));
    for (int i = 0; i < 10; ++i) f.source().on_list(kt::server_failure(404, "NotFound"));
    f.run.advance(10s); // before the first probe
    CHECK(f.pods->state() == informer_state::parked);
    if (failing == 0) CHECK(f.sink->take_calls() == lines{"replace 0@"});
    f.run.advance(20min);
    CHECK(f.sink->held().empty());
    CHECK(f.pods->last_resource_version().empty());
    if (failing != 0) CHECK(f.sink->take_calls() == lines{"replace 0@", "replace 0@", "replace 0@"});
    CHECK(f.sink->take_calls().empty()); // once it has taken that in
}

TEST_CASE("public reflector: objects that are too large are named, so that the sink keeps what it has",
          "[cache][parts]")
{
    reflecting f;
    auto watch = f.to_watch();
    watch.send(kt::error_event(410, "Expired"));
    auto page = kt::make_page({kt::make_pod("web", "b", "8")}, "9");
    page.left_out.push_back({.key = {"web", "a"}, .resource_version = "8", .why = "too large"});
    f.source().on_list(std::move(page));
    f.source().on_watch();
    f.run.advance(10s);
    CHECK(f.sink->held() == lines{"web/a@1", "web/b@8"});
    CHECK(f.heard.size() == 2); // the 410, and the object
    CHECK(f.pods->stats().outdated == 1);
}

TEST_CASE("public reflector: retry_now() ends the wait between two attempts", "[cache][parts]")
{
    reflecting f;
    f.source().on_list(failure(cond::unreachable, "refused"));
    f.source().on_list(kt::make_page({}, "5"));
    f.source().on_watch();
    f.begin();
    CHECK(f.sink->calls.empty());
    f.pods->retry_now();
    f.run.advance(300ms); // the turn of its relist_budget
    CHECK(f.sink->calls == lines{"replace 0@5"});
    f.pods->retry_now(); // does nothing while it watches
    f.run.run_until_idle();
    CHECK(f.pods->state() == informer_state::watching);
}

TEST_CASE("public reflector: options that cannot work fail run()", "[cache][parts]")
{
    reflecting f;
    auto sink = f.sink;
    const auto refused = [&](reflector r) {
        CHECK(r.state() == informer_state::created);
        const auto ended = f.run.run(r.run());
        REQUIRE_FALSE(ended);
        CHECK(ended.error() == cond::misconfigured);
        r.retry_now();
    };
    SECTION("a namespace of a cluster-scoped kind")
    {
        refused(reflector(f.provider, untyped::node::resource(), {.ns = "web", .log = f.log.handle()}, sink));
        CHECK(f.provider->opened() == 0);
        CHECK(f.log.count("nodes are cluster-scoped") == 1);
    }
    SECTION("a source without an executor")
    {
        refused(reflector(f.provider->source(pod::resource()), pod::resource(), {.log = logger::silent()}, sink));
    }
}

TEST_CASE("public reflector: runs over a source as well, with the scope of the options", "[cache][parts]")
{
    reflecting f;
    SECTION("a source")
    {
        const auto source = f.provider->source(pod::resource());
        source->on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        source->on_watch();
        auto o = f.options();
        o.executor = f.run.executor();
        o.time = f.run.shared_clock();
        f.pods.emplace(source, pod::resource(), std::move(o), f.sink);
    }
    SECTION("a provider, which is given the canonical scope")
    {
        const auto source = f.provider->source(
            pod::resource(), {.ns = "web", .label_selector = "app=shop", .field_selector = "spec.nodeName=n1"});
        source->on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("jobs", "b", "2")}, "5"));
        source->on_watch();
        auto o = f.options();
        o.ns = "web";
        o.label_selector = " app = shop ";
        o.field_selector = "spec.nodeName==n1";
        f.pods.emplace(f.provider, pod::resource(), std::move(o), f.sink);
    }
    f.running = f.run.spawn(f.pods->run());
    f.run.run_until_idle();
    CHECK(f.sink->held() == lines{"web/a@1"}); // objects of other namespaces are skipped
}

namespace {

/// A life with a list, changes, an expired watch and a failure of the sink.
kt::scenario life(kt::runner& run, std::weak_ptr<recording_sink>& sink)
{
    struct parts
    {
        std::shared_ptr<kt::scripted_provider> provider;
        std::shared_ptr<recording_sink> sink = std::make_shared<recording_sink>();
        std::optional<reflector> pods;
    };
    auto p = std::make_shared<parts>();
    p->provider = std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    auto& source = *p->provider->source(pod::resource());
    source.on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"));
    source.on_list(kt::make_page({kt::make_pod("web", "b", "2")}, "5"));
    source.on_watch().send(kt::added(kt::make_pod("web", "c", "6"))).send(kt::error_event(410, "Expired"));
    source.on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "9"));
    source.on_watch();
    p->sink->failing = 1;
    sink = p->sink;
    p->pods.emplace(p->provider, pod::resource(), reflector_options{.log = logger::silent(), .seed = 7}, p->sink);
    auto body = [](std::shared_ptr<parts> own, std::shared_ptr<time_source> time) -> asio::awaitable<result<>> {
        const auto ended = co_await with_timeout(*time, 1min, "", own->pods->run());
        co_return !ended && ended.error() == cond::timed_out ? result<>() : ended;
    };
    return {body(p, run.shared_clock()), p};
}

} // namespace

TEST_CASE("public reflector: cancelled at any step it ends, with no call of the sink in progress", "[cache][parts]")
{
    std::weak_ptr<recording_sink> sink;
    const auto attempts = kt::cancel_after_every_step(
        [&](kt::runner& run) { return life(run, sink); },
        [&](const result<>& outcome) { CHECK((outcome || outcome.error() == cond::cancelled)); });
    REQUIRE(attempts);
    CHECK(*attempts > 20);
}

TEST_CASE("public reflector: destroyed at any step, with its context, it leaks nothing", "[cache][parts]")
{
    std::weak_ptr<recording_sink> sink;
    const auto attempts =
        kt::stop_after_every_step([&](kt::runner& run) { return life(run, sink); }, [&] { CHECK(sink.expired()); });
    REQUIRE(attempts);
    CHECK(*attempts > 20);
}

TEST_CASE("public reflector: handles outlive the context", "[cache][parts]")
{
    auto sink = std::make_shared<recording_sink>();
    auto run = std::make_unique<kt::runner>();
    auto provider = std::make_shared<kt::scripted_provider>(run->executor(), run->shared_clock());
    provider->source(pod::resource())->on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    provider->source(pod::resource())->on_watch();
    reflector pods(provider, pod::resource(), {.log = logger::silent()}, sink);
    const reflector other = pods;
    SECTION("while it runs")
    {
        const auto running = run->spawn(pods.run());
        run->run_until_idle();
        run.reset();
        CHECK(other.last_resource_version() == "5");
        CHECK(other.state() == informer_state::stopped);
    }
    SECTION("before it runs")
    {
        run.reset();
        kt::runner elsewhere;
        const auto ended = elsewhere.run(pods.run());
        REQUIRE_FALSE(ended);
        CHECK(ended.error() == cond::cancelled);
    }
    SECTION("run() awaited on another context ends with the reflector's")
    {
        kt::runner elsewhere;
        const auto running = elsewhere.spawn(pods.run());
        elsewhere.run_until_idle();
        run->run_until_idle();
        CHECK(other.last_resource_version() == "5");
        run.reset();
        elsewhere.run_until_idle();
        REQUIRE(running.done());
        CHECK(running.outcome().error() == cond::cancelled);
    }
    other.retry_now();
    CHECK(other.stats().lists <= 1);
}

TEST_CASE("public reflector: ends when the coroutine that awaits run() is destroyed", "[cache][parts]")
{
    reflecting f;
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    f.pods.emplace(f.provider, pod::resource(), f.options(), f.sink);
    {
        kt::runner elsewhere;
        f.running = elsewhere.spawn(f.pods->run());
        elsewhere.run_until_idle();
        f.run.run_until_idle();
        CHECK(watch.opened());
    }
    f.running = {};
    f.run.run_until_idle();
    CHECK(watch.closed());
    CHECK(f.pods->state() == informer_state::stopped);
}

TEST_CASE("public reflector: an event that arrives as the watch times out is applied or listed, in any order",
          "[cache][parts]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        kt::runner run(seed, kt::ready_order::shuffled);
        const auto provider = std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
        auto& source = *provider->source(pod::resource());
        auto sink = std::make_shared<recording_sink>();
        source.on_list(kt::make_page({}, "5"));
        source.on_watch().pause(1min).send(kt::added(kt::make_pod("web", "b", "6")));
        source.on_watch().send(kt::added(kt::make_pod("web", "b", "6"))); // to one that did not get it
        source.on_list(kt::make_page({kt::make_pod("web", "b", "6")}, "6"));
        source.on_watch();
        reflector_options o{
            .policy = {.idle_timeout = 1min, .idle_needs_bookmarks = false}, .log = logger::silent(), .seed = seed};
        reflector pods(provider, pod::resource(), std::move(o), sink);
        const auto running = run.spawn(pods.run());
        run.advance(90s);
        CHECK(sink->held() == lines{"web/b@6"});
        running.cancel();
        run.run_until_idle();
    }
}
