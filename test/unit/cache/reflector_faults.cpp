// Tests of sources and sinks that throw: an exception of a source is a failed request, any other ends the reflector.

#include "reflector/reflector_driver.hpp"
#include "trapped_source.hpp"

#include <kubecoro/base/latch.hpp>

#include <deque>
#include <functional>
#include <new>
#include <stdexcept>

namespace asio = boost::asio;
using namespace informer_test;
using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

/// Records its calls, and throws when configured.
struct trapped_sink final : delta_sink
{
    trap replacing;
    trap applying;
    trap reporting;
    trap showing;
    lines seen;
    std::string version;
    latch freed = settled_latch();

    static latch settled_latch()
    {
        const latch l;
        l.settle({});
        return l;
    }
    void replace(std::vector<object> items, std::string resource_version, std::vector<left_out_object>) override
    {
        seen.push_back("list " + std::to_string(items.size()) + "@" + resource_version);
        replacing.spring();
    }
    void apply(std::vector<delta> changes, std::string resource_version) override
    {
        seen.push_back("apply " + std::to_string(changes.size()) + "@" + resource_version);
        applying.spring();
    }
    void vanished() override { seen.push_back("gone"); }
    [[nodiscard]] bool has_room() const override { return freed.settled(); }
    [[nodiscard]] asio::awaitable<result<>> room() override { return freed.wait(); }
    void report(reflector_core::incident what) override
    {
        reporting.spring();
        seen.push_back(std::string(what.what));
    }
    void progress(const reflector_core& core) override
    {
        showing.spring();
        version = core.resource_version();
    }
    lines take() { return std::exchange(seen, {}); }
};

/// A single reflector without an informer.
struct lonely
{
    kt::runner run;
    std::shared_ptr<kt::scripted_source> script = std::make_shared<kt::scripted_source>(run.shared_clock());
    std::shared_ptr<traps> at = std::make_shared<traps>();
    trapped_sink sink;
    reflector_driver follows{std::make_shared<trapped_source>(script, at),
                             reflector_core({}, {"Pod", "v1", ""}, 3),
                             {},
                             run.shared_clock(),
                             relist_budget(8, 200ms, run.shared_clock()),
                             sink};
    kt::task<void> running;

    /// Synced at version 5, with an open watch.
    kt::scripted_watch to_watch()
    {
        script->on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        auto watch = script->on_watch();
        running = run.spawn(follows.run());
        run.run_until_idle();
        CHECK(sink.take() == lines{"list 1@5"});
        return watch;
    }
    void relist_later()
    {
        script->on_list(kt::make_page({}, "9"));
        script->on_watch_hang();
        run.advance(10s);
    }
    ~lonely()
    {
        running.cancel();
        run.run_until_idle();
        CHECK(running.done());
    }
};

} // namespace

TEST_CASE("reflector faults: a source that throws is reported and retried with backoff", "[cache][reflector][faults]")
{
    trapped_fixture f;
    auto pods = f.get();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "7"));
    f.source().on_watch().send(kt::added(kt::make_pod("web", "b", "6")));
    f.source().on_watch();
    auto begins = [&](std::size_t failures, const std::string& what) {
        f.trapped->start();
        f.settle();
        CHECK(f.heard.size() == 1); // retried with backoff, not at once
        CHECK(pods.state() == informer_state::waiting);
        CHECK(f.run.run(pods.has_synced()));
        f.run.advance(20s);
        REQUIRE(f.heard.size() == failures);
        CHECK(f.heard.front() == cond::internal);
        CHECK(f.heard.front().message() == what + ": pods");
        CHECK(f.heard.front().describe().find("bad_alloc") != std::string::npos);
        CHECK(pods.stats().reflector.failures == failures);
        CHECK(f.log.count("bad_alloc") >= 1);
        CHECK(pods.state() == informer_state::watching);
    };
    SECTION("at a list")
    {
        f.at().list.left = 3;
        begins(3, "list failed");
    }
    SECTION("in the middle of a list")
    {
        f.at().later_list.left = 3;
        begins(3, "list failed");
    }
    SECTION("at a watch")
    {
        f.at().watch.left = 1;
        begins(1, "watch refused");
        CHECK(f.source().lists() == 2);
    }
    SECTION("when next() is called")
    {
        f.at().next.left = 1;
        begins(1, "watch ended by the server");
        CHECK(f.source().lists() == 2);
    }
    SECTION("while next() is suspended")
    {
        f.at().later_next.left = 1;
        begins(1, "watch ended by the server");
        CHECK(f.source().lists() == 2);
    }
}

