// Tests of listeners that end: they are released, and every wait for their end completes.
#include "synced_fixture.hpp"

#include "informer/informer_engine.hpp"
#include "listener/listener_registry.hpp"
#include "listener/shared_processor.hpp"

#include <kubecoro/base/task_group.hpp>
#include <kubecoro/test/allocations.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <new>
#include <span>

using namespace informer_test;
using namespace kubecoro;
using namespace kubecoro::detail;
namespace asio = boost::asio;

namespace {

/// Counts the handlers and filters that are kept by its copies.
using token = std::shared_ptr<int>;

std::function<bool(const object&)> filter_with(const token& t)
{
    return [t](const object&) { return true; };
}

bool anything(const notification<object>&) { return true; }

/// A single listener of a handler with several workers.
struct crew_fixture
{
    kt::runner run;
    task_group tasks{run.executor()};
    /// Calls end when it is settled.
    latch go_on;
    std::shared_ptr<processor_listener> listener;

    explicit crew_fixture(std::size_t workers, std::size_t max_pending)
        : listener(std::make_shared<processor_listener>(processor_listener::settings{.policy = coalesce::never,
                                                                                     .max_pending = max_pending,
                                                                                     .concurrency = workers,
                                                                                     .executor = run.executor(),
                                                                                     .time = run.shared_clock()}))
    {
        event_handler<object> handler;
        handler.on_add = [this](const added<object>&) { return go_on.wait(); };
        for (auto& worker : listener->run(std::move(handler))) tasks.spawn("worker", std::move(worker));
        listener->mark_initial();
        run.run_until_idle();
    }
    ~crew_fixture()
    {
        tasks.stop();
        run.run_until_idle();
    }
};

std::vector<notification<object>> events(std::size_t n)
{
    std::vector<notification<object>> out;
    for (std::size_t i = 0; i < n; ++i)
        out.emplace_back(added<object>{kt::make_pod("web", "p" + std::to_string(i), "1")});
    return out;
}

} // namespace

TEST_CASE("listeners: other work has a turn for each 64 events of the batches that a reader has taken",
          "[cache][listeners]")
{
    kt::runner run;
    task_group tasks{run.executor()};
    const auto listener = std::make_shared<processor_listener>(
        processor_listener::settings{.max_batch = 256, .executor = run.executor(), .time = run.shared_clock()});
    listener->add(events(1024));
    std::size_t turns = 0;
    bool read = false;
    const auto reading = [&]() -> asio::awaitable<result<>> {
        for (int i = 0; i < 4; ++i) {
            const auto batch = co_await listener->pop();
            CHECK(batch->size() == 256);
        }
        read = true;
        co_return result<>{};
    };
    const auto working = [&]() -> asio::awaitable<result<>> {
        while (!read) {
            co_await asio::post(asio::use_awaitable);
            ++turns;
        }
        co_return result<>{};
    };
    tasks.spawn("reader", reading());
    tasks.spawn("other work", working());
    run.run_until_idle();
    CHECK(read);
    CHECK(turns >= 3 * 256 / 64);
    tasks.stop();
    run.run_until_idle();
}

TEST_CASE("a first list needs no index of the events that wait", "[cache][listener][turns]")
{
    processor_listener listener(processor_listener::settings{.max_pending = 10});
    std::vector<notification<object>> list, change;
    for (int i = 0; i < 100; ++i) list.emplace_back(added<object>{kt::make_pod("web", std::to_string(i), "1"), true});
    listener.add(list);
    std::size_t taken = 0, most = 150;
    REQUIRE(listener.add(list, taken, most));
    CHECK(most == 50);
    change.emplace_back(updated<object>{object_of(list[0]), kt::make_pod("web", "0", "2")});
    taken = 0;
    CHECK_FALSE(listener.add(change, taken, most));
    CHECK(most == 0);
}

