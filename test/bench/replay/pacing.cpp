#include "pacing.hpp"

#include <ctime>
#include <thread>

namespace kubecoro::bench {
namespace {

/// The time by which a sleep may overshoot on a busy machine.
constexpr std::chrono::microseconds watched{80};

} // namespace

void wait_until(std::chrono::steady_clock::time_point moment)
{
    using clock = std::chrono::steady_clock;
    if (clock::now() + watched < moment)
        std::this_thread::sleep_until(moment - watched); // rule aside: pacing is its purpose
    while (clock::now() < moment) {
    }
}

std::uint64_t monotonic_nanoseconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace kubecoro::bench