TEST_CASE("reflector faults: one that always throws is retried with growing delays", "[cache][reflector][faults]")
{
    trapped_fixture f;
    auto pods = f.get();
    f.at().list.left = 1'000'000;
    f.trapped->start();
    f.run.advance(30min);
    CHECK(f.heard.size() > 30);
    CHECK(f.heard.size() < 70);
    CHECK(f.run.run(f.trapped->stop()));
    CHECK(pods.state() == informer_state::stopped);
}

TEST_CASE("reflector faults: a namespace whose source cannot be opened fails its wait", "[cache][reflector][faults]")
{
    trapped_fixture f;
    auto pods = f.get({"web"});
    f.source("web").on_list(kt::make_page({}, "5"));
    f.source("web").on_watch();
    f.trapped->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.trapping->opening.left = 1;
    auto joining = f.run.spawn(pods.add_namespace("jobs"));
    f.run.advance(1min);
    CHECK(f.heard.size() > 1);
    CHECK(f.heard.front().describe().find("bad_alloc") != std::string::npos);
    CHECK(pods.state() == informer_state::waiting);
    CHECK(f.run.run(pods.remove_namespace("jobs")));
    CHECK(joining.done());
    CHECK(pods.state() == informer_state::watching);
}

TEST_CASE("reflector faults: any other exception ends the reflector with its failure, and the stream with it",
          "[cache][reflector][faults]")
{
    lonely r;
    auto watch = r.to_watch();
    r.script->on_list(kt::make_page({}, "8"));
    SECTION("of the sink, for events")
    {
        r.sink.applying.left = 1;
        watch.send({kt::added(kt::make_pod("web", "b", "6")), kt::added(kt::make_pod("web", "c", "7"))});
    }
    SECTION("of the sink, for a list")
    {
        r.sink.replacing.left = 1;
        watch.send(kt::error_event(410, "Expired"));
    }
    SECTION("of the sink, for a report")
    {
        r.sink.reporting.left = 1;
        watch.send(kt::error_event(410, "Expired"));
    }
    SECTION("of the sink, for the progress")
    {
        r.sink.showing.left = 1;
        watch.send(kt::added(kt::make_pod("web", "b", "6")));
    }
    SECTION("of a description")
    {
        r.at->describe.left = 1;
        watch.send(kt::error_event(410, "Expired"));
    }
    r.run.advance(10s);
    REQUIRE(r.running.done());
    CHECK(r.running.outcome().error() == cond::internal);
    CHECK(watch.closed());
}

TEST_CASE("reflector faults: a stream that throws relists at the version that was applied",
          "[cache][reflector][faults]")
{
    lonely r;
    auto watch = r.to_watch();
    r.at->next.left = 1; // the next call after these events
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    r.run.run_until_idle();
    CHECK(r.sink.take() == lines{"apply 1@6", "watch ended by the server"});
    CHECK(watch.closed());
    r.relist_later();
    CHECK(r.script->list_call(1).resource_version == "6");
    CHECK(r.sink.take() == lines{"list 0@9"});
}

