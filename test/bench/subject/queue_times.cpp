#include "queue_times.hpp"

#include <kubecoro/controller/workqueue.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>
#include <unistd.h>

namespace kubecoro::bench {

namespace asio = boost::asio;

namespace {

using queue = workqueue<object_key>;
using keys_view = std::span<const object_key>;

constexpr std::size_t working_set = 1'000;

std::vector<object_key> distinct_keys(std::size_t count)
{
    std::vector<object_key> all;
    all.reserve(count);
    char name[32];
    for (std::size_t i = 0; i < count; ++i) {
        std::snprintf(name, sizeof name, "pod-%07zu", i);
        all.emplace_back("namespace-" + std::to_string(i % 100), name);
    }
    return all;
}

/// Nanoseconds since its creation, divided by a number of keys.
class stopwatch
{
public:
    [[nodiscard]] double per_key(std::size_t keys) const
    {
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin_;
        return took.count() / static_cast<double>(std::max<std::size_t>(keys, 1));
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

asio::awaitable<double> measure_cycle(asio::any_io_executor executor, keys_view all)
{
    queue q(executor);
    const auto few = all.first(std::min(working_set, all.size()));
    const stopwatch watch;
    std::size_t cycles = 0;
    q.add(few.front());
    auto item = co_await q.get();
    while (cycles < all.size()) {
        for (const auto& key : few) {
            q.add(key);
            if (!item->next()) item = co_await q.get();
        }
        cycles += few.size();
    }
    co_return watch.per_key(cycles);
}

asio::awaitable<void> measure_distinct(asio::any_io_executor executor, keys_view all, queue_times& t)
{
    queue q(executor);
    const stopwatch adding;
    for (const auto& key : all) q.add(key);
    t.add = adding.per_key(all.size());
    q.shut_down();
    const stopwatch emptying;
    while (auto item = co_await q.get())
        while (item->next()) {
        }
    t.get_done = emptying.per_key(all.size());
}

/// The resident bytes of this process, after releasing unused memory.
double resident_bytes()
{
    malloc_trim(0);
    std::ifstream statm("/proc/self/statm");
    double size = 0;
    double resident = 0;
    statm >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void measure_add_after(asio::any_io_executor executor, keys_view all, queue_times& t)
{
    using namespace std::chrono_literals;
    const auto before = resident_bytes();
    queue q(std::move(executor));
    const stopwatch watch;
    // Out of order, as failures come: in steps of a prime.
    std::size_t place = 0;
    for (const auto& key : all) {
        q.add_after(key, 1h + 1h * place / all.size());
        place = (place + 7'919) % all.size();
    }
    t.add_after = watch.per_key(all.size());
    t.add_after_bytes = (resident_bytes() - before) / static_cast<double>(std::max<std::size_t>(all.size(), 1));
}

asio::awaitable<void> work(queue& q)
{
    while (auto item = co_await q.get())
        while (item->next()) {
        }
}

asio::awaitable<void> finish(queue& q) { (void)co_await q.shut_down_with_drain(); }

/// Each worker has its own thread and io_context.
double measure_contended(keys_view all)
{
    constexpr std::size_t producers = 2;
    std::array<asio::io_context, 4> workers;
    queue q(workers[0].get_executor());
    for (auto& io : workers) asio::co_spawn(io, work(q), asio::detached);
    const stopwatch watch;
    std::vector<std::jthread> threads;
    for (auto& io : workers) threads.emplace_back([&io] { io.run(); });
    std::vector<std::jthread> adding;
    const std::size_t part = all.size() / producers;
    for (std::size_t p = 0; p < producers; ++p)
        adding.emplace_back([&q, own = all.subspan(p * part, part)] {
            for (const auto& key : own) q.add(key);
        });
    adding.clear();
    asio::co_spawn(workers[1], finish(q), asio::detached);
    threads.clear();
    return watch.per_key(part * producers);
}

} // namespace

asio::awaitable<queue_times> measure_queue(asio::any_io_executor executor, std::size_t keys)
{
    const auto all = distinct_keys(keys);
    queue_times t;
    t.cycle = co_await measure_cycle(executor, all);
    co_await measure_distinct(executor, all, t);
    measure_add_after(executor, all, t);
    t.contended = measure_contended(all);
    co_return t;
}

} // namespace kubecoro::bench
