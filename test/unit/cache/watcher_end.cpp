// Tests of how a watcher ends: cancelled, closed, destroyed, or with its context.

#include "watcher_fixture.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/testing/every_step.hpp>

using namespace watcher_test;

TEST_CASE("watcher: a cancelled next() loses nothing", "[cache][parts]")
{
    watching f;
    auto watch = f.to_watch();
    const auto how =
        GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total);
    const auto waiting = f.run.spawn(f.pods->next());
    f.run.run_until_idle();
    waiting.cancel(how);
    f.run.run_until_idle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::cancelled);
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    CHECK(f.next() == lines{"applied web/b@6", "@6"});
}

TEST_CASE("watcher: cancelled at any step of a reader, the batches of all readers are complete", "[cache][parts]")
{
    std::size_t handlers = 1;
    for (bool ended = false; !ended; ++handlers) {
        watching f;
        f.source().on_list(page_of("a", "5", "t1"));
        f.source().on_list(page_of("b", "5"));
        f.source().on_watch().send(kt::added(kt::make_pod("web", "c", "6"))).send(kt::bookmark("7"));
        f.begin();
        lines seen;
        const auto first = f.run.spawn(read_all(*f.pods, seen));
        f.run.cancel_after(handlers, first, asio::cancellation_type::terminal);
        f.run.run_until_idle();
        ended = !first.done();
        const auto second = f.run.spawn(read_all(*f.pods, seen));
        if (!ended) f.run.run_until_idle();
        CHECK(seen == lines{"init_begins", "listed web/a@1", "listed web/b@1", "init_done", "@5", "applied web/c@6",
                            "@6", "@7"});
        f.pods->close();
        f.run.run_until_idle();
        CHECK((first.done() && second.done()));
    }
    CHECK(handlers > 10);
}
TEST_CASE("watcher: close() ends the stream at once, stop() completes when nothing runs", "[cache][parts]")
{
    watching f;
    auto watch = f.to_watch();
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    f.run.run_until_idle(); // the batch is ready, and dropped
    SECTION("close()")
    {
        f.pods->close();
        f.run.run_until_idle();
    }
    SECTION("close() while next() waits")
    {
        CHECK(f.next() == lines{"applied web/b@6", "@6"});
        const auto waiting = f.run.spawn(f.pods->next());
        f.run.run_until_idle();
        f.pods->close();
        f.run.run_until_idle();
        REQUIRE(waiting.done());
        CHECK(waiting.outcome().error() == cond::cancelled);
    }
    SECTION("stop(), any number of times")
    {
        CHECK(f.run.run(f.pods->stop()));
        CHECK(f.run.run(f.pods->stop()));
    }
    CHECK(watch.closed());
    CHECK(f.pods->state() == informer_state::stopped);
    const auto after = f.run.run(f.pods->next());
    REQUIRE_FALSE(after);
    CHECK(after.error() == cond::cancelled);
    CHECK(f.heard.empty());
    CHECK(f.log.count("") == 0);
}

TEST_CASE("watcher: a destroyed or replaced one ends by itself", "[cache][parts]")
{
    watching f;
    auto watch = f.to_watch();
    std::weak_ptr<int> kept;
    {
        auto token = std::make_shared<int>(0);
        kept = token;
        f.source().on_list_hang();
        auto o = f.options();
        o.on_failure = [token](const failure&) {};
        watcher other(f.provider, pod::resource(), std::move(o));
        const auto waiting = f.run.spawn(other.next());
        f.run.run_until_idle();
        SECTION("destroyed, while next() waits") {}
        SECTION("replaced")
        {
            other = std::move(*f.pods);
            f.run.run_until_idle();
            CHECK_FALSE(watch.closed());
            watch.send(kt::added(kt::make_pod("web", "b", "6")));
            CHECK(f.next(other) == lines{"applied web/b@6", "@6"});
            CHECK(f.next().front().starts_with("failed")); // moved from
            f.pods->close();
            f.pods->retry_now();
            CHECK(f.run.run(f.pods->stop()));
            CHECK(f.pods->state() == informer_state::stopped);
            CHECK(f.pods->stats().lists == 0);
        }
        f.pods.reset();
        CHECK_FALSE(kept.expired());
    }
    f.run.run_until_idle();
    CHECK(watch.closed());
    CHECK(kept.expired());
    CHECK(f.source().in_flight() == 0);
    CHECK(f.log.count("") == 0);
}

