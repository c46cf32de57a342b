// Debounce and minimum interval.
#include "queue_fixture.hpp"

#include <kubecoro/testing/recording.hpp>

#include <memory>
#include <utility>

using namespace kubecoro::test;
using kubecoro::cond;
using kubecoro::duration;
using kubecoro::workqueue_options;
namespace priority = kubecoro::priority;

TEST_CASE("workqueue: a key runs when it has been quiet for the debounce", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 200ms});
    f.queue.add("a");
    f.queue.add("b");
    CHECK(f.queue.len() == 0);
    CHECK(f.queue.stats().held == 2);
    CHECK(f.take_all_after(150ms).empty());
    f.queue.add("a");
    CHECK(f.take_all_after(50ms) == list{"b"});
    CHECK(f.take_all_after(149ms).empty());
    CHECK(f.take_all_after(1ms) == list{"a"});
    CHECK(f.take_all_after(1h).empty());
    CHECK(f.queue.stats().keys == 0);
    CHECK(f.queue.stats().adds == 2);
}

TEST_CASE("workqueue: a noisy key waits for ten times its debounce at most", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 200ms});
    int waited = 0;
    f.queue.add("a");
    for (int n = 1; n <= 5'000 && waited == 0; ++n) {
        f.run.advance(1ms);
        if (f.queue.len() != 0) waited = n;
        if (n % 10 == 0) f.queue.add("a");
    }
    CHECK(waited == 2'000);
}

TEST_CASE("workqueue: the longest debounce does not overflow", "[workqueue][pace]")
{
    queue_fixture f({.debounce = duration::max(), .min_interval = duration::max()});
    f.queue.add("a");
    CHECK(f.take_all_after(24h).empty());
    f.queue.add_after("a", 0s);
    CHECK(f.take_all() == list{"a"});
    f.queue.add_after("a", 1s);
    CHECK(f.take_all_after(24h).empty());
}

TEST_CASE("workqueue: events during a run are debounced from the last of them", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 200ms});
    f.queue.add("a");
    f.run.advance(200ms);
    auto item = f.take();
    f.queue.add("a");
    f.run.advance(150ms);
    f.queue.add("a");
    f.run.advance(100ms);
    item.succeeded();
    CHECK(f.take_all_after(99ms).empty());
    CHECK(f.take_all_after(1ms) == list{"a"});

    f.queue.add("a");
    f.run.advance(200ms);
    auto longer = f.take();
    f.queue.add("a");
    f.run.advance(1s);
    CHECK(f.queue.len() == 0);
    longer.succeeded();
    CHECK(f.take_all() == list{"a"});
}

TEST_CASE("workqueue: requested times and retries are not debounced", "[workqueue][pace]")
{
    queue_fixture f({.limiter = kubecoro::exponential_limiter(5ms, 1s), .debounce = 200ms});
    f.queue.add_after("a", 1s);
    f.queue.add_after("b", 0s);
    CHECK(f.take_all() == list{"b"});
    f.run.advance(900ms);
    f.queue.add("a"); // quiet in 200 ms, but due in 100 ms
    CHECK(f.take_all_after(100ms) == list{"a"});
    CHECK(f.take_all_after(1s).empty());

    f.queue.add_after("c", 0s);
    f.take().retry();
    f.queue.add("c");
    f.run.advance(5ms);
    f.queue.add("c"); // an event after the due time delays nothing
    CHECK(f.take_all() == list{"c"});
}

TEST_CASE("workqueue: an event after the time of a delay that came during a run delays nothing", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 200ms});
    f.queue.add_after("a", 0s);
    auto item = f.take();
    f.queue.add_after("a", 10ms);
    f.run.advance(10ms);
    f.queue.add("a");
    item.done();
    CHECK(f.take_all() == list{"a"});
}

TEST_CASE("workqueue: runs of one key begin at least min_interval apart", "[workqueue][pace]")
{
    queue_fixture f({.limiter = kubecoro::exponential_limiter(5ms, 1s), .min_interval = 5s});
    f.queue.add("a");
    auto first = f.take();
    f.run.advance(1s);
    SECTION("after an event during the run")
    {
        f.queue.add("a");
        first.succeeded();
    }
    SECTION("after an event between the runs")
    {
        first.succeeded();
        f.queue.add("a");
        CHECK(f.queue.stats().held == 1);
    }
    SECTION("after a failure") { first.retry(); }
    SECTION("after a requested time") { first.again_after(2s); }
    SECTION("after an immediate request")
    {
        first.succeeded();
        f.queue.add_after("a", 0s);
    }
    CHECK(f.take_all_after(3999ms).empty());
    CHECK(f.queue.stats().held == 1);
    CHECK(f.take_all_after(1ms) == list{"a"});
}

