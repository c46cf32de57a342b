// Tests of handlers: late joins, removal, slowness, exceptions; and of subscriptions and resync.

#include "synced_fixture.hpp"

#include <kubecoro/base/latch.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <stdexcept>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;
using kubecoro::result;

TEST_CASE("handlers: a late joiner gets each stored object once, then later changes", "[cache][handlers]")
{
    synced_fixture f;
    f.start();
    f.watch.send(kt::modified(kt::make_pod("web", "a", "6")));
    auto late = f.pods.add_event_handler(f.writer());
    CHECK_FALSE(late.synced());
    f.watch.send(kt::added(kt::make_pod("web", "c", "7")));
    REQUIRE(f.run.run(late.has_synced()));
    f.settle();
    auto seen = f.take();
    // The handler joins before or after the first change, never in between.
    std::vector<std::string> state;
    REQUIRE(seen.size() >= 3);
    CHECK(std::count(seen.begin(), seen.end(), "initial web/b@2") == 1);
    CHECK(content(f.pods) == lines{"web/a@6", "web/b@2", "web/c@7"});
    f.watch.send(kt::deleted(kt::make_pod("web", "b", "9")));
    f.settle();
    CHECK(f.take() == lines{"deleted web/b@9"});
}

TEST_CASE("handlers: a join at any step loses and repeats no event", "[cache][handlers]")
{
    for (std::size_t step = 0; step < 150; ++step) {
        INFO("joined after " << step << " handlers");
        synced_fixture f;
        f.informers->start();
        f.watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::added(kt::make_pod("web", "c", "7"))});
        f.watch.send(kt::deleted(kt::make_pod("web", "b", "8")));
        f.watch.send(kt::error_event(410, "Expired"));
        f.source().on_list(kt::make_page({kt::make_pod("web", "a", "6"), kt::make_pod("web", "d", "9")}, "10"));
        auto next = f.source().on_watch();
        next.send(kt::added(kt::make_pod("web", "e", "11")));
        const auto ran = f.run.step(step);
        std::map<std::string, std::string> told;
        bool chain = true;
        auto late = f.pods.add_event_handler(
            {.on_add =
                 [&](const kubecoro::added<>& e) {
                     chain = chain && told.emplace(e.obj.name(), e.obj.resource_version()).second;
                 },
             .on_update =
                 [&](const kubecoro::updated<>& e) {
                     chain = chain && told[std::string(e.before.name())] == e.before.resource_version();
                     told[std::string(e.after.name())] = e.after.resource_version();
                 },
             .on_delete =
                 [&](const kubecoro::deleted<>& e) { chain = chain && told.erase(std::string(e.obj.name())) == 1; }});
        REQUIRE(f.run.run(late.has_synced()));
        REQUIRE(f.run.run_until([&] { return next.opened() && next.pending() == 0; }));
        f.settle();
        CHECK(chain);
        CHECK(told == std::map<std::string, std::string>{{"a", "6"}, {"d", "9"}, {"e", "11"}});
        if (ran < step) break;
    }
}

TEST_CASE("handlers: coroutines run one event after the other and delay no other handler", "[cache][handlers]")
{
    synced_fixture f;
    auto slow = f.pods.add_event_handler({.on_add = [&f](kubecoro::added<> e) -> asio::awaitable<void> {
                                              f.seen.push_back("begin " + f.text(e.obj));
                                              co_await kubecoro::sleep_for(f.run.clock(), 10s);
                                              f.seen.push_back("end " + f.text(e.obj));
                                          },
                                          .on_update = [&f](const kubecoro::updated<>& e) -> asio::awaitable<result<>> {
                                              f.seen.push_back("slow " + f.line(e));
                                              co_return kubecoro::failure(cond::conflict, "another writer was first");
                                          }});
    f.pods.add_event_handler(f.writer("quick "));
    f.start();
    CHECK(f.take() == lines{"begin web/a@1", "quick initial web/a@1", "quick initial web/b@2"});
    f.watch.send(kt::modified(kt::make_pod("web", "a", "6")));
    f.settle();
    CHECK(f.take() == lines{"quick updated web/a@1 > 6"});
    CHECK_FALSE(slow.synced());
    REQUIRE(f.run.run(slow.has_synced()));
    f.run.advance(1s);
    CHECK(f.take() == lines{"end web/a@1", "begin web/b@2", "end web/b@2", "slow updated web/a@1 > 6"});
    CHECK(slow.stats().failed == 1);
    CHECK(f.log.count("another writer was first") == 1);
}

