// Delays, limits and priorities. Names in parentheses are those of client-go's own tests.
#include "queue_fixture.hpp"

#include <limits>

using namespace kubecoro::test;
using kubecoro::duration;
namespace priority = kubecoro::priority;

TEST_CASE("workqueue: a delayed key is ready when it is due (SimpleQueue)", "[workqueue][delay]")
{
    queue_fixture f;
    f.queue.add_after("foo", 50ms);
    f.settle();
    CHECK(f.queue.len() == 0);
    f.run.advance(49ms);
    CHECK(f.queue.len() == 0);
    CHECK(f.take_all_after(1ms) == list{"foo"});
    f.run.advance(10s);
    CHECK(f.queue.len() == 0);
}

TEST_CASE("workqueue: of several due times the earliest counts (Deduping)", "[workqueue][delay]")
{
    queue_fixture f;
    f.queue.add_after("foo", 50ms);
    f.queue.add_after("foo", 70ms);
    CHECK(f.take_all_after(60ms) == list{"foo"});
    f.run.advance(20ms);
    CHECK(f.queue.len() == 0);
    f.queue.add_after("foo", 50ms);
    f.settle();
    f.queue.add_after("foo", 30ms);
    CHECK(f.take_all_after(40ms) == list{"foo"});
    f.run.advance(1h);
    CHECK(f.queue.len() == 0);
}

TEST_CASE("workqueue: a later key that is due earlier comes first (AddTwoFireEarly)", "[workqueue][delay]")
{
    queue_fixture f;
    f.queue.add_after("foo", 1s);
    f.settle();
    f.queue.add_after("bar", 50ms);
    CHECK(f.take_all_after(60ms) == list{"bar"});
    f.queue.add_after("third", 2s);
    CHECK(f.take_all_after(1s) == list{"foo"});
    CHECK(f.take_all_after(2s) == list{"third"});
}

TEST_CASE("workqueue: the first due key leaves, the others keep their order (CopyShifting)", "[workqueue][delay]")
{
    queue_fixture f;
    f.queue.add_after("foo", 1s);
    f.queue.add_after("bar", 500ms);
    f.queue.add_after("baz", 300ms);
    CHECK(f.take_all_after(2s) == list{"baz", "bar", "foo"});
}

TEST_CASE("workqueue: a delay of zero is an add, and a delay does not prevent an add", "[workqueue][delay]")
{
    queue_fixture f;
    f.queue.add_after("a", 0s);
    f.queue.add_after("b", -5s);
    f.queue.add_after("c", 1s);
    f.queue.add("c");
    CHECK(f.take_all() == list{"a", "b", "c"});
    CHECK(f.take_all_after(1s) == list{"c"});
}

TEST_CASE("workqueue: a key due while it is processed is ready when that is done", "[workqueue][delay]")
{
    queue_fixture f;
    auto item = f.take_new("a");
    f.queue.add_after("a", 1s);
    f.run.advance(1s);
    CHECK(f.queue.len() == 0);
    item.done();
    CHECK(f.take_all() == list{"a"});
}

TEST_CASE("workqueue: the longest delay does not overflow", "[workqueue][delay]")
{
    queue_fixture f;
    f.queue.add_after("a", duration::max());
    f.run.advance(24h * 365);
    CHECK(f.queue.len() == 0);
    CHECK(f.queue.stats().delayed == 1);
}

TEST_CASE("workqueue: a million delayed keys use one timer, each at its due time", "[workqueue][delay]")
{
    queue_fixture f;
    kubecoro::workqueue<int> queue(f.run.executor(), queue_fixture::on_clock(f.run, {}));
    constexpr int keys = 1'000'000;
    for (int i = 0; i < keys; ++i) queue.add_after(i, 1s + std::chrono::microseconds((i * 7919LL) % keys));
    f.settle();
    CHECK(f.run.clock().waiting() == 1);
    CHECK(queue.stats().delayed == keys);
    f.run.advance(1s + std::chrono::microseconds(keys / 2 - 1));
    CHECK(queue.len() == keys / 2);
    f.run.advance(1s);
    REQUIRE(queue.len() == keys);
    std::size_t out_of_turn = 0;
    for (int i = 0; i < keys; ++i) {
        auto item = queue.try_get();
        out_of_turn += (item->key() * 7919LL) % keys == i ? 0 : 1;
        item->done();
    }
    CHECK(out_of_turn == 0);
}

TEST_CASE("workqueue: a million keys, ready or delayed, stay within their memory per key and use one timer",
          "[workqueue][delay]")
{
    queue_fixture f;
    kubecoro::workqueue<kubecoro::object_key> queue(f.run.executor(), queue_fixture::on_clock(f.run, {}));
    constexpr std::size_t keys = 1'000'000;
    const auto for_each_key = [](auto what) {
        for (std::size_t i = 0; i < keys; ++i) what(kubecoro::object_key("ns", "pod-" + std::to_string(i)));
    };
    const auto bytes_a_key = [&queue] { return static_cast<double>(queue.stats().bytes) / keys; };

    for_each_key([&queue](const auto& key) { queue.add(key); });
    CHECK(queue.stats().keys == keys);
    const double ready = bytes_a_key();
    while (auto item = queue.try_get()) item->succeeded();
    CHECK(bytes_a_key() < 1); // released

    for_each_key([&queue](const auto& key) { queue.add_after(key, 1h); });
    f.settle();
    CHECK(queue.stats().delayed == keys);
    CHECK(f.run.clock().waiting() == 1);
    const double delayed = bytes_a_key();
    CAPTURE(ready, delayed);
    CHECK(ready <= sizeof(kubecoro::object_key) + 57);
    CHECK(delayed <= sizeof(kubecoro::object_key) + 57 + 40);
    queue.shut_down();
    CHECK(bytes_a_key() < 1);
}

