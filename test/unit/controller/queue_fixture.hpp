#pragma once
// A queue of names on a virtual clock.

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
    /// What is ready now, in the order of handing out; all of it done.
    list take_all()
    {
        list out;
        while (auto item = queue.try_get()) {
            out.push_back(item->key());
            item->succeeded();
        }
        return out;
    }
    /// One key, which has to be there.
    names::item take()
    {
        auto item = queue.try_get();
        REQUIRE(item);
        return std::move(*item);
    }
};

/// Works until the queue is shut down.
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
