#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace collections_test {

/// Numbers of a random test.
struct dice
{
    explicit dice(std::uint64_t seed) : from(seed) {}
    std::mt19937_64 from;
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(from() % n); }
};

} // namespace collections_test
