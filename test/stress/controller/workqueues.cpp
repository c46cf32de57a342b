#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/controller/workqueue.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::result;
using kubecoro::workqueue;

namespace {

constexpr int keys = 64;
constexpr int adds = 20'000;
constexpr auto patience = 60s;

/// Counts requests of producers and runs of workers: a run has to begin at or after each change of its key.
struct ledger
{
    struct line
    {
        std::atomic<int> wanted{0};
        std::atomic<int> seen{0};
        std::atomic<int> workers{0};
        /// Neither locked nor atomic: a key is with one worker at a time, and the queue orders their memory.
        int runs = 0;
    };
    std::array<line, keys> lines;
    std::atomic<int> overlaps{0};

    void run(int key)
    {
        line& l = lines[static_cast<std::size_t>(key)];
        if (l.workers.fetch_add(1) != 0) ++overlaps;
        ++l.runs;
        l.seen = l.wanted.load();
        l.workers.fetch_sub(1);
    }
    [[nodiscard]] bool settled() const
    {
        return std::all_of(lines.begin(), lines.end(), [](const line& l) { return l.seen == l.wanted; });
    }
};

using queue_type = workqueue<int>;

/// Returns items in every possible way.
void finish(queue_type::item item, unsigned n)
{
    if (n % 50 == 0) return; // dropped: the key comes back
    if (n % 7 == 0)
        item.retry();
    else if (n % 11 == 0)
        item.again_after(50us);
    else
        item.succeeded();
}

asio::awaitable<result<>> work(queue_type& queue, ledger& book, unsigned seed)
{
    for (unsigned n = seed;; ++n) {
        auto item = co_await queue.get();
        if (!item) co_return item.error();
        book.run(item->key());
        finish(std::move(*item), n);
    }
}

asio::awaitable<result<>> work_in_batches(queue_type& queue, ledger& book, unsigned seed)
{
    for (unsigned n = seed;; ++n) {
        auto items = co_await queue.get_batch(8);
        if (!items) co_return items.error();
        for (auto& item : *items) {
            book.run(item.key());
            finish(std::move(item), n);
        }
    }
}

void produce(queue_type& queue, ledger& book, std::uint64_t seed)
{
    kubecoro::detail::random_source random(seed);
    std::vector<int> batch;
    for (int n = 0; n < adds; ++n) {
        const int key = static_cast<int>(random() % keys);
        ++book.lines[static_cast<std::size_t>(key)].wanted;
        switch (random() % 16) {
        case 0:
            queue.add_after(key, std::chrono::microseconds(random() % 300));
            break;
        case 1:
            queue.add_rate_limited(key);
            break;
        case 2:
            batch.assign(3, key);
            queue.add_batch(batch, static_cast<int>(random() % 3));
            break;
        default:
            queue.add(key, static_cast<int>(random() % 3));
        }
        if (n % 100 == 0) queue.forget(key);
        if (n % 500 == 0) (void)queue.describe();
    }
}

kubecoro::workqueue_options quick()
{
    kubecoro::workqueue_options o;
    o.limiter = kubecoro::exponential_limiter(1us, 100us);
    return o;
}

/// A worker on its own strand, which can be cancelled.
struct worker
{
    asio::strand<asio::thread_pool::executor_type> strand;
    std::shared_ptr<asio::cancellation_signal> signal = std::make_shared<asio::cancellation_signal>();
    std::future<void> end;

    worker(asio::thread_pool& pool, queue_type& queue, ledger& book, unsigned n) : strand(asio::make_strand(pool))
    {
        auto ended = std::make_shared<std::promise<void>>();
        end = ended->get_future();
        asio::post(strand, [this, &queue, &book, n, ended, s = signal] {
            auto body = n % 2 == 0 ? work(queue, book, n) : work_in_batches(queue, book, n);
            auto done = [ended, s](std::exception_ptr, const result<>&) { ended->set_value(); };
            asio::co_spawn(strand, std::move(body), asio::bind_cancellation_slot(s->slot(), std::move(done)));
        });
    }
    void cancel()
    {
        asio::post(strand, [s = signal] { s->emit(asio::cancellation_type::terminal); });
    }
    void join() { REQUIRE(end.wait_for(patience) == std::future_status::ready); }
};

constexpr int coroutines = 4'000;

asio::awaitable<void> add_one(queue_type& queue, int n, std::atomic<int>& left, std::promise<void>& last)
{
    co_await asio::post(asio::use_awaitable); // so that many items are processed at once
    queue.add(n);
    queue.add_after(coroutines + n % keys, std::chrono::microseconds(n % 100));
    queue.add(coroutines + n % keys, n % 3);
    if (left.fetch_sub(1) == 1) last.set_value();
}

asio::awaitable<void> count_runs(queue_type& queue, std::vector<std::atomic<int>>& runs)
{
    while (auto item = co_await queue.get()) {
        do {
            ++runs[static_cast<std::size_t>(item->key())];
        } while (item->next());
    }
}

} // namespace

