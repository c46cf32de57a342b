// A manager on several threads: parts come, end and are removed while it starts, runs and stops.
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using ended = asio::awaitable<result<>>;

namespace {

constexpr int adders = 3;
constexpr int parts_each = 60;
constexpr auto patience = 60s;

struct counts
{
    std::atomic<int> active{0};
    std::atomic<int> started{0};
};

/// Counts a part while its coroutine exists.
class presence
{
public:
    explicit presence(counts& c) : c_(c)
    {
        ++c_.active;
        ++c_.started;
    }
    presence(const presence&) = delete;
    presence& operator=(const presence&) = delete;
    ~presence() { --c_.active; }

private:
    counts& c_;
};

ended ends_at_once(counts& c)
{
    const presence here(c);
    co_return result<>{};
}
ended waits(counts& c, latch stop)
{
    const presence here(c);
    co_return co_await stop.wait();
}
ended ends_soon(counts& c, std::chrono::microseconds after)
{
    const presence here(c);
    const auto clock = real_clock();
    co_return co_await sleep_for(*clock, after);
}

/// Adds parts, and removes some of them while they may be about to end.
void add_and_remove(manager& m, counts& c, std::uint64_t seed, std::atomic<int>& added)
{
    detail::random_source random(seed);
    std::vector<managed> mine;
    for (int n = 0; n < parts_each; ++n) {
        const runnable_options o{.needs_leadership = random() % 2 == 0, .needs_informers = random() % 2 == 0};
        const auto us = std::chrono::microseconds(random() % 300);
        switch (random() % 3) {
        case 0:
            mine.push_back(m.run(
                "once", [&c] { return ends_at_once(c); }, o));
            break;
        case 1:
            mine.push_back(m.run(
                "patient", [&c](latch stop) { return waits(c, std::move(stop)); }, o));
            break;
        default:
            mine.push_back(m.run(
                "soon", [&c, us] { return ends_soon(c, us); }, o));
        }
        ++added;
        if (random() % 2 == 0) mine[random() % mine.size()].remove();
    }
}

} // namespace

TEST_CASE("manager: parts are added and removed, and end, while it starts, runs and stops", "[stress][manager]")
{
    asio::thread_pool pool(3);
    for (int round = 0; round < 200; ++round) {
        counts c;
        {
            manager m(client(pool.get_executor(), std::make_shared<kubecoro::detail::no_server>(), {}),
                      {.name = "stressed", .check_access = false, .log = logger::silent()});
            std::atomic<int> added{0};
            std::vector<std::thread> threads;
            for (int n = 0; n < adders; ++n)
                threads.emplace_back([&, seed = static_cast<std::uint64_t>(round * adders + n + 1)] {
                    add_and_remove(m, c, seed, added);
                });
            auto running = asio::co_spawn(pool, m.run(), asio::use_future);
            threads.emplace_back([&] {
                while (added < round * 4 % (adders * parts_each)) std::this_thread::yield();
                m.request_stop();
            });
            for (auto& t : threads) t.join();
            const auto last = m.run("last", [&c] { return ends_at_once(c); });
            REQUIRE(running.wait_for(patience) == std::future_status::ready);
            CHECK(running.get());
            auto gone = asio::co_spawn(pool, last.removed(), asio::use_future);
            REQUIRE(gone.wait_for(patience) == std::future_status::ready);
        }
        CHECK(c.active == 0);
        CHECK(c.started <= adders * parts_each);
    }
    pool.join();
}