TEST_CASE("handlers: one that throws is counted and logged, continues, and still syncs", "[cache][handlers]")
{
    synced_fixture f;
    const bool coroutine = GENERATE(false, true);
    kubecoro::event_handler<> h = f.writer();
    if (coroutine)
        h.on_add = [&f](const kubecoro::added<>& e) -> asio::awaitable<void> {
            f.seen.push_back(f.line(e));
            throw std::runtime_error("no idea");
            co_return;
        };
    else
        h.on_add = [&f](const kubecoro::added<>& e) {
            f.seen.push_back(f.line(e));
            throw std::runtime_error("no idea");
        };
    auto handler = f.pods.add_event_handler(std::move(h), {.name = "clumsy"});
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    f.watch.send(kt::modified(kt::make_pod("web", "a", "6")));
    f.settle();
    CHECK(f.take() == lines{"initial web/a@1", "initial web/b@2", "updated web/a@1 > 6"});
    CHECK(handler.stats().failed == 2);
    CHECK(handler.stats().delivered == 3);
    CHECK(f.log.count("a handler failed handler=clumsy") == 2);
}

TEST_CASE("handlers: empty slots are skipped", "[cache][handlers]")
{
    synced_fixture f;
    auto handler =
        f.pods.add_event_handler({.on_delete = [&f](kubecoro::deleted<> e) { f.seen.push_back(f.line(e)); }});
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    f.watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::deleted(kt::make_pod("web", "a", "7"))});
    f.settle();
    CHECK(f.take() == lines{"deleted web/a@7"});
}

TEST_CASE("handlers: a slow one gets merged events, within bounds, and ends in the current state", "[cache][handlers]")
{
    synced_fixture f;
    kubecoro::latch wake;
    auto handler =
        f.pods.add_event_handler({.on_add = [&](kubecoro::added<> e) -> asio::awaitable<void> {
                                      co_await wake.wait();
                                      f.seen.push_back(f.line(e));
                                  },
                                  .on_update = [&](const kubecoro::updated<>& e) { f.seen.push_back(f.line(e)); },
                                  .on_delete = [&](const kubecoro::deleted<>& e) { f.seen.push_back(f.line(e)); }},
                                 {.max_pending = 2});
    f.start();
    std::string version = "2";
    for (int i = 6; i < 500; ++i) {
        f.watch.send(kt::modified(kt::make_pod("web", "b", std::to_string(i))));
        f.watch.send({kt::added(kt::make_pod("web", "flash", std::to_string(i))),
                      kt::deleted(kt::make_pod("web", "flash", std::to_string(i)))});
        f.settle();
        CHECK(handler.stats().pending <= 4);
    }
    CHECK(handler.stats().coalesced > 900);
    wake.settle({});
    REQUIRE(f.run.run(handler.has_synced()));
    f.settle();
    const auto seen = f.take();
    CHECK(seen.front() == "initial web/a@1");
    CHECK(seen[1] == "initial web/b@2");
    CHECK(seen.back().find("> 499") != std::string::npos);
    CHECK(seen.size() <= 6);
}

TEST_CASE("handlers: no call follows the completion of removed()", "[cache][handlers]")
{
    synced_fixture f;
    int running = 0;
    int calls = 0;
    auto handler = f.pods.add_event_handler({.on_add = [&](kubecoro::added<>) -> asio::awaitable<void> {
        ++calls;
        ++running;
        co_await kubecoro::sleep_for(f.run.clock(), 5s);
        --running;
    }});
    f.start();
    CHECK(running == 1);
    SECTION("the awaited form waits for the call in progress")
    {
        REQUIRE(f.run.run(handler.removed()));
        CHECK(running == 0);
    }
    SECTION("the immediate form does not, and drops pending events")
    {
        handler.remove();
        CHECK(running == 1);
        f.run.advance(10s);
        CHECK(running == 0);
        handler.remove();
        CHECK(f.run.run(handler.removed()));
    }
    CHECK(calls == 1);
    CHECK(f.run.run(handler.has_synced()).error() == cond::cancelled);
    f.watch.send(kt::added(kt::make_pod("web", "c", "7")));
    f.run.advance(10s);
    CHECK(calls == 1);
    CHECK(f.pods.stats().handlers.empty());
}

