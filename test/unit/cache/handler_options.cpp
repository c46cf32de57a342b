// Tests of handler_options: policies, filters, concurrency, slow calls, ends.

#include "synced_fixture.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <set>
#include <stdexcept>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::coalesce;
using kubecoro::cond;
using kubecoro::result;

namespace {

/// A handler that holds each call by object name until it is released.
struct gatekeeper
{
    fixture& f;
    std::map<std::string, kubecoro::latch> gates = {};
    std::multiset<std::string> inside = {};
    std::size_t most = 0;
    bool overlapped = false;

    kubecoro::event_handler<> handler(std::size_t concurrency = 1)
    {
        const auto call = [this](const auto& e) { return hold(kubecoro::notification<>(e), f.line(e)); };
        return {.on_add = call, .on_update = call, .on_delete = call, .concurrency = concurrency};
    }
    asio::awaitable<result<>> hold(kubecoro::notification<> n, std::string line)
    {
        const std::string name(kubecoro::object_of(n).name());
        overlapped = overlapped || inside.count(name) != 0;
        inside.insert(name);
        most = std::max(most, inside.size());
        f.seen.push_back(line);
        co_await gates[name].wait();
        inside.erase(name);
        co_return result<>{};
    }
    void open(const std::string& name) { gates[name].settle({}); }
};

} // namespace

TEST_CASE("handlers: with coalesce::never one that falls too far behind gets the waiting events, then ends",
          "[cache][handlers][policy]")
{
    synced_fixture f;
    gatekeeper slow{f};
    auto handler =
        f.pods.add_event_handler(slow.handler(), {.policy = coalesce::never, .max_pending = 3, .name = "auditor"});
    f.pods.add_event_handler(f.writer("other "));
    f.start();
    f.take();
    auto ended = f.run.spawn(handler.ended());
    for (int v = 6; v < 9; ++v) f.modify("b", v);
    f.settle();
    CHECK(handler.stats().pending == 3);
    CHECK(f.take().size() == 3); // the other handler is not delayed
    f.modify("b", 9);
    f.modify("b", 10);
    f.settle();
    CHECK(f.log.count("fell too far behind") == 1);
    CHECK(f.take().size() == 2);
    CHECK_FALSE(ended.done());
    slow.open("a");
    slow.open("b");
    f.settle();
    CHECK(f.take() == lines{"initial web/b@2", "updated web/b@2 > 6", "updated web/b@6 > 7", "updated web/b@7 > 8"});
    REQUIRE(ended.done());
    CHECK(ended.outcome().error() == cond::expired);
    CHECK(handler.synced()); // the initial adds were delivered
    CHECK(f.run.run(handler.removed()));
}

TEST_CASE("handlers: one that is overrun before the store is filled fails its has_synced()",
          "[cache][handlers][policy]")
{
    fixture f;
    kubecoro::informer_options two;
    two.namespaces = {"jobs", "web"};
    auto pods = f.informers->get<pod>(two);
    f.source("web").on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto watch = f.source("web").on_watch();
    gatekeeper slow{f};
    auto handler = pods.add_event_handler(slow.handler(), {.policy = coalesce::never, .max_pending = 1});
    auto events = pods.subscribe({.policy = coalesce::never, .max_pending = 2});
    f.informers->start();
    auto synced = f.run.spawn(handler.has_synced());
    f.settle();
    for (int v = 6; v < 12; ++v) watch.send(kt::modified(kt::make_pod("web", "a", std::to_string(v))));
    f.settle();
    REQUIRE(synced.done());
    CHECK(synced.outcome().error() == cond::expired);
    slow.open("a");
    std::size_t popped = 0;
    const auto pop = [&]() -> asio::awaitable<result<>> {
        while (auto batch = co_await events.pop()) popped += batch->size();
        co_return events.end_reason();
    };
    CHECK(f.run.run(pop()).error() == cond::expired);
    CHECK(popped == 3);
}

