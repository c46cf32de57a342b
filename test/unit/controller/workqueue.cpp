// The queue as its users see it, in virtual time. Names in brackets are those of client-go's own tests.
#include <kubecoro/controller/workqueue.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::cond;
using kubecoro::result;
using kubecoro::workqueue;
using kubecoro::workqueue_options;
using kubecoro::testing::runner;

namespace {

using names = workqueue<std::string>;

struct fixture
{
    runner run;
    names queue;

    explicit fixture(workqueue_options options = {}) : queue(run.executor(), with_clock(std::move(options))) {}
    workqueue_options with_clock(workqueue_options o)
    {
        o.time = run.shared_clock();
        return o;
    }
    /// What is ready now, in the order of handing out; all of it done.
    std::vector<std::string> drain()
    {
        std::vector<std::string> out;
        while (auto item = queue.try_get()) {
            out.push_back(item->key());
            item->done();
        }
        return out;
    }
};

using list = std::vector<std::string>;

/// Works until the queue is shut down.
asio::awaitable<result<>> work(names& queue, list& seen)
{
    for (;;) {
        auto item = co_await queue.get();
        if (!item) co_return item.error();
        seen.push_back(item->key());
        item->done();
    }
}

} // namespace

TEST_CASE("workqueue: first in, first out, each key once (Basic)", "[workqueue]")
{
    fixture f;
    for (const char* k : {"a", "b", "a", "c", "b"}) f.queue.add(k);
    CHECK(f.queue.len() == 3);
    CHECK(f.drain() == list{"a", "b", "c"});
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: added while in work, a key runs once more when that is done (AddWhileProcessing)", "[workqueue]")
{
    fixture f;
    f.queue.add("a");
    auto first = f.queue.try_get();
    REQUIRE(first);
    f.queue.add("a");
    f.queue.add("a");
    CHECK(f.queue.len() == 0);
    CHECK_FALSE(f.queue.try_get()); // never with two workers
    first->done();
    CHECK(f.drain() == list{"a"});
}

TEST_CASE("workqueue: workers wait, and are woken by an add", "[workqueue]")
{
    fixture f;
    list seen;
    const auto one = f.run.spawn(work(f.queue, seen));
    const auto two = f.run.spawn(work(f.queue, seen));
    f.run.run_until_idle();
    CHECK(f.queue.stats().waiting_workers == 2);
    f.queue.add_batch(list{"a", "b", "c"});
    CHECK(seen.empty()); // never inside the call
    f.run.run_until_idle();
    CHECK(seen == list{"a", "b", "c"});
    f.queue.shut_down();
    f.run.run_until_idle();
    CHECK(one.done());
    CHECK(two.done());
}

TEST_CASE("workqueue: a delayed key comes at its moment, the earliest of several (Deduping)", "[workqueue]")
{
    fixture f;
    list seen;
    const auto worker = f.run.spawn(work(f.queue, seen));
    f.queue.add_after("a", 70ms);
    f.queue.add_after("a", 50ms);
    f.queue.add_after("a", 60ms);
    f.queue.add_after("b", 0s);
    f.run.advance(49ms);
    CHECK(seen == list{"b"});
    f.run.advance(1ms);
    CHECK(seen == list{"b", "a"});
    f.run.advance(1h);
    CHECK(seen == list{"b", "a"});
    f.queue.shut_down();
    f.run.run_until_idle();
    CHECK(worker.done());
}

TEST_CASE("workqueue: rate limited (RateLimitingQueue)", "[workqueue]")
{
    fixture f({.limiter = kubecoro::exponential_limiter(1ms, 1s)});
    f.queue.add_rate_limited("one");
    f.queue.add_rate_limited("one");
    CHECK(f.queue.num_requeues("one") == 2);
    f.queue.add_rate_limited("two");
    CHECK(f.queue.num_requeues("two") == 1);
    f.run.advance(1ms);
    CHECK(f.drain() == list{"one", "two"});
    f.queue.add_rate_limited("one");
    f.run.advance(3ms);
    CHECK(f.queue.len() == 0);
    f.run.advance(1ms);
    CHECK(f.drain() == list{"one"});
    f.queue.forget("one");
    CHECK(f.queue.num_requeues("one") == 0);
    CHECK(f.queue.stats().keys == 1);
    f.queue.forget("two");
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: an item that is dropped goes back", "[workqueue]")
{
    fixture f;
    f.queue.add("a", 5);
    f.queue.try_get().reset();
    CHECK(f.queue.len() == 1);
    auto again = f.queue.try_get();
    REQUIRE(again);
    CHECK(again->priority() == 5);
    again->done();
    CHECK(f.queue.stats().keys == 0);
}
