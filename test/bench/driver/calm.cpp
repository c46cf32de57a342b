#include "calm.hpp"

#include "process.hpp"
#include "warm.hpp"

#include <atomic>
#include <chrono>
#include <iostream>
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

/// Freed memory beyond which the next subject could be affected.
constexpr std::uint64_t much_memory = 250'000'000;

/// After this number of failed waits the machine never becomes calm: no further waits.
constexpr int most_restless = 3;

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

void calm_machine::warm()
{
    warm_memory(warm_mb_);
    left_behind_ = warm_mb_ * 1'000'000;
}

void calm_machine::calm_down()
{
    if (warm_mb_ != 0 && left_behind_ > much_memory && restless_ < most_restless && !wait_for_calm({0, 1})) {
        ++restless_;
        std::cerr << "  (the machine does not calm down)" << std::flush;
    }
    left_behind_ = 0;
}

void calm_machine::left_unknown() noexcept { left_behind_ = much_memory + 1; }

} // namespace kubecoro::bench
