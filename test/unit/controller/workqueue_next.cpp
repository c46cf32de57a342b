// work_item::next(): a run's end and the next key's hand-out in one step.
#include "queue_fixture.hpp"

#include <kubecoro/testing/recording.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>

#include <memory>
#include <optional>

using namespace kubecoro::test;
namespace asio = boost::asio;
namespace kt = kubecoro::testing;

TEST_CASE("workqueue: next() ends a successful run and takes the next key", "[workqueue][next]")
{
    queue_fixture f{"a", "b"};
    auto item = f.take();
    item.retry();
    CHECK_FALSE(item.next()); // it was given back
    f.run.advance(1s);
    item = f.take();
    CHECK(item.key() == "b");
    REQUIRE(item.next());
    CHECK(item.key() == "a");
    CHECK(item.num_requeues() == 1);
    f.queue.add("c", 7);
    REQUIRE(item.next());
    CHECK(item.key() == "c");
    CHECK(item.priority() == 7);
    CHECK(f.queue.num_requeues("a") == 0);
    CHECK_FALSE(item.next());
    CHECK_FALSE(item);
    CHECK(f.queue.stats().keys == 0);
    CHECK(f.queue.stats().processing == 0);
}

TEST_CASE("workqueue: next() hands a key that was added during its run out again, after those that waited",
          "[workqueue][next]")
{
    queue_fixture f{"a"};
    auto item = f.take();
    f.queue.add_batch(list{"a", "b"});
    REQUIRE(item.next());
    CHECK(item.key() == "b");
    REQUIRE(item.next());
    CHECK(item.key() == "a");
}

TEST_CASE("workqueue: next() wakes no worker for a key when it takes one itself", "[workqueue][next]")
{
    queue_fixture f{"a"};
    auto item = f.take();
    const auto other = f.run.spawn(f.queue.get());
    f.settle();
    f.queue.add("a");
    REQUIRE(item.next()); // the same key again
    CHECK(f.queue.stats().waiting_workers == 1);
    f.queue.add("a");
    f.queue.add("b"); // the other worker is called for it
    REQUIRE(item.next());
    CHECK(item.key() == "b");
    f.settle();
    REQUIRE(other.done());
    CHECK(other.outcome()->key() == "a");
}

TEST_CASE("workqueue: next() gives way after many keys in a row, and calls another worker for the rest",
          "[workqueue][next]")
{
    queue_fixture f;
    for (int n = 0; n < 100; ++n) f.queue.add(std::to_string(n));
    auto item = f.take();
    int taken = 0;
    while (item.next()) ++taken;
    CHECK(taken == 64);
    CHECK(f.queue.stats().processing == 0);
    CHECK(f.queue.len() == 35);
    const auto resumed = f.run.run(f.queue.get());
    REQUIRE(resumed);
    CHECK(resumed->key() == "65");
}

TEST_CASE("workqueue: other handlers run while a worker has keys without an end", "[workqueue][next]")
{
    queue_fixture f;
    for (int n = 0; n < 1000; ++n) f.queue.add(std::to_string(n));
    bool has_run = false;
    int before = 0;
    const auto work = [&]() -> asio::awaitable<kubecoro::result<>> {
        asio::post(f.run.executor(), [&] { has_run = true; });
        while (f.queue.len() != 0) {
            auto item = co_await f.queue.get();
            if (!item) co_return item.error();
            do {
                before += has_run ? 0 : 1;
            } while (item->next());
        }
        co_return kubecoro::result<>{};
    };
    REQUIRE(f.run.run(work()));
    CHECK(before == 64);
}

TEST_CASE("workqueue: next() is measured like the end of a run and a hand-out", "[workqueue][next]")
{
    const auto sink = std::make_shared<kt::recording_metrics>();
    queue_fixture f({.name = "q", .metrics = sink});
    const kubecoro::metric_labels q{{"name", "q"}};
    f.queue.add_batch(list{"a", "b"});
    auto item = f.take();
    f.run.advance(2s);
    REQUIRE(item.next());
    CHECK(sink->value("workqueue_work_duration_seconds", q) == Approx(2));
    CHECK(sink->value("workqueue_queue_duration_seconds", q) == Approx(2));
    CHECK(sink->updates("workqueue_queue_duration_seconds", q) == 2);
    CHECK(sink->value("workqueue_depth", q) == 0);
    CHECK_FALSE(item.next());
    CHECK(sink->updates("workqueue_work_duration_seconds", q) == 2);
}

TEST_CASE("workqueue: next() after a shutdown takes what is ready and ends a drain", "[workqueue][next]")
{
    queue_fixture f{"a", "b"};
    auto item = f.take();
    const auto drained = f.drain();
    REQUIRE(item.next());
    CHECK(item.key() == "b");
    CHECK_FALSE(item.next());
    f.settle();
    CHECK(drained.done());
}

TEST_CASE("workqueue: next() may come after the end of its queue", "[workqueue][next]")
{
    kt::runner run;
    std::optional<names> queue(std::in_place, run.executor());
    queue->add_batch(list{"a", "b"});
    auto item = std::move(*queue->try_get());
    queue.reset();
    REQUIRE(item.next());
    CHECK(item.key() == "b");
    CHECK_FALSE(item.next());
}
