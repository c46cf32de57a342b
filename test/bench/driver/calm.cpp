#include "calm.hpp"

#include "process.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace kubecoro::bench {

namespace {

using namespace std::chrono_literals;
using wall = std::chrono::steady_clock;

// Longer than the kernel takes to return freed memory.
constexpr auto calm_enough = 4s;
constexpr auto patience = 40s;
// Other programs run in slices of 4 ms.
constexpr auto stop = 10ms;

/// Keeps a core busy: the host stops only cores that use their share.
void watch(int core, wall::time_point begin, std::atomic<wall::time_point>& last_stop)
{
    pin_this_thread({core});
    for (auto before = wall::now(), now = before; now - begin < patience; before = now) {
        now = wall::now();
        if (now - before > stop) last_stop = now;
        if (now - last_stop.load() > calm_enough) return;
    }
}

} // namespace

bool wait_for_calm(const std::vector<int>& cores)
{
    const auto begin = wall::now();
    std::atomic last_stop = begin;
    {
        std::vector<std::jthread> watchers;
        watchers.reserve(cores.size());
        for (int core : cores) watchers.emplace_back([core, begin, &last_stop] { watch(core, begin, last_stop); });
    }
    return wall::now() - begin < patience;
}

} // namespace kubecoro::bench