TEST_CASE("handlers: one that throws after its removal has ended with that call", "[cache][handlers]")
{
    synced_fixture f;
    kubecoro::latch go_on;
    int calls = 0;
    auto handler = f.pods.add_event_handler({.on_add = [&](kubecoro::added<>) -> asio::awaitable<void> {
                                                 ++calls;
                                                 co_await go_on.wait();
                                                 throw std::runtime_error("no idea");
                                             },
                                             .on_update = [&calls](const kubecoro::updated<>&) { ++calls; }},
                                            {.name = "clumsy"});
    f.pods.add_event_handler(f.writer());
    f.start();
    handler.remove();
    f.modify("a", 6);
    f.settle();
    auto removed = f.run.spawn(handler.removed());
    f.settle();
    CHECK_FALSE(removed.done()); // the call continues
    go_on.settle({});
    f.settle();
    REQUIRE(removed.done());
    CHECK(removed.outcome().has_value());
    CHECK(handler.stats().failed == 1);
    CHECK(f.log.count("a handler failed handler=clumsy") == 1);
    CHECK(f.pods.stats().handlers.size() == 1);
    f.modify("b", 7);
    f.settle();
    CHECK(calls == 1);
    CHECK(f.take().size() == 4); // the other one continues
    CHECK(f.run.run(f.informers->stop()));
}

TEST_CASE("handlers: removal without waiting also ends every wait for it", "[cache][handlers]")
{
    synced_fixture f;
    const bool before_the_start = GENERATE(true, false);
    auto handler = f.pods.add_event_handler(f.writer());
    if (before_the_start) handler.remove();
    f.start();
    f.take();
    if (!before_the_start) handler.remove();
    f.modify("a", 6);
    f.settle();
    CHECK(f.take().empty());
    CHECK(f.pods.stats().handlers.empty());
    CHECK(f.run.run(handler.removed()));
}

TEST_CASE("subscription: the stop ends a reader that waits at an empty queue", "[cache][subscription]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    auto events = pods.subscribe();
    pods.add_event_handler(f.writer());
    f.informers->start();
    const auto pop = [&]() -> asio::awaitable<result<>> {
        auto batch = co_await events.pop();
        if (!batch) co_return events.end_reason();
        co_return result<>{};
    };
    REQUIRE(f.run.run(pop()));
    auto waiting = f.run.spawn(pop());
    f.settle();
    REQUIRE_FALSE(waiting.done());
    auto stopped = f.run.spawn(f.informers->stop());
    f.settle(); // virtual time does not advance: nothing waits for a timer
    REQUIRE(stopped.done());
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::cancelled);
    CHECK(f.run.run(pop()).error() == cond::cancelled);
    CHECK(f.source().in_flight() == 0);
}

TEST_CASE("handlers: may remove themselves, and may be removed before start and after stop", "[cache][handlers]")
{
    synced_fixture f;
    kubecoro::registration self;
    self = f.pods.add_event_handler({.on_add = [&](const kubecoro::added<>& e) {
        f.seen.push_back(f.line(e));
        self.remove();
    }});
    auto never = f.pods.add_event_handler(f.writer("never "));
    auto later = f.pods.add_event_handler(f.writer("later "));
    CHECK(f.run.run(never.removed()));
    f.start();
    CHECK(f.run.run(self.removed()));
    CHECK(f.take() == lines{"initial web/a@1", "later initial web/a@1", "later initial web/b@2"});
    REQUIRE(f.run.run(f.informers->stop()));
    CHECK(f.run.run(later.removed()));
    auto after = f.pods.add_event_handler(f.writer("after "));
    CHECK(f.run.run(after.has_synced()).error() == cond::cancelled);
    CHECK(f.run.run(after.removed()));
    CHECK(f.take().empty());
}

TEST_CASE("handlers: resync delivers the stored objects again, only to handlers with resync, without a request",
          "[cache][handlers][resync]")
{
    synced_fixture f;
    f.pods.add_event_handler(f.writer("quiet "));
    auto resyncing = f.pods.add_event_handler(f.writer(), {.resync = 60s});
    f.start();
    f.take();
    f.run.advance(59s);
    CHECK(f.take().empty());
    f.run.advance(1s);
    CHECK(sorted(f.take()) == lines{"resync web/a@1", "resync web/b@2"});
    f.watch.send(kt::modified(kt::make_pod("web", "a", "6")));
    f.settle();
    f.take();
    f.run.advance(60s);
    CHECK(sorted(f.take()) == lines{"resync web/a@6", "resync web/b@2"});
    CHECK(f.source().calls().size() == 2);
    resyncing.remove();
    f.run.advance(200s);
    CHECK(f.take().empty());
}