TEST_CASE("listeners: a thousand that have ended are released, even on a quiet resource", "[cache][listeners]")
{
    synced_fixture f({.resync = 10h});
    f.start();
    const auto t = std::make_shared<int>();
    const std::size_t timers = f.run.clock().waiting();
    for (int i = 0; i < 1000; ++i) {
        handler_options options{.filter = filter_with(t)};
        auto waiting = f.pods.wait_for_any(anything, 1h, options);
        REQUIRE(f.run.run(std::move(waiting)));
        CHECK(t.use_count() <= 6); // the current one's, none of earlier ones
    }
    // After another join no wait is left.
    const auto stays = f.pods.add_event_handler(f.writer());
    f.settle();
    CHECK(t.use_count() == 1);
    CHECK(f.run.clock().waiting() <= timers + 1); // one timer for all resyncs and deadlines
    CHECK(f.pods.stats().handlers.size() == 1);
}

TEST_CASE("listeners: those that are removed before the start are released", "[cache][listeners]")
{
    synced_fixture f({.resync = 10h});
    const auto t = std::make_shared<int>();
    for (int i = 0; i < 1000; ++i) f.pods.add_event_handler({.on_add = [t](const added<object>&) {}}).remove();
    f.settle();
    const auto stays = f.pods.add_event_handler(f.writer());
    CHECK(t.use_count() == 1);
    f.start();
    CHECK(f.take() == lines{"initial web/a@1", "initial web/b@2"});
    f.run.advance(10h);
    CHECK(f.take() == lines{"resync web/a@1", "resync web/b@2"});
}

TEST_CASE("listeners: live ones are not swept with ended ones", "[cache][listeners]")
{
    synced_fixture f;
    f.start();
    std::vector<registration> stay;
    std::size_t heard = 0;
    for (int i = 0; i < 300; ++i) {
        const auto r = f.pods.add_event_handler({.on_update = [&heard](const updated<object>&) { ++heard; }});
        if (i % 3 == 0)
            stay.push_back(r);
        else
            r.remove();
    }
    f.settle();
    // One that has been among the others for a while.
    stay.back().remove();
    stay.pop_back();
    f.settle();
    f.modify("a", 6);
    f.settle();
    CHECK(heard == stay.size());
    CHECK(f.pods.stats().handlers.size() == stay.size());
}

TEST_CASE("listeners: a handler's captures may use the informer in their destructors", "[cache][listeners]")
{
    // Removed before the start, swept when others join: destroyed outside the lock.
    struct last_word
    {
        shared_informer<object> pods;
        ~last_word() { static_cast<void>(pods.stats()); }
    };
    synced_fixture f;
    for (int i = 0; i < 200; ++i) {
        const auto holds = std::make_shared<last_word>(f.pods);
        f.pods.add_event_handler({.on_add = [holds](const added<object>&) {}}).remove();
    }
    CHECK(f.pods.stats().handlers.empty());
}

TEST_CASE("listeners: a handler that never ran ends", "[cache][listeners]")
{
    synced_fixture f;
    const auto before = f.pods.add_event_handler(f.writer());
    SECTION("its informer was never started")
    {
        const auto waiting = f.run.spawn(before.ended());
        f.settle();
        CHECK_FALSE(waiting.done());
        REQUIRE(f.run.run(f.informers->stop()));
        f.settle();
        REQUIRE(waiting.done());
        CHECK(waiting.outcome().error() == cond::cancelled);
    }
    SECTION("it joined after the stop")
    {
        f.start();
        REQUIRE(f.run.run(f.informers->stop()));
        const auto late = f.pods.add_event_handler(f.writer());
        CHECK(f.run.run(late.ended()).error() == cond::cancelled);
        CHECK(f.run.run(late.has_synced()).error() == cond::cancelled);
        CHECK(f.run.run(late.removed()));
        CHECK(f.run.run(before.ended()).error() == cond::cancelled);
    }
    SECTION("its factory was destroyed")
    {
        f.informers.reset();
        CHECK(f.run.run(before.ended()).error() == cond::cancelled);
    }
    CHECK(f.take().size() % 2 == 0);
}