TEST_CASE("workqueue: an interval that has passed delays nothing, and its key is forgotten", "[workqueue][pace]")
{
    queue_fixture f({.min_interval = 5s});
    f.queue.add("a");
    CHECK(f.take_all() == list{"a"});
    CHECK(f.queue.stats().keys == 1);
    f.run.advance(5s);
    CHECK(f.queue.stats().keys == 0);
    f.queue.add("a");
    auto item = f.take();
    f.run.advance(6s); // longer than the interval
    f.queue.add("a");
    item.succeeded();
    CHECK(f.take_all() == list{"a"});
}

TEST_CASE("workqueue: other keys do not wait for the interval of one", "[workqueue][pace]")
{
    queue_fixture f({.min_interval = 5s});
    f.queue.add("a");
    CHECK(f.take_all() == list{"a"});
    f.queue.add("a", priority::high);
    f.queue.add("b");
    CHECK(f.take_all() == list{"b"});
    CHECK(f.take_all_after(5s) == list{"a"});
}

TEST_CASE("workqueue: both an interval and a debounce have to end", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 2s, .min_interval = 5s});
    f.queue.add("a");
    CHECK(f.take_all_after(2s) == list{"a"});
    f.run.advance(1s);
    f.queue.add("a"); // quiet after 3 s, the interval after 5 s
    CHECK(f.take_all_after(3s).empty());
    CHECK(f.take_all_after(1s) == list{"a"});
    f.run.advance(4s);
    f.queue.add("a"); // quiet after 6 s
    CHECK(f.take_all_after(1s).empty());
    CHECK(f.take_all_after(1s) == list{"a"});
}

TEST_CASE("workqueue: a held key keeps the highest of its priorities", "[workqueue][pace]")
{
    queue_fixture f({.ageing = 0, .debounce = 1s});
    f.queue.add("a", priority::low);
    f.queue.add("b");
    f.queue.add("a", priority::high);
    f.queue.add("a", priority::low);
    CHECK(f.take_all_after(1s) == list{"a", "b"});
}

TEST_CASE("workqueue: a hand-out without a run does not count as a start", "[workqueue][pace]")
{
    queue_fixture f({.min_interval = 5s});
    f.queue.add("a");
    SECTION("skipped")
    {
        f.take().skip();
        CHECK(f.queue.stats().keys == 0);
        f.queue.add("a");
    }
    SECTION("dropped") { const auto dropped = f.take(); }
    CHECK(f.take_all() == list{"a"});
}

TEST_CASE("workqueue: a shutdown ends debounces, and drops keys whose interval has not passed", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 200ms, .min_interval = 5s});
    f.queue.add_after("ran", 0s);
    CHECK(f.take_all() == list{"ran"});
    f.queue.add("ran");
    f.queue.add("new");
    f.queue.add_after("in work", 0s);
    auto item = f.take();
    f.queue.add("in work");
    const auto drained = f.drain();
    CHECK(f.queue.stats().held == 0);
    CHECK(f.take_all() == list{"new"});
    CHECK_FALSE(drained.done());
    item.succeeded();
    f.settle();
    CHECK(drained.done());
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a key that is held and delayed is dropped once", "[workqueue][pace]")
{
    queue_fixture f({.min_interval = 5s});
    f.queue.add("a");
    CHECK(f.take_all() == list{"a"});
    f.queue.add("a");
    f.queue.add_after("a", 1h);
    f.queue.add_after("b", 1h);
    f.queue.shut_down();
    CHECK(f.take_all().empty());
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a key added during its run still runs in a drain, without its debounce", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 200ms});
    f.queue.add_after("a", 0s);
    auto item = f.take();
    f.queue.add("a");
    const auto drained = f.drain();
    item.succeeded();
    CHECK(f.take_all() == list{"a"});
    f.settle();
    CHECK(drained.done());
}

TEST_CASE("workqueue: an item dropped in a drain runs again, whatever its interval is", "[workqueue][pace]")
{
    queue_fixture f({.min_interval = 5s});
    f.queue.add("a");
    {
        const auto item = f.take();
        f.queue.shut_down();
    }
    CHECK(f.take_all() == list{"a"});
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a worker is called for a key when its hold ends", "[workqueue][pace]")
{
    queue_fixture f({.debounce = 200ms, .min_interval = 1s});
    list seen;
    const auto worker = f.run.spawn(work(f.queue, seen));
    f.queue.add("a");
    f.run.advance(200ms);
    CHECK(seen == list{"a"});
    f.queue.add("a");
    f.run.advance(999ms);
    CHECK(seen == list{"a"});
    f.run.advance(1ms);
    CHECK(seen == list{"a", "a"});
    f.queue.shut_down();
    f.settle();
    CHECK(worker.done());
}

TEST_CASE("workqueue: the waiting time of a held key begins when it is ready", "[workqueue][pace]")
{
    const auto sink = std::make_shared<kubecoro::testing::recording_metrics>();
    queue_fixture f({.name = "paced", .debounce = 2s, .metrics = sink});
    f.queue.add("a");
    f.run.advance(3s);
    CHECK(f.take_all() == list{"a"});
    CHECK(sink->value("workqueue_queue_duration_seconds", {{"name", "paced"}}) == 1.0);
}