TEST_CASE("watcher: outlives its context, in every order", "[cache][parts]")
{
    auto run = std::make_unique<kt::runner>();
    auto provider = std::make_shared<kt::scripted_provider>(run->executor(), run->shared_clock());
    provider->source(pod::resource())->on_list(page_of("a", "5"));
    auto watch = provider->source(pod::resource())->on_watch();
    auto pods =
        std::make_unique<watcher<>>(provider, pod::resource(), reflector_options{.log = logger::silent(), .seed = 7});
    kt::runner elsewhere;
    const auto fails = [&] {
        const auto after = elsewhere.run(pods->next());
        return !after && after.error() == cond::cancelled;
    };
    SECTION("before it began")
    {
        run.reset();
        CHECK(fails());
    }
    SECTION("while next() waits elsewhere")
    {
        const auto first = elsewhere.spawn(pods->next());
        elsewhere.run_until_idle();
        run->run_until_idle();
        elsewhere.run_until_idle();
        REQUIRE(first.done());
        const auto second = elsewhere.spawn(pods->next());
        elsewhere.run_until_idle();
        CHECK_FALSE(second.done());
        run.reset();
        elsewhere.run_until_idle();
        REQUIRE(second.done());
        CHECK(second.outcome().error() == cond::cancelled);
        CHECK(fails());
    }
    SECTION("with a batch that is ready")
    {
        const auto first = elsewhere.spawn(pods->next());
        elsewhere.run_until_idle();
        run->run_until_idle();
        run.reset();
        elsewhere.run_until_idle();
        CHECK(first.done());
        CHECK(fails());
    }
    SECTION("destroyed before its context, which then ends without running it")
    {
        const auto first = run->spawn(pods->next());
        run->run_until_idle();
        CHECK(first.done());
        pods.reset();
        run.reset();
        return;
    }
    CHECK(elsewhere.run(pods->stop()));
    CHECK(pods->state() == informer_state::stopped);
}
namespace {

/// A life with two pages, changes and an expired watch, read with a timeout now and then.
kt::scenario life(kt::runner& run)
{
    struct parts
    {
        std::shared_ptr<kt::scripted_provider> provider;
        std::optional<watcher<>> pods;
    };
    auto p = std::make_shared<parts>();
    p->provider = std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    auto& source = *p->provider->source(pod::resource());
    source.on_list(page_of("a", "5", "t1"));
    source.on_list(page_of("b", "5"));
    source.on_watch().send(kt::added(kt::make_pod("web", "c", "6"))).send(kt::error_event(410, "Expired"));
    source.on_list(page_of("c", "9"));
    source.on_watch();
    p->pods.emplace(p->provider, pod::resource(), reflector_options{.log = logger::silent(), .seed = 7});
    auto body = [](std::shared_ptr<parts> own, std::shared_ptr<time_source> time) -> asio::awaitable<result<>> {
        std::string version;
        while (version != "9") {
            const auto batch = co_await with_timeout(*time, 500ms, "", own->pods->next());
            if (batch)
                version = batch->resource_version;
            else if (batch.error() != cond::timed_out)
                co_return batch.error();
        }
        co_return co_await own->pods->stop();
    };
    return {body(p, run.shared_clock()), p};
}

} // namespace

TEST_CASE("watcher: cancelled at any step the reader ends, and the watcher with its owner", "[cache][parts]")
{
    const auto attempts = kt::cancel_after_every_step(
        life, [](const result<>& outcome) { CHECK((outcome || outcome.error() == cond::cancelled)); });
    REQUIRE(attempts);
    CHECK(*attempts > 20);
}

TEST_CASE("watcher: destroyed at any step, with its context, it leaks nothing", "[cache][parts]")
{
    const auto attempts = kt::stop_after_every_step(life);
    REQUIRE(attempts);
    CHECK(*attempts > 20);
}