TEST_CASE("handlers: latest_per_key delivers only the newest state, even of a waiting batch",
          "[cache][handlers][policy]")
{
    synced_fixture f;
    gatekeeper slow{f};
    auto handler = f.pods.add_event_handler(slow.handler(), {.policy = coalesce::latest_per_key});
    f.start();
    CHECK(f.take() == lines{"initial web/a@1"});
    for (int v = 6; v < 20; ++v) f.modify("b", v);
    f.modify("a", 20);
    f.modify("a", 21);
    f.settle();
    CHECK(handler.stats().pending == 2);
    CHECK(handler.stats().coalesced == 15);
    slow.open("a");
    slow.open("b");
    REQUIRE(f.run.run(handler.has_synced()));
    f.settle();
    CHECK(f.take() == lines{"initial web/b@19", "updated web/a@1 > 21"});
}

TEST_CASE("handlers: a filter delivers matching objects and keeps the initial flag", "[cache][handlers][filter]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1", "n1"), kt::make_pod("web", "b", "2", "n2")}, "5"));
    auto watch = f.source().on_watch();
    bool broken = false;
    const auto on_n1 = [&](const kubecoro::object& o) {
        if (broken) throw std::runtime_error("no idea");
        return o["spec"]["nodeName"].as_string() == "n1";
    };
    const std::size_t concurrency = GENERATE(1, 3);
    auto writer = f.writer();
    writer.concurrency = concurrency;
    auto handler = pods.add_event_handler(std::move(writer), {.filter = on_n1, .name = "on n1"});
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    CHECK(f.take() == lines{"initial web/a@1"});
    watch.send(kt::modified(kt::make_pod("web", "b", "6", "n1")));
    watch.send(kt::modified(kt::make_pod("web", "a", "7", "n2")));
    watch.send(kt::deleted(kt::make_pod("web", "a", "8", "n2")));
    f.settle();
    CHECK(f.take() == lines{"added web/b@6", "deleted web/a@1"});
    CHECK(handler.stats().filtered == 2);
    broken = true;
    watch.send(kt::modified(kt::make_pod("web", "b", "9", "n2")));
    watch.send(kt::added(kt::make_pod("web", "c", "10", "n1")));
    f.settle();
    CHECK(f.take() == lines{"updated web/b@6 > 9"});
    CHECK(handler.stats().failed == 2);
    CHECK(f.log.count("a handler's filter failed") == 2);
}

TEST_CASE("handlers: a handler whose filter rejects everything still syncs", "[cache][handlers][filter]")
{
    synced_fixture f;
    auto handler = f.pods.add_event_handler(f.writer(), {.filter = [](const kubecoro::object&) { return false; }});
    auto events = f.pods.subscribe({.filter = [](const kubecoro::object&) { return false; }});
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    const auto pop = [&]() -> asio::awaitable<result<>> {
        auto batch = co_await events.pop();
        CHECK_FALSE(batch.has_value());
        co_return events.end_reason();
    };
    auto popping = f.run.spawn(pop());
    REQUIRE(f.run.run(events.has_synced()));
    CHECK(f.take().empty());
    popping.cancel();
    f.settle();
}

TEST_CASE("handlers: a concurrent handler runs several keys at once, no key twice, each key in order",
          "[cache][handlers][concurrency]")
{
    synced_fixture f;
    gatekeeper slow{f};
    auto handler = f.pods.add_event_handler(slow.handler(2));
    f.start();
    CHECK(f.take() == lines{"initial web/a@1", "initial web/b@2"});
    CHECK(handler.stats().running == 2);
    f.watch.send(kt::added(kt::make_pod("web", "c", "6")));
    f.modify("a", 7);
    f.modify("a", 8);
    f.settle();
    CHECK(f.take().empty());
    CHECK(handler.stats().pending == 3);
    slow.open("b");
    f.settle();
    CHECK(f.take() == lines{"added web/c@6"});
    CHECK_FALSE(handler.synced());
    slow.open("a");
    f.settle();
    CHECK(handler.synced());
    slow.open("c");
    f.settle();
    CHECK(slow.inside.empty());
    CHECK(slow.most == 2);
    CHECK_FALSE(slow.overlapped);
    CHECK(handler.stats().running == 0);
}