TEST_CASE("handlers: the resync period is at least a second and defaults to the factory's", "[cache][handlers][resync]")
{
    kubecoro::factory_options o;
    o.resync = 1ms;
    synced_fixture f(std::move(o));
    f.pods.add_event_handler(f.writer());
    f.start();
    f.take();
    f.run.advance(999ms);
    CHECK(f.take().empty());
    f.run.advance(1ms);
    CHECK(f.take().size() == 2);
}

TEST_CASE("handlers: one that asks for later changes only gets no stored object", "[cache][handlers]")
{
    synced_fixture f;
    const auto handler = f.pods.add_event_handler(f.writer(), {.initial = false});
    f.start();
    CHECK(f.take().empty());
    CHECK(handler.synced());
    f.watch.send(kt::added(kt::make_pod("web", "c", "7")));
    f.settle();
    CHECK(f.take().size() == 1);
}

TEST_CASE("subscription: returns batches, reports its sync, and survives a cancelled pop", "[cache][subscription]")
{
    synced_fixture f;
    auto events = f.pods.subscribe();
    f.start();
    std::vector<std::string> out;
    const auto pop = [&]() -> asio::awaitable<result<>> {
        auto batch = co_await events.pop();
        if (!batch) co_return events.end_reason();
        for (const auto& n : *batch) out.push_back(f.text(kubecoro::object_of(n)));
        co_return result<>{};
    };
    CHECK_FALSE(events.synced());
    REQUIRE(f.run.run(pop()));
    CHECK(events.synced());
    auto waiting = f.run.spawn(pop());
    f.settle();
    CHECK_FALSE(waiting.done());
    waiting.cancel();
    f.settle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::cancelled);
    f.watch.send(kt::added(kt::make_pod("web", "c", "7")));
    REQUIRE(f.run.run(pop()));
    CHECK(out == lines{"web/a@1", "web/b@2", "web/c@7"});

    SECTION("the stop lets the reader take the waiting events")
    {
        f.watch.send(kt::added(kt::make_pod("web", "d", "8")));
        f.settle();
        REQUIRE(f.run.run(f.informers->stop()));
        REQUIRE(f.run.run(pop()));
        CHECK(out.back() == "web/d@8");
        CHECK(f.run.run(pop()).error() == cond::cancelled);
    }
    SECTION("close ends it")
    {
        events.close();
        CHECK(f.run.run(pop()).error() == cond::cancelled);
        CHECK(f.pods.stats().handlers.empty());
    }
    SECTION("assignment also ends it, and a moved-from one is empty")
    {
        auto other = std::move(events);
        CHECK_FALSE(events.synced());
        CHECK(events.stats().delivered == 0);
        other = f.pods.subscribe();
        f.settle();
        CHECK(f.pods.stats().handlers.size() == 1);
    }
}

TEST_CASE("handlers: awaiting an empty registration or subscription fails", "[cache][handlers]")
{
    kt::runner run;
    kubecoro::registration nobody;
    CHECK_FALSE(nobody);
    CHECK(run.run(nobody.has_synced()).error() == cond::misconfigured);
    CHECK(run.run(nobody.removed()).error() == cond::misconfigured);
    CHECK_FALSE(nobody.synced());
    nobody.remove();

    kubecoro::subscription<> nothing;
    CHECK(run.run(nothing.has_synced()).error() == cond::misconfigured);
    const auto pop = [&]() -> asio::awaitable<result<>> {
        const auto batch = co_await nothing.pop();
        CHECK_FALSE(batch.has_value());
        co_return nothing.end_reason();
    };
    CHECK(run.run(pop()).error() == cond::misconfigured);
    CHECK_FALSE(nothing.synced());
    nothing.close();
}

TEST_CASE("handlers: failures that are worded for each object do not fill the log", "[cache][handlers]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    auto handler = pods.add_event_handler({.on_add = [](kubecoro::added<> e) -> asio::awaitable<result<>> {
        co_return kubecoro::failure(cond::invalid, "no idea of " + std::string(e.obj.name()));
    }});
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    for (int i = 0; i < 500; ++i) watch.send(kt::added(kt::make_pod("web", "p" + std::to_string(i), "10")));
    f.settle();
    CHECK(handler.stats().failed == 501);
    CHECK(f.log.count(kubecoro::log_level::error) == 10);
}

TEST_CASE("handlers: a cancellation inside a handler is a failure like any other", "[cache][handlers]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    auto handler = pods.add_event_handler({.on_add = [](kubecoro::added<>) -> asio::awaitable<result<>> {
        co_return kubecoro::failure(cond::cancelled, "a request of the handler was cancelled");
    }});
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    CHECK(handler.stats().failed == 1);
    CHECK(f.log.count("a handler failed") == 1);
}
