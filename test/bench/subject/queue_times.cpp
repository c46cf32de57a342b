#include "queue_times.hpp"

#include <kubecoro/controller/workqueue.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace kubecoro::bench {

namespace {

constexpr std::size_t keys = 1'000'000;

std::vector<object_key> distinct_keys()
{
    std::vector<object_key> all;
    all.reserve(keys);
    char name[32];
    for (std::size_t i = 0; i < keys; ++i) {
        std::snprintf(name, sizeof name, "pod-%07zu", i);
        all.emplace_back("namespace-" + std::to_string(i % 100), name);
    }
    return all;
}

double per_key(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / keys;
}

} // namespace

boost::asio::awaitable<queue_times> measure_queue(boost::asio::any_io_executor executor)
{
    const auto all = distinct_keys();
    workqueue<object_key> queue(std::move(executor));
    queue_times t;
    auto begin = std::chrono::steady_clock::now();
    for (const auto& key : all) queue.add(key);
    t.add = per_key(begin);
    queue.shut_down();
    begin = std::chrono::steady_clock::now();
    while (auto item = co_await queue.get()) item->succeeded();
    t.get_done = per_key(begin);
    co_return t;
}

} // namespace kubecoro::bench