TEST_CASE("handlers: a hanging key does not delay others, and the events behind it are bounded",
          "[cache][handlers][concurrency]")
{
    synced_fixture f;
    gatekeeper slow{f};
    slow.open("b");
    auto handler = f.pods.add_event_handler(slow.handler(2), {.max_pending = 4});
    f.start();
    f.take();
    for (int v = 6; v < 200; ++v) {
        f.modify("a", v);
        f.modify("b", v);
        f.settle();
        CHECK(handler.stats().pending <= 6);
        CHECK(f.seen.back() == "updated web/b@" + std::to_string(v == 6 ? 2 : v - 1) + " > " + std::to_string(v));
    }
    CHECK(f.seen.size() == 194);
    f.take();
    slow.open("a");
    f.settle();
    CHECK(f.seen.back().find("> 199") != std::string::npos);
    CHECK(f.seen.size() <= 6);
    CHECK_FALSE(slow.overlapped);
    CHECK(handler.synced());
}

TEST_CASE("handlers: removed() waits for every call of a concurrent handler", "[cache][handlers][concurrency]")
{
    synced_fixture f;
    gatekeeper slow{f};
    auto handler = f.pods.add_event_handler(slow.handler(4));
    f.start();
    REQUIRE(slow.inside.size() == 2);
    auto removed = f.run.spawn(handler.removed());
    f.settle();
    slow.open("a");
    f.settle();
    CHECK_FALSE(removed.done());
    slow.open("b");
    f.settle();
    REQUIRE(removed.done());
    CHECK(removed.outcome());
    f.modify("a", 9);
    f.settle();
    CHECK(f.take() == lines{"initial web/a@1", "initial web/b@2"});
}

TEST_CASE("handlers: concurrent calls that fail or throw are counted, and the key continues",
          "[cache][handlers][concurrency]")
{
    synced_fixture f;
    auto handler =
        f.pods.add_event_handler({.on_add = [&](kubecoro::added<> e) -> asio::awaitable<void> {
                                      f.seen.push_back(f.line(e));
                                      throw std::runtime_error("no idea");
                                      co_return;
                                  },
                                  .on_update = [&](const kubecoro::updated<>& e) -> asio::awaitable<result<>> {
                                      f.seen.push_back(f.line(e));
                                      co_return kubecoro::failure(cond::conflict, "another writer");
                                  },
                                  .concurrency = 3});
    f.start();
    f.modify("a", 6);
    f.modify("a", 7);
    f.settle();
    CHECK(handler.stats().failed == 4);
    CHECK(f.take().size() == 4);
    CHECK(handler.synced());
}

TEST_CASE("handlers: a repeated failure is logged once and counted every time", "[cache][handlers]")
{
    synced_fixture f;
    auto handler = f.pods.add_event_handler(
        {.on_update = [](const kubecoro::updated<>&) { throw std::runtime_error("no idea"); }}, {.name = "clumsy"});
    f.start();
    for (int v = 6; v < 106; ++v) f.modify("a", v);
    f.settle();
    CHECK(handler.stats().failed == 100);
    CHECK(f.log.count(kubecoro::log_level::error) == 1);
}

TEST_CASE("handlers: a slow call is logged once per streak and visible while it runs", "[cache][handlers][slow]")
{
    synced_fixture f;
    kubecoro::duration pause = 10s;
    const auto sleep = [&](const auto&) -> asio::awaitable<void> {
        co_await kubecoro::sleep_for(f.run.clock(), pause);
    };
    auto handler = f.pods.add_event_handler({.on_add = sleep, .on_update = sleep}, {.name = "sleeper"});
    f.start();
    f.run.advance(4s);
    CHECK(handler.stats().running == 1);
    CHECK(handler.stats().running_for == 4s);
    f.modify("a", 6); // during a call that is not slow yet
    f.settle();
    CHECK(f.log.count("slow") == 0);
    f.run.advance(2s);
    f.modify("a", 7);
    f.settle();
    CHECK(f.log.count("events wait behind it") == 1);
    f.run.advance(60s);
    CHECK(f.log.count("slow") == 1);
    CHECK(handler.stats().slowest == 10s);
    CHECK(handler.stats().running == 0);
    pause = 1s;
    f.modify("a", 8);
    f.run.advance(5s);
    pause = 7s;
    f.modify("a", 9);
    f.run.advance(10s);
    CHECK(f.log.count("a handler's call was slow") == 1);
    CHECK(handler.stats().slow == 5);
}