TEST_CASE("workqueue: every key of many producers reaches one worker at a time", "[stress][controller]")
{
    asio::thread_pool pool(3);
    queue_type queue(pool.get_executor(), quick());
    ledger book;
    std::vector<std::unique_ptr<worker>> workers;
    for (unsigned n = 0; n < 4; ++n) workers.push_back(std::make_unique<worker>(pool, queue, book, n));
    std::vector<std::thread> producers;
    for (std::uint64_t p = 1; p <= 3; ++p) producers.emplace_back([&queue, &book, p] { produce(queue, book, p); });
    // Workers start and end during the test.
    for (unsigned n = 4; n < 40; ++n) {
        workers.push_back(std::make_unique<worker>(pool, queue, book, n));
        workers[n - 4]->cancel();
        workers[n - 4]->join();
    }
    for (auto& p : producers) p.join();
    // A drain excludes delayed keys and includes all others.
    for (int k = 0; k < keys; ++k) queue.add(k);
    auto drained = asio::co_spawn(pool, queue.shut_down_with_drain(), asio::use_future);
    REQUIRE(drained.wait_for(patience) == std::future_status::ready);
    CHECK(drained.get().has_value());
    for (auto& w : workers) w->join();
    CHECK(book.overlaps == 0);
    CHECK(book.settled());
    CHECK(queue.stats().processing == 0);
    pool.join();
}

TEST_CASE("workqueue: shut down and destroyed at a random time", "[stress][controller]")
{
    asio::thread_pool pool(3);
    for (int round = 0; round < 60; ++round) {
        auto queue = std::make_unique<queue_type>(pool.get_executor(), quick());
        ledger book;
        std::vector<std::unique_ptr<worker>> workers;
        for (unsigned n = 0; n < 3; ++n) workers.push_back(std::make_unique<worker>(pool, *queue, book, n));
        std::thread producer([&queue, &book] {
            for (int n = 0; n < 300; ++n) {
                ++book.lines[static_cast<std::size_t>(n % keys)].wanted;
                queue->add(n % keys);
                queue->add_after((n + 1) % keys, std::chrono::microseconds(n));
            }
        });
        std::thread stopper([&queue, round] {
            while (queue->stats().handed_out < static_cast<std::uint64_t>(round)) std::this_thread::yield();
            queue->shut_down();
        });
        producer.join();
        stopper.join();
        for (auto& w : workers) w->join();
        queue.reset();
        CHECK(book.overlaps == 0);
    }
    pool.join();
}

TEST_CASE("workqueue: items are returned while the queue is destroyed", "[stress][controller]")
{
    asio::thread_pool pool(2);
    for (int round = 0; round < 200; ++round) {
        auto queue = std::make_unique<queue_type>(pool.get_executor(), quick());
        for (int n = 0; n < 8; ++n) queue->add(n);
        std::vector<queue_type::item> items;
        while (auto item = queue->try_get()) items.push_back(std::move(*item));
        REQUIRE(items.size() == 8);
        std::vector<std::thread> workers;
        for (std::size_t w = 0; w < 2; ++w)
            workers.emplace_back([&items, w] {
                for (std::size_t n = w; n < items.size(); n += 2)
                    finish(std::move(items[n]), static_cast<unsigned>(n * 7));
            });
        queue.reset();
        for (auto& w : workers) w.join();
    }
    pool.join();
}

TEST_CASE("workqueue: thousands of coroutines add at once, and each key is run", "[stress][controller]")
{
    asio::thread_pool pool(3);
    queue_type queue(pool.get_executor(), quick());
    std::vector<std::atomic<int>> runs(coroutines + keys);
    std::atomic<int> adding{coroutines};
    std::promise<void> all_added;

    std::vector<std::future<void>> workers;
    for (int n = 0; n < 4; ++n)
        workers.push_back(asio::co_spawn(asio::make_strand(pool), count_runs(queue, runs), asio::use_future));
    for (int n = 0; n < coroutines; ++n) asio::co_spawn(pool, add_one(queue, n, adding, all_added), asio::detached);
    REQUIRE(all_added.get_future().wait_for(patience) == std::future_status::ready);
    auto drained = asio::co_spawn(pool, queue.shut_down_with_drain(), asio::use_future);
    REQUIRE(drained.wait_for(patience) == std::future_status::ready);
    for (auto& w : workers) REQUIRE(w.wait_for(patience) == std::future_status::ready);
    const auto once = std::count_if(runs.begin(), runs.begin() + coroutines, [](const auto& n) { return n == 1; });
    CHECK(once == coroutines);
    CHECK(std::all_of(runs.begin() + coroutines, runs.end(), [](const auto& n) { return n > 0; }));
    pool.join();
}
