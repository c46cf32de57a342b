#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::latch;
using kubecoro::result;
using kubecoro::detail::wake_signal;

namespace {

/// A locked queue with a signal for "not empty": the library's pattern of using wake_signal.
struct mailbox
{
    std::mutex mutex;
    std::deque<int> items;
    wake_signal filled;

    void put(int n)
    {
        {
            std::lock_guard lock(mutex);
            items.push_back(n);
        }
        filled.notify();
    }
    std::deque<int> take_all()
    {
        std::lock_guard lock(mutex);
        return std::exchange(items, {});
    }
};

asio::awaitable<result<>> consume(mailbox& box, int expected, std::vector<int>& last_of_producer, int& seen)
{
    while (seen < expected) {
        for (int n : box.take_all()) {
            const auto producer = static_cast<std::size_t>(n & 7);
            if (n >> 3 != ++last_of_producer[producer]) co_return kubecoro::failure(cond::internal, "out of order");
            ++seen;
        }
        if (seen < expected) {
            const auto woken = co_await box.filled.wait();
            if (!woken) co_return woken.error();
        }
    }
    co_return result<>{};
}

} // namespace

TEST_CASE("wake_signal: no notification of many threads is lost", "[stress][base]")
{
    constexpr int producers = 4;
    constexpr int items = 20000;
    asio::thread_pool pool(2);
    mailbox box;
    std::vector<int> last(8, -1);
    int seen = 0;
    auto done = asio::co_spawn(asio::make_strand(pool), consume(box, producers * items, last, seen), asio::use_future);
    std::vector<std::thread> threads;
    for (int p = 0; p < producers; ++p)
        threads.emplace_back([&box, p] {
            for (int i = 0; i < items; ++i) box.put(i << 3 | p);
        });
    for (auto& t : threads) t.join();
    REQUIRE(done.wait_for(std::chrono::seconds{60}) == std::future_status::ready);
    CHECK(done.get().has_value());
    CHECK(seen == producers * items);
    pool.join();
}

TEST_CASE("wake_signal: two coroutines on two threads ping-pong", "[stress][base]")
{
    constexpr int rounds = 5000;
    asio::thread_pool left(1);
    asio::thread_pool right(1);
    const wake_signal ping;
    const wake_signal pong;
    int counter = 0; // ordered by the signals alone, as the thread sanitizer checks
    const auto play = [&counter](wake_signal mine, wake_signal theirs) -> asio::awaitable<int> {
        int turns = 0;
        for (; turns < rounds; ++turns) {
            if (const auto r = co_await mine.wait(); !r) break;
            ++counter;
            theirs.notify();
        }
        co_return turns;
    };
    auto a = asio::co_spawn(left, play(ping, pong), asio::use_future);
    auto b = asio::co_spawn(right, play(pong, ping), asio::use_future);
    ping.notify();
    CHECK(a.get() == rounds);
    CHECK(b.get() == rounds);
    CHECK(counter == 2 * rounds);
    left.join();
    right.join();
}

TEST_CASE("latch: waiters on many threads, settled and cancelled at the same time", "[stress][base]")
{
    asio::thread_pool pool(3);
    for (int round = 0; round < 300; ++round) {
        const latch l;
        constexpr int waiters = 12;
        std::atomic<int> settled{0};
        std::atomic<int> cancelled{0};
        std::vector<std::shared_ptr<asio::cancellation_signal>> signals;
        std::vector<std::future<void>> ends;
        for (int i = 0; i < waiters; ++i) {
            auto strand = asio::make_strand(pool);
            auto signal = std::make_shared<asio::cancellation_signal>();
            auto end = std::make_shared<std::promise<void>>();
            ends.push_back(end->get_future());
            asio::post(strand, [=, &settled, &cancelled] {
                auto done = [signal, end, &settled, &cancelled](std::exception_ptr thrown, result<> r) {
                    ++(thrown || r.has_error() ? cancelled : settled);
                    end->set_value();
                };
                asio::co_spawn(strand, l.wait(), asio::bind_cancellation_slot(signal->slot(), done));
            });
            if (i % 3 == 0) asio::post(strand, [signal] { signal->emit(asio::cancellation_type::terminal); });
            if (i == waiters / 2) asio::post(pool, [l] { l.settle({}); });
        }
        for (auto& e : ends) REQUIRE(e.wait_for(std::chrono::seconds{60}) == std::future_status::ready);
        CHECK(settled + cancelled == waiters);
        CHECK(settled >= waiters - 4);
    }
    pool.join();
}

TEST_CASE("latch and wake_signal: a notifier does not touch a waiter's context that has ended", "[stress][base]")
{
    // The woken waiter's thread may end before settle() returns.
    for (int round = 0; round < 200; ++round) {
        const latch l;
        const wake_signal s;
        std::thread elsewhere([l, s] {
            {
                asio::io_context context;
                auto waited = asio::co_spawn(context, l.wait(), asio::use_future);
                context.run();
                static_cast<void>(waited.get());
            }
            asio::io_context another;
            auto waited = asio::co_spawn(another, s.wait(), asio::use_future);
            another.run();
            static_cast<void>(waited.get());
        });
        if (round % 2 != 0) std::this_thread::yield();
        l.settle({});
        s.notify();
        elsewhere.join();
        REQUIRE(l.settled());
    }
}

TEST_CASE("latch and wake_signal: they may be signalled while the context of a waiter ends", "[stress][base]")
{
    for (int round = 0; round < 200; ++round) {
        const latch l;
        const wake_signal s;
        auto context = std::make_unique<asio::io_context>();
        kubecoro::task_group tasks(asio::make_strand(*context));
        tasks.spawn("latch", l.wait());
        tasks.spawn("signal", s.wait());
        context->poll();
        std::thread elsewhere([l, s] {
            s.notify();
            l.settle({});
        });
        context.reset();
        elsewhere.join();
        REQUIRE(l.settled());
    }
}