TEST_CASE("handlers: removed() awaited inside the handler fails instead of deadlocking", "[cache][handlers]")
{
    const std::size_t concurrency = GENERATE(1, 2);
    synced_fixture f;
    kubecoro::registration self;
    std::optional<result<>> said;
    self = f.pods.add_event_handler(
        {.on_add = [&](const kubecoro::added<>&) -> asio::awaitable<void> { said = co_await self.removed(); },
         .concurrency = concurrency});
    f.start();
    REQUIRE(said);
    CHECK(said->error() == cond::misconfigured);
    CHECK(f.run.run(self.ended()).error() == cond::cancelled);
    CHECK(f.run.run(self.removed()));
    CHECK(self.stats().delivered >= 1);
}

TEST_CASE("handlers: a concurrent one survives cancellation and destruction at every step", "[cache][handlers][steps]")
{
    const auto make = [](kt::runner& run) {
        auto w = std::make_shared<kubecoro::test::scripted_informers>(run);
        auto pods = w->informers->get<pod>();
        auto& source = w->source(pod::resource());
        source.on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
        auto watch = source.on_watch();
        watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::deleted(kt::make_pod("web", "a", "7"))});
        auto clock = run.shared_clock();
        const auto sleep = [clock](const auto&) -> asio::awaitable<void> { co_await kubecoro::sleep_for(*clock, 1s); };
        auto handler =
            pods.add_event_handler({.on_add = sleep, .on_update = sleep, .on_delete = sleep, .concurrency = 2},
                                   {.filter = [](const auto&) { return true; }});
        const auto body = [](std::shared_ptr<kubecoro::test::scripted_informers> in, kubecoro::registration h,
                             kubecoro::shared_informer<> i) -> asio::awaitable<result<>> {
            in->informers->start();
            if (const auto synced = co_await h.has_synced(); !synced) co_return synced;
            if (const auto gone = co_await i.wait_for({"web", "a"}, kubecoro::conditions::deleted(), 30s); !gone)
                co_return gone.error();
            if (const auto removed = co_await h.removed(); !removed) co_return removed;
            co_return co_await in->informers->stop();
        };
        return kt::scenario{body(w, handler, pods), w};
    };
    const auto destroyed = kt::stop_after_every_step(make);
    REQUIRE(destroyed);
    CHECK(*destroyed > 20);
    const auto cancelled = kt::cancel_after_every_step(make);
    REQUIRE(cancelled);
    CHECK(*cancelled > 20);
}

TEST_CASE("handlers: one on its own executor does not delay the informer", "[cache][handlers]")
{
    asio::io_context elsewhere; // outlives the informer, which keeps its executor
    synced_fixture f;
    auto writer = f.writer();
    writer.executor = elsewhere.get_executor();
    auto handler = f.pods.add_event_handler(std::move(writer));
    f.start();
    CHECK(f.seen.empty());
    CHECK_FALSE(handler.synced());
    CHECK(content(f.pods) == lines{"web/a@1", "web/b@2"});
    for (int i = 0; i < 3; ++i) { // both contexts must run to exchange posts
        elsewhere.restart();
        elsewhere.poll();
        f.settle();
    }
    CHECK(sorted(f.take()) == lines{"initial web/a@1", "initial web/b@2"});
    CHECK(handler.synced());
    f.modify("a", 6);
    f.settle();
    CHECK(f.seen.empty());
    elsewhere.restart();
    elsewhere.poll();
    CHECK(f.take() == lines{"updated web/a@1 > 6"});
    handler.remove();
    elsewhere.restart();
    elsewhere.poll();
}
