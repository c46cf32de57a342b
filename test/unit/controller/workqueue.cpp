// The rules of adding, taking and giving back. Names in parentheses are those of client-go's own tests.
#include "queue_fixture.hpp"

#include <memory>

using namespace kubecoro::test;
using kubecoro::cond;
using kubecoro::object_key;
using kubecoro::object_key_view;
using kubecoro::workqueue;
using kubecoro::workqueue_options;

TEST_CASE("workqueue: first in, first out, each key once (Basic, Collapse)", "[workqueue]")
{
    queue_fixture f;
    for (const char* k : {"a", "b", "a", "c", "b"}) f.queue.add(k);
    CHECK(f.queue.len() == 3);
    CHECK(f.take_all() == list{"a", "b", "c"});
    CHECK(f.queue.stats().keys == 0);
    CHECK(f.queue.stats().adds == 3);
}

TEST_CASE("workqueue: a key added while it is processed runs once more afterwards (AddWhileProcessing, "
          "CollapseWhileProcessing)",
          "[workqueue]")
{
    queue_fixture f;
    auto first = f.take_new("a");
    f.queue.add("a");
    f.queue.add("a");
    CHECK(f.queue.len() == 0);
    CHECK_FALSE(f.queue.try_get()); // never held by two workers
    first.done();
    auto second = f.take();
    CHECK(second.key() == "a");
    second.done();
    CHECK_FALSE(f.queue.try_get());
}

TEST_CASE("workqueue: a key added again before done() comes after the waiting ones (Reinsert)", "[workqueue]")
{
    queue_fixture f;
    auto item = f.take_new("foo");
    f.queue.add("foo");
    f.queue.add("bar");
    item.done();
    CHECK(f.take_all() == list{"bar", "foo"});
}

TEST_CASE("workqueue: len counts the keys that can be taken (Len)", "[workqueue]")
{
    queue_fixture f;
    f.queue.add("foo");
    CHECK(f.queue.len() == 1);
    f.queue.add("bar");
    CHECK(f.queue.len() == 2);
    f.queue.add("foo");
    CHECK(f.queue.len() == 2);
    auto item = f.take();
    CHECK(f.queue.len() == 1);
    f.queue.add("foo");
    CHECK(f.queue.len() == 1);
    item.done();
    CHECK(f.queue.len() == 2);
}

TEST_CASE("workqueue: a finished key is released (GarbageCollection)", "[workqueue]")
{
    queue_fixture f;
    using owned = std::shared_ptr<int>;
    workqueue<owned> queue(f.run.executor());
    const auto key = std::make_shared<int>(1);
    queue.add(key);
    CHECK(key.use_count() == 2);
    auto item = queue.try_get();
    REQUIRE(item);
    CHECK(item->key() == key);
    CHECK(key.use_count() == 2);
    item->done();
    CHECK(key.use_count() == 1);
    queue.add_after(key, 1h);
    queue.add_rate_limited(key);
    queue.shut_down();
    CHECK(key.use_count() == 2); // its failures are still stored
    queue.forget(key);
    CHECK(key.use_count() == 1);
}

TEST_CASE("workqueue: a great many keys come and go, and their memory is released", "[workqueue]")
{
    queue_fixture f;
    workqueue<int> queue(f.run.executor());
    constexpr int keys = 20'000;
    for (int round = 0; round < 2; ++round) {
        std::vector<int> all(keys);
        for (int i = 0; i < keys; ++i) all[static_cast<std::size_t>(i)] = i;
        queue.add_batch(all);
        queue.add_batch(all);
        CHECK(queue.len() == keys);
        for (int i = 0; i < keys; ++i) {
            auto item = queue.try_get();
            REQUIRE(item);
            REQUIRE(item->key() == i);
            item->done();
        }
        CHECK(queue.stats().keys == 0);
    }
}

TEST_CASE("workqueue: a dropped item goes back, behind the waiting ones", "[workqueue]")
{
    queue_fixture f;
    f.queue.add("a", 5);
    f.queue.add("b", 5);
    {
        const auto dropped = f.take();
    }
    CHECK(f.queue.len() == 2);
    auto b = f.take();
    CHECK(b.key() == "b");
    auto a = f.take();
    CHECK(a.key() == "a");
    CHECK(a.priority() == 5);
    b = std::move(a); // the old b is dropped
    CHECK(f.queue.len() == 1);
    b.done();
    b.done(); // no effect
    CHECK_FALSE(b);
    CHECK(f.take_all() == list{"b"});
}

