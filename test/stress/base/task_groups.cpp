#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <future>

namespace asio = boost::asio;
using kubecoro::latch;
using kubecoro::result;
using kubecoro::task_group;

namespace {

asio::awaitable<result<>> some_steps(int steps, std::atomic<int>& running)
{
    ++running;
    for (int i = 0; i < steps; ++i) co_await asio::post(asio::use_awaitable);
    --running;
    co_return result<>{};
}

asio::awaitable<result<>> until_cancelled(std::atomic<int>& ended)
{
    const auto r = co_await latch{}.wait();
    ++ended;
    co_return r;
}

} // namespace

TEST_CASE("task_group: a join never misses the end of the last child", "[stress][base]")
{
    asio::thread_pool pool(3);
    std::atomic<int> running{0};
    for (int round = 0; round < 2000; ++round) {
        task_group group(asio::make_strand(pool));
        for (int i = 0; i < 3; ++i) group.spawn("steps", asio::make_strand(pool), some_steps(i + round % 3, running));
        auto joined = asio::co_spawn(pool, group.join(), asio::use_future);
        REQUIRE(joined.wait_for(std::chrono::seconds{60}) == std::future_status::ready);
        CHECK(joined.get().has_value());
        CHECK(group.running() == 0);
        CHECK(running == 0);
    }
    pool.join();
}

TEST_CASE("task_group: stop reaches children in every state of starting", "[stress][base]")
{
    asio::thread_pool pool(3);
    for (int round = 0; round < 1000; ++round) {
        std::atomic<int> ended{0};
        task_group group(asio::make_strand(pool));
        std::atomic<int> spawned{0};
        auto spawner = std::async(std::launch::async, [&] {
            for (int i = 0; i < 8; ++i)
                if (group.spawn("waits", asio::make_strand(pool), until_cancelled(ended))) ++spawned;
        });
        if (round % 2) std::this_thread::yield();
        group.stop();
        spawner.get();
        auto joined = asio::co_spawn(pool, group.join(), asio::use_future);
        REQUIRE(joined.wait_for(std::chrono::seconds{60}) == std::future_status::ready);
        CHECK(group.running() == 0);
        CHECK(ended <= spawned); // children stopped before their start never begin
    }
    pool.join();
}
