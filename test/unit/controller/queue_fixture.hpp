#pragma once
// A queue of names with a virtual clock.

#include <kubecoro/controller/workqueue.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace kubecoro::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using names = workqueue<std::string>;
using list = std::vector<std::string>;

struct queue_fixture
{
    testing::runner run;
    names queue;

    explicit queue_fixture(workqueue_options options = {}) : queue(run.executor(), on_clock(run, std::move(options))) {}

    static workqueue_options on_clock(testing::runner& r, workqueue_options o)
    {
        o.time = r.shared_clock();
        return o;
    }
    /// With these keys ready.
    template<class... Names>
    explicit queue_fixture(const char* first, Names... more) : queue_fixture()
    {
        queue.add_batch(list{first, more...});
    }

    void settle() { run.run_until_idle(); }
    /// Takes and finishes all keys that are ready after `d`.
    list take_all_after(kubecoro::duration d)
    {
        run.advance(d);
        return take_all();
    }
    /// Adds a key and takes it; no other key may be ready.
    names::item take_new(const std::string& key)
    {
        queue.add(key);
        auto item = take();
        REQUIRE(item.key() == key);
        return item;
    }
    /// Starts a drain.
    testing::task<void> drain()
    {
        const auto t = run.spawn(queue.shut_down_with_drain());
        settle();
        return t;
    }
    /// Takes and finishes all ready keys, in the order of handing out.
    list take_all()
    {
        list out;
        while (auto item = queue.try_get()) {
            out.push_back(item->key());
            item->succeeded();
        }
        return out;
    }
    /// Takes one key, which must be ready.
    names::item take()
    {
        auto item = queue.try_get();
        REQUIRE(item);
        return std::move(*item);
    }
};

/// A worker until the queue is shut down.
inline asio::awaitable<result<>> work(names& queue, list& seen)
{
    for (;;) {
        auto item = co_await queue.get();
        if (!item) co_return item.error();
        seen.push_back(item->key());
        item->done();
    }
}

} // namespace kubecoro::test
