// The work queue: the cost of each key from a handler to a worker and out again.
#include "allocations.hpp"

#include <kubecoro/controller/workqueue.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace kubecoro::bench {

namespace {

namespace asio = boost::asio;

std::vector<object_key> some_keys(std::size_t count)
{
    std::vector<object_key> keys;
    for (std::size_t i = 0; i < count; ++i)
        keys.emplace_back("namespace-" + std::to_string(i % 100), "pod-" + std::to_string(1'000'000 + i));
    return keys;
}

asio::awaitable<void> empty(workqueue<object_key>& queue, std::size_t keys)
{
    while (keys-- > 0) {
        auto item = co_await queue.get();
        item->succeeded();
    }
}

/// Adds in batches of this size, then get and done one by one; per key.
void queue_cycle(benchmark::State& state)
{
    const auto keys = some_keys(static_cast<std::size_t>(state.range(0)));
    asio::io_context io(1);
    workqueue<object_key> queue(io.get_executor());
    allocation_report report(state);
    report.per_iteration(static_cast<double>(keys.size()));
    for (auto _ : state) {
        queue.add_batch(keys);
        asio::co_spawn(io, empty(queue, keys.size()), [](std::exception_ptr) {});
        io.restart();
        io.run();
    }
}
BENCHMARK(queue_cycle)->Arg(1)->Arg(256)->Arg(100'000);

/// Adds one key of 1,000 and takes it, one after the other; per key. With `threads` the process has started one, so that
/// locks and counts are atomic.
template<class Cycle>
void one_by_one(benchmark::State& state, Cycle cycle)
{
    const auto keys = some_keys(1'000);
    if (state.range(0) != 0) std::thread([] {}).join();
    asio::io_context io(1);
    workqueue<object_key> queue(io.get_executor());
    allocation_report report(state);
    report.per_iteration(static_cast<double>(keys.size()));
    for (auto _ : state) {
        asio::co_spawn(io, cycle(queue, keys), [](std::exception_ptr) {});
        io.restart();
        io.run();
    }
}

asio::awaitable<void> awaited(workqueue<object_key>& queue, const std::vector<object_key>& keys)
{
    for (const auto& key : keys) {
        queue.add(key);
        auto item = co_await queue.get();
        item->succeeded();
    }
}

/// A worker that is awake: next(), and get() only where that gives way.
asio::awaitable<void> awake(workqueue<object_key>& queue, const std::vector<object_key>& keys)
{
    queue.add(keys.front());
    auto item = co_await queue.get();
    for (const auto& key : keys) {
        queue.add(key);
        if (!item->next()) item = co_await queue.get();
    }
    item->succeeded();
    while (auto last = queue.try_get()) last->succeeded();
}

void queue_awaited(benchmark::State& state) { one_by_one(state, awaited); }
void queue_awake(benchmark::State& state) { one_by_one(state, awake); }
BENCHMARK(queue_awaited)->ArgName("threads")->Arg(0);
BENCHMARK(queue_awake)->ArgName("threads")->Arg(0)->Arg(1);
BENCHMARK(queue_awaited)->ArgName("threads")->Arg(1);

double bytes_a_key(const workqueue<object_key>& queue)
{
    const auto now = queue.stats();
    return static_cast<double>(now.bytes) / static_cast<double>(now.keys);
}

/// This number of distinct keys into an empty queue; per key.
void queue_add_distinct(benchmark::State& state)
{
    const auto keys = some_keys(static_cast<std::size_t>(state.range(0)));
    asio::io_context io(1);
    allocation_report report(state);
    report.per_iteration(static_cast<double>(keys.size()));
    for (auto _ : state) {
        workqueue<object_key> queue(io.get_executor());
        for (const auto& key : keys) queue.add(key);
        state.counters["bytes/key"] = bytes_a_key(queue);
    }
}
BENCHMARK(queue_add_distinct)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

/// The same with a delay of an hour.
void queue_delay_distinct(benchmark::State& state)
{
    const auto keys = some_keys(static_cast<std::size_t>(state.range(0)));
    asio::io_context io(1);
    allocation_report report(state);
    report.per_iteration(static_cast<double>(keys.size()));
    for (auto _ : state) {
        workqueue<object_key> queue(io.get_executor());
        for (const auto& key : keys) queue.add_after(key, std::chrono::hours(1));
        state.counters["bytes/key"] = bytes_a_key(queue);
    }
}
BENCHMARK(queue_delay_distinct)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

/// A key that already waits; per key.
void queue_add_again(benchmark::State& state)
{
    const auto keys = some_keys(256);
    asio::io_context io(1);
    workqueue<object_key> queue(io.get_executor());
    queue.add_batch(keys);
    allocation_report report(state);
    report.per_iteration(static_cast<double>(keys.size()));
    for (auto _ : state) queue.add_batch(keys);
}
BENCHMARK(queue_add_again);

} // namespace

} // namespace kubecoro::bench