TEST_CASE("listeners: an overrun ends every worker", "[cache][listeners]")
{
    crew_fixture f(3, 1);
    f.go_on.settle({});
    f.listener->add(events(2)); // fewer than the idle workers
    const auto ended = f.run.run(f.listener->ended());
    CHECK(ended.error() == cond::expired);
    CHECK(f.tasks.running() == 0);
    CHECK(f.listener->stats().delivered == 1); // the waiting event, not the one beyond the bound
}

TEST_CASE("listeners: an event wakes one worker, a batch one for each event", "[cache][listeners]")
{
    crew_fixture f(3, 100);
    f.listener->add(events(1));
    f.run.run_until_idle();
    CHECK(f.listener->stats().running == 1);
    f.listener->add(events(5)); // one of them waits behind its key
    f.run.run_until_idle();
    CHECK(f.listener->stats().running == 3);
    f.go_on.settle({});
    f.run.run_until_idle();
    CHECK(f.listener->stats().delivered == 6);
    f.listener->informer_stopped();
    f.run.run_until_idle();
    CHECK(f.tasks.running() == 0);
}

TEST_CASE("listener_registry: handlers wait for the start, in their order, and are refused after the end",
          "[cache][listeners]")
{
    std::vector<std::string> begun;
    listener_registry registry(
        {}, {.run = [&](const auto& l, event_handler<object>, const kept_executor&) { begun.push_back(l->name()); },
             .resync =
                 [&](const auto& l, duration period) {
                     begun.push_back("resync " + l->name() + " " + std::to_string(period / 1ms));
                 }});
    const auto admit = [&](const std::string& name, duration resync = {}) {
        listener_registry::admission a;
        a.settings.name = name;
        a.handler = event_handler<object>{};
        a.resync = resync;
        return registry.admit(std::move(a));
    };
    const auto first = admit("first");
    const auto gone = admit("gone");
    const auto second = admit("second", 1ms); // at least a second
    listener_registry::admission pulls;
    const auto third = registry.admit(std::move(pulls)); // a subscription: nothing to run, and a number as its name
    gone->remove();
    CHECK(begun.empty());
    registry.start();
    CHECK(begun == lines{"first", "second", "resync second 1000"});
    registry.start(); // starts once
    CHECK(begun.size() == 3);
    CHECK(third->name() == "4");
    static_cast<void>(admit("late"));
    CHECK(begun.back() == "late");
    registry.refuse();
    registry.start(); // no effect after the end
    const auto refused = admit("refused");
    CHECK(refused->over());
    CHECK(begun.back() == "late");
    CHECK_FALSE(first->over());
    registry.end();
    CHECK(first->over());
    CHECK(third->over());
    CHECK(registry.all().empty());
}

TEST_CASE("shared_processor: a listener gets the store's content first, and its end once", "[cache][listeners]")
{
    const departures left;
    const auto make = [&left](std::uint64_t id) {
        return std::make_shared<processor_listener>(processor_listener::settings{.id = id, .left = left});
    };
    shared_processor p(left);
    const auto distribute = [&p](const std::vector<notification<object>>& batch) {
        auto to = p.to_all();
        std::size_t most = 100;
        CHECK(p.distribute(batch, to, most));
    };
    const auto early = make(1);
    p.join(early, false);
    distribute(events(1));
    CHECK(early->stats().pending == 1);
    CHECK_FALSE(early->gate().is_open());
    const auto late = make(2);
    late->add(std::vector<notification<object>>{added<object>{kt::make_pod("web", "a", "1"), true},
                                                added<object>{kt::make_pod("web", "b", "1"), true}});
    p.join(late, true);
    CHECK(late->stats().pending == 2);
    CHECK(p.find(2) == late.get());
    CHECK(p.find(3) == nullptr);
    const auto empty = make(3);
    p.join(empty, true);
    CHECK(empty->gate().is_open()); // no initial events
    p.mark_initial();
    distribute(events(3));
    CHECK(late->stats().pending == 5);
    late->remove();
    distribute({});
    CHECK(p.find(2) != nullptr); // nothing was distributed yet
    distribute(events(1));
    CHECK(p.find(2) == nullptr);
    // On a quiet resource ended listeners are dropped when another joins; one that has ended before does not join.
    early->remove();
    empty->remove();
    p.join(make(4), true);
    CHECK(p.find(1) == nullptr);
    CHECK(p.find(3) == nullptr);
    CHECK(p.find(4) != nullptr);
    p.join(empty, true);
    CHECK(p.find(3) == nullptr);
}

