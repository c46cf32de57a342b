// Shutting down. Names in parentheses are those of client-go's own tests.
#include "queue_fixture.hpp"

using namespace kubecoro::test;
using kubecoro::cond;
using kubecoro::result;

TEST_CASE("workqueue: after a shutdown ready keys are handed out, and nothing is added", "[workqueue][shutdown]")
{
    queue_fixture f("a", "b");
    list seen;
    f.queue.shut_down();
    f.queue.shut_down();
    CHECK(f.queue.shutting_down());
    f.queue.add("c");
    f.queue.add_after("c", 0s);
    f.queue.add_after("c", 1s);
    f.queue.add_rate_limited("c");
    CHECK(f.queue.stats().keys == 2);
    const auto ended = f.run.run(work(f.queue, seen));
    CHECK(seen == list{"a", "b"});
    CHECK(ended.error() == cond::cancelled);
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a shutdown drops delayed keys, and wakes waiting workers", "[workqueue][shutdown]")
{
    queue_fixture f;
    list seen;
    const auto one = f.run.spawn(work(f.queue, seen));
    const auto two = f.run.spawn(work(f.queue, seen));
    f.queue.add_after("a", 1s);
    f.settle();
    f.queue.shut_down();
    f.settle();
    CHECK(one.done());
    CHECK(two.done());
    CHECK(f.run.clock().waiting() == 0);
    f.run.advance(10s);
    CHECK(seen.empty());
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE(
    "workqueue: without a drain, a shutdown does not wait for keys being processed (NoQueueDrainageUsingShutDown)",
    "[workqueue][shutdown]")
{
    queue_fixture f("foo", "bar");
    auto foo = f.take();
    auto bar = f.take();
    f.queue.shut_down();
    foo.done();
    bar.done();
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a drain waits for all ready or processed keys (QueueDrainageUsingShutDownWithDrain)",
          "[workqueue][shutdown]")
{
    queue_fixture f("foo", "bar", "last");
    auto foo = f.take();
    auto bar = f.take();
    const auto drain = f.run.spawn(f.queue.shut_down_with_drain());
    const auto again = f.drain();
    f.queue.add("late");
    foo.done();
    f.settle();
    CHECK_FALSE(drain.done());
    bar.done();
    f.settle();
    CHECK_FALSE(drain.done());
    auto last = f.take();
    f.settle();
    CHECK_FALSE(drain.done()); // no key is ready, but the last is still processed
    last.succeeded();
    f.settle();
    REQUIRE(drain.done());
    CHECK(drain.outcome().has_value());
    REQUIRE(again.done());
    CHECK(again.outcome().has_value());
}

TEST_CASE("workqueue: a drain of an empty queue completes at once", "[workqueue][shutdown]")
{
    queue_fixture f;
    CHECK(f.run.run(f.queue.shut_down_with_drain()).has_value());
    CHECK(f.run.run(f.queue.shut_down_with_drain()).has_value());
}

TEST_CASE("workqueue: a key added during its run still gets its next run in a drain "
          "(QueueDrainageUsingShutDownWithDrainWithDirtyItem)",
          "[workqueue][shutdown]")
{
    queue_fixture f;
    auto foo = f.take_new("foo");
    f.queue.add("foo");
    const auto drain = f.drain();
    foo.done();
    f.settle();
    CHECK_FALSE(drain.done());
    CHECK(f.take_all() == list{"foo"});
    f.settle();
    CHECK(drain.done());
}

TEST_CASE("workqueue: a plain shutdown ends a hanging drain (ForceQueueShutdownUsingShutDown)", "[workqueue][shutdown]")
{
    queue_fixture f("foo", "bar");
    auto foo = f.take();
    const auto drain = f.drain();
    f.queue.shut_down();
    f.settle();
    REQUIRE(drain.done());
    CHECK(drain.outcome().error() == cond::cancelled);
    foo.done();
    CHECK(f.take_all() == list{"bar"});
}

TEST_CASE("workqueue: items given back after a shutdown are not lost during a drain", "[workqueue][shutdown]")
{
    queue_fixture f("a", "b", "c");
    const auto drain = [&] {
        const auto dropped = f.take();
        auto retried = f.take();
        auto later = f.take();
        const auto d = f.drain();
        retried.retry();
        later.again_after(1s);
        f.settle();
        CHECK_FALSE(d.done());
        return d;
    }();
    f.settle();
    CHECK_FALSE(drain.done());
    CHECK(f.take_all() == list{"a"}); // no more retries or delays
    f.settle();
    CHECK(drain.done());
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a cancelled drain leaves the queue shut down", "[workqueue][shutdown]")
{
    queue_fixture f;
    f.queue.add("a");
    const auto drain = f.drain();
    drain.cancel();
    f.settle();
    REQUIRE(drain.done());
    CHECK(drain.outcome().error() == cond::cancelled);
    CHECK(f.queue.shutting_down());
    CHECK(f.take_all() == list{"a"});
}

TEST_CASE("workqueue: workers and the timer end when the queue is destroyed first", "[workqueue][shutdown]")
{
    kubecoro::testing::runner run;
    auto queue = std::make_unique<names>(run.executor(), queue_fixture::on_clock(run, {}));
    const auto one = run.spawn(queue->get());
    const auto batch = run.spawn(queue->get_batch(3));
    queue->add_after("a", 1s);
    run.run_until_idle();
    queue.reset();
    run.run_until_idle();
    REQUIRE(one.done());
    CHECK(one.outcome().error() == cond::cancelled);
    REQUIRE(batch.done());
    CHECK(run.clock().waiting() == 0);
}
