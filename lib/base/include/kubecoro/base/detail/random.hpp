#pragma once

#include <cstdint>
#include <random>

namespace kubecoro::detail {

/** The source of jitter: a plain engine, seeded by the owner, so that a run can be repeated.

    A value type, not thread safe; every sans-io core owns one. */
using random_source = std::mt19937_64;

/// An unpredictable seed, from the system.
[[nodiscard]] inline std::uint64_t random_seed()
{
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
}

/// Uniform in [0, 1), the same on every platform for the same engine state.
[[nodiscard]] inline double next_unit(random_source& engine) noexcept
{
    return static_cast<double>(engine() >> 11) * 0x1.0p-53;
}

} // namespace kubecoro::detail
