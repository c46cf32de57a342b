// Waits for a time more precisely than a sleeping thread wakes up.
#pragma once

#include <chrono>
#include <cstdint>

namespace kubecoro::bench {

/// Sleeps until shortly before the time, then polls the clock. Returns at once when it has passed.
void wait_until(std::chrono::steady_clock::time_point moment);

/// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share.
[[nodiscard]] std::uint64_t monotonic_nanoseconds();

} // namespace kubecoro::bench