TEST_CASE("reflector faults: a sink that fails after it had taken over events is given a list",
          "[cache][reflector][faults]")
{
    lonely r;
    auto watch = r.to_watch();
    r.sink.freed = latch();
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    watch.send(kt::added(kt::make_pod("web", "c", "7")));
    r.run.advance(1h);
    CHECK(r.sink.take() == lines{"apply 1@6"});
    CHECK_FALSE(watch.closed());
    r.sink.freed.settle(failure(cond::internal, "no memory"));
    r.sink.freed = trapped_sink::settled_latch();
    r.run.run_until_idle();
    CHECK(r.sink.take() == lines{"the sink failed"});
    CHECK(watch.closed());
    r.relist_later();
    CHECK(r.sink.take() == lines{"list 0@9"});
}

TEST_CASE("reflector faults: on_lost() is accepted in any phase, and relists from the version",
          "[cache][reflector][faults]")
{
    reflector_core c({}, {"Pod", "v1", ""}, 3);
    time_point now{1h};
    const failure why(cond::internal, "no memory");
    const auto list_after_a_pause = [&](reflector_core::action next) {
        REQUIRE(std::holds_alternative<reflector_core::do_wait>(next));
        CHECK(std::get<reflector_core::do_wait>(next).delay >= 800ms);
        CHECK(c.state() == informer_state::waiting);
        next = c.on_wake();
        REQUIRE(std::holds_alternative<reflector_core::do_take_turn>(next));
        next = c.on_turn(now);
        REQUIRE(std::holds_alternative<reflector_core::do_list>(next));
        return std::get<reflector_core::do_list>(next).options;
    };
    static_cast<void>(c.start(now));
    SECTION("inside a chain of pages, none of which is kept")
    {
        static_cast<void>(c.on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "t1"), now));
        CHECK(list_after_a_pause(c.on_lost(why)).continue_token.empty());
        const auto next = c.on_list(kt::make_page({kt::make_pod("web", "b", "6")}, "6"), now);
        CHECK(std::get<reflector_core::do_replace>(next).items.size() == 1);
    }
    SECTION("while events are applied, which are then not skipped")
    {
        static_cast<void>(c.on_list(kt::make_page({}, "5"), now));
        static_cast<void>(c.on_applied({}, now));
        static_cast<void>(c.on_watch_opened({}, now));
        static_cast<void>(c.on_events({kt::added(kt::make_pod("web", "b", "7"))}, now));
        CHECK(list_after_a_pause(c.on_lost(why)).resource_version == "5");
        CHECK(c.stats().relists[static_cast<std::size_t>(relist_reason::apply_failed)] == 1);
    }
    SECTION("but not after the stop")
    {
        static_cast<void>(c.on_cancel());
        CHECK(std::holds_alternative<reflector_core::do_stop>(c.on_lost(why)));
        return;
    }
    CHECK(c.stats().failures == 1);
    CHECK(c.take_incidents().size() == 1);
}

TEST_CASE("reflector faults: a watch that is held back is not read, and does not count as silent",
          "[cache][reflector][faults]")
{
    lonely r;
    auto watch = r.to_watch();
    r.script->on_watch_hang();
    for (const char* v : {"6", "7"}) { // a server with regular bookmarks: the idle timeout applies
        watch.send(kt::bookmark(v));
        r.run.run_until_idle();
    }
    r.sink.take();
    r.sink.freed = latch();
    watch.send(kt::added(kt::make_pod("web", "b", "8")));
    r.run.run_until_idle();
    const bool more = GENERATE(true, false);
    if (more) watch.send(kt::added(kt::make_pod("web", "c", "9")));
    r.run.advance(4min); // longer than idle_timeout
    CHECK(r.sink.take() == lines{"apply 1@8"});
    CHECK_FALSE(watch.closed());
    r.sink.freed.settle({});
    r.run.advance(2s);
    CHECK(r.sink.take() == (more ? lines{"apply 1@9"} : lines{}));
    CHECK_FALSE(watch.closed());
    r.run.advance(2min);
    CHECK_FALSE(watch.closed());
    r.run.advance(2min); // silent, and not held back
    CHECK(watch.closed());
}