TEST_CASE("workqueue: failures of a key double its delay until forget() (RateLimitingQueue)", "[workqueue][limit]")
{
    queue_fixture f({.limiter = kubecoro::exponential_limiter(1ms, 1s)});
    for (const char* k : {"one", "two"}) {
        f.queue.add_rate_limited(k);
        f.run.advance(1ms);
        CHECK(f.take().key() == k);
        f.queue.forget(k);
        (void)f.take_all();
    }
    auto fails_after = [&f](duration d) {
        f.queue.add_rate_limited("one");
        f.run.advance(d - 1ns);
        CHECK(f.queue.len() == 0);
        f.run.advance(1ns);
        CHECK(f.queue.len() == 1);
        f.take().done();
    };
    fails_after(1ms);
    fails_after(2ms);
    fails_after(4ms);
    CHECK(f.queue.num_requeues("one") == 3);
    f.queue.forget("one");
    CHECK(f.queue.num_requeues("one") == 0);
    fails_after(1ms);
    f.queue.add_rate_limited("one");
    f.queue.add_rate_limited("one");
    CHECK(f.queue.num_requeues("one") == 3);
}

TEST_CASE("workqueue: the bucket is used up only by keys that are really queued", "[workqueue][limit]")
{
    queue_fixture f({.limiter = kubecoro::bucket_limiter(1, 2)});
    f.queue.add_rate_limited("a");
    CHECK(f.take_all() == list{"a"});
    f.queue.add_rate_limited("a"); // the second and last token of the burst
    CHECK(f.take_all() == list{"a"});
    for (int n = 0; n < 100; ++n) f.queue.add_rate_limited("a"); // one per second, however often it is added
    f.queue.add_rate_limited("b");
    CHECK(f.take_all_after(1s) == list{"a"});
    CHECK(f.take_all_after(1s) == list{"b"});
}

TEST_CASE("workqueue: events between two retries do not increase the delay", "[workqueue][limit]")
{
    queue_fixture f({.limiter = kubecoro::exponential_limiter(1s, 1h)});
    f.queue.add("a");
    f.take().retry();
    for (int event = 0; event < 10; ++event) {
        auto item = f.take_new("a");
        CHECK(item.num_requeues() == 1);
        item.retry();
    }
    f.run.advance(1s);
    auto item = f.take();
    item.retry();
    CHECK(f.queue.num_requeues("a") == 2);
    f.run.advance(2s);
    f.take().succeeded();
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a run that requests another one later", "[workqueue][limit]")
{
    queue_fixture f({.limiter = kubecoro::exponential_limiter(1ms, 1s)});
    f.queue.add("a", 7);
    f.take().retry();
    f.run.advance(1ms);
    auto item = f.take();
    CHECK(item.priority() == 7); // retries keep it
    item.again_after(1h);
    CHECK(f.queue.num_requeues("a") == 0);
    f.run.advance(1h);
    item = f.take();
    CHECK(item.priority() == 7);
    item.again_after(0s, -3);
    item = f.take();
    CHECK(item.priority() == -3);
    item.retry(9);
    f.run.advance(1ms);
    CHECK(f.take().priority() == 9);
}

TEST_CASE("workqueue: higher priorities first, in order of arrival within each", "[workqueue][priority]")
{
    queue_fixture f({.ageing = 0});
    f.queue.add("low", priority::low);
    f.queue.add("a");
    f.queue.add("high", priority::high);
    f.queue.add("b");
    f.queue.add("lowest", std::numeric_limits<int>::min());
    f.queue.add("highest", std::numeric_limits<int>::max());
    f.queue.add("c", 1);
    CHECK(f.take_all() == list{"high", "highest", "c", "a", "b", "low", "lowest"});
}

TEST_CASE("workqueue: a key added again with a higher priority moves to its end, with a lower one it stays",
          "[workqueue][priority]")
{
    queue_fixture f({.ageing = 0});
    for (const char* k : {"a", "b", "c"}) f.queue.add(k, 1);
    f.queue.add("x", 2);
    f.queue.add("b", 2);
    f.queue.add("a", 0);
    CHECK(f.take_all() == list{"x", "b", "a", "c"});
    f.queue.add("k", 1);
    auto item = f.take();
    f.queue.add("k", 3);
    f.queue.add("k", 2);
    item.done();
    CHECK(f.take().priority() == 3);
    f.queue.add_after("d", 1s, 4);
    f.queue.add_after("d", 2s, 5);
    f.run.advance(1s);
    CHECK(f.take().priority() == 5);
}

TEST_CASE("workqueue: no key starves", "[workqueue][priority]")
{
    queue_fixture f({.ageing = 4});
    f.queue.add("low", priority::low);
    f.queue.add("lower", priority::low);
    list seen;
    for (int n = 0; n < 10; ++n) {
        f.queue.add("high" + std::to_string(n), priority::high);
        auto item = f.take();
        seen.push_back(item.key());
        item.done();
    }
    CHECK(seen == list{"high0", "high1", "high2", "low", "high3", "high4", "high5", "lower", "high6", "high7"});
}