TEST_CASE("shared_processor: an interrupted distribution continues where it stopped, without those who joined since",
          "[cache][listeners]")
{
    shared_processor p;
    const auto make = [](std::uint64_t id) {
        return std::make_shared<processor_listener>(processor_listener::settings{.id = id});
    };
    const auto first = make(1);
    const auto second = make(2);
    const auto third = make(3);
    p.join(first, true);
    p.join(second, true);
    shared_processor::delivery to = p.to_all();
    CHECK(to.last == 2);
    to.done = 1; // the second one threw
    p.join(third, true);
    std::size_t most = 100;
    CHECK(p.distribute(events(1), to, most));
    CHECK(first->stats().pending == 0);
    CHECK(second->stats().pending == 1);
    CHECK(third->stats().pending == 0);
    CHECK(p.distribute(events(1), to, most));
    CHECK(second->stats().pending == 1);
}

TEST_CASE("listeners: a deadline whose call throws ends the informer, visibly", "[cache][listeners][ends]")
{
    kt::runner run;
    kt::recording_logger log;
    informer_settings settings;
    settings.resource = pod::resource();
    settings.options.policy = reflector_policy();
    settings.provider = std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    settings.executor = kept_executor(run.executor());
    settings.time = run.shared_clock();
    settings.log = log.handle();
    const auto engine = std::make_shared<informer_engine>(std::move(settings));
    const auto alive = std::make_shared<int>();
    bool rung = false;
    engine->end_after(1s, alive, [] { throw std::bad_alloc(); });
    engine->end_after(2s, alive, [&rung] { rung = true; });
    engine->end_after(2s, std::make_shared<int>(), [] { FAIL("the owner has expired"); });
    run.advance(2s);
    CHECK(log.count("a loop failed and has ended its owner") == 1);
    CHECK_FALSE(rung);
    CHECK(engine->stats().ended_by);
    CHECK(run.run(informer_engine::stop(engine)));
}

TEST_CASE("listener: free keys are processed in the order in which they became free", "[cache][listeners]")
{
    const auto change = [](const std::string& name, const std::string& version) {
        return notification<object>(added<object>{kt::make_pod("web", name, version)});
    };
    listener_core core(100);
    for (const auto* version : {"1", "2"})
        for (const auto* name : {"a", "b"}) core.add(change(name, version));
    const auto taken = [&core] {
        const auto n = core.take();
        return n ? cache_test::name_of(object_of(*n)) : std::string();
    };
    CHECK(taken() == "web/a@1");
    CHECK(taken() == "web/b@1");
    CHECK(taken().empty());
    core.done({"web", "a"});
    core.done({"web", "b"});
    CHECK(taken() == "web/a@2");
    CHECK(taken() == "web/b@2");
}

TEST_CASE("listener: initial events that cancelled out are not waited for", "[cache][listeners]")
{
    listener_core core(1);
    core.add(events(8));
    core.mark_initial();
    for (const auto* name : {"p1", "p2", "p3", "p4", "p5", "p6"})
        core.add(deleted<object>{kt::make_pod("web", name, "2"), false});
    core.add(added<object>{kt::make_pod("web", "later", "3")});
    CHECK(core.pending() == 3);
    CHECK(core.pop(2).size() == 2);
    CHECK(core.initial_popped());
    CHECK_FALSE(core.initial_finished());
    core.finished();
    CHECK(core.initial_finished());
}