TEST_CASE("workqueue: an item may outlive its queue", "[workqueue]")
{
    kubecoro::testing::runner run;
    std::vector<names::item> items;
    {
        names queue(run.executor());
        for (const char* k : {"a", "b", "c", "d"}) queue.add(k);
        while (auto item = queue.try_get()) items.push_back(std::move(*item));
    }
    CHECK(items[0].key() == "a");
    items[0].succeeded();
    items[1].retry();
    items[2].again_after(1s);
    items.clear();
    run.run_until_idle();
}

TEST_CASE("workqueue: a queue can be moved, and the one it replaces is shut down", "[workqueue]")
{
    queue_fixture f;
    names one(f.run.executor());
    names two(f.run.executor());
    list seen;
    const auto waits_for_two = f.run.spawn(two.get());
    f.settle();
    one.add("a");
    two = std::move(one);
    f.settle();
    REQUIRE(waits_for_two.done());
    CHECK(waits_for_two.outcome().error() == cond::cancelled);
    auto item = two.try_get();
    REQUIRE(item);
    CHECK(item->key() == "a");
    item->done();
}

TEST_CASE("workqueue: object keys are looked up without being constructed", "[workqueue]")
{
    queue_fixture f;
    workqueue<object_key> queue(f.run.executor());
    queue.add(object_key_view{"web", "a"});
    queue.add(object_key("web", "a"));
    const std::vector<object_key_view> more{{"web", "b"}, {"web", "a"}, {"", "node"}};
    queue.add_batch(more);
    CHECK(queue.len() == 3);
    queue.add_rate_limited(object_key_view{"web", "b"});
    CHECK(queue.num_requeues(object_key("web", "b")) == 1);
    queue.forget(object_key_view{"web", "b"});
    CHECK(queue.num_requeues(object_key_view{"web", "b"}) == 0);
    CHECK(queue.num_requeues(object_key_view{"web", "unknown"}) == 0);
    CHECK(to_string(queue.try_get()->key()) == "web/a");
}

TEST_CASE("workqueue: a batch of any type that has a key", "[workqueue]")
{
    struct event
    {
        int version;
        std::string name;
    };
    queue_fixture f;
    const std::vector<event> batch{{1, "a"}, {2, "b"}, {3, "a"}};
    f.queue.add_batch(batch, 0, &event::name);
    f.queue.add_batch(batch, 0, [](const event& e) { return e.name + "'"; });
    f.queue.add_batch(std::vector<event>{}, 0, &event::name);
    CHECK(f.take_all() == list{"a", "b", "a'", "b'"});
}

TEST_CASE("workqueue: a one-line description", "[workqueue]")
{
    queue_fixture f({.name = "pods"});
    f.queue.add("a");
    f.queue.add("b");
    f.queue.add_after("c", 1h);
    const auto item = f.take();
    CHECK(f.queue.describe() ==
          "workqueue pods: 1 ready, 1 processing, 1 delayed, 3 keys, 0 workers waiting; 2 adds, 1 "
          "retries, 1 handed out; longest running: a");
    f.queue.shut_down();
    CHECK(f.queue.describe() ==
          "workqueue pods: 1 ready, 1 processing, 0 delayed, 2 keys, 0 workers waiting; 2 adds, 1 "
          "retries, 1 handed out; shutting down; longest running: a");
    struct opaque
    {
        int n;
        bool operator==(const opaque&) const = default;
    };
    struct opaque_hash
    {
        std::size_t operator()(const opaque& o) const { return static_cast<std::size_t>(o.n); }
    };
    workqueue<opaque, opaque_hash> unnamed(f.run.executor());
    unnamed.add(opaque{7});
    const auto taken = unnamed.try_get();
    CHECK(unnamed.describe().find("workqueue (unnamed): 0 ready, 1 processing") == 0);
    CHECK(unnamed.stats().in_work == list{"#0"});
}

TEST_CASE("workqueue: a limiter that throws leaves the queue unchanged", "[workqueue]")
{
    struct broken final : kubecoro::rate_limiter
    {
        [[nodiscard]] kubecoro::duration delay(unsigned, kubecoro::time_point) const override
        {
            throw std::runtime_error("no");
        }
    };
    queue_fixture f({.limiter = std::make_unique<broken>()});
    CHECK_THROWS(f.queue.add_rate_limited("a"));
    CHECK(f.queue.stats().keys == 0);
    f.queue.add("a");
    {
        auto item = f.take();
        CHECK_THROWS(item.retry());
    }
    CHECK(f.take_all() == list{"a"});
}
