// Random numbers and words that follow from a seed and a purpose, the same on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/** A small random source (splitmix64). It has its own distributions, since the standard ones differ between libraries.

    A value type. `seeded(seed, purpose, index)` gives independent streams: draws for one object do not affect
    another's. */
class seeded
{
public:
    seeded(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index = 0);

    std::uint64_t next();
    /// Uniform in [0, limit); limit > 0.
    std::uint32_t below(std::uint32_t limit);
    /// Uniform in [low, high].
    std::uint32_t between(std::uint32_t low, std::uint32_t high);
    /// True once in `n`.
    bool once_in(std::uint32_t n);
    std::string_view pick(std::span<const std::string_view> words);

    /// `length` characters drawn from `alphabet`.
    std::string text(std::size_t length, std::string_view alphabet);
    std::string hex(std::size_t digits);
    /// A version 4 UUID.
    std::string uuid();

private:
    std::uint64_t state_;
};

/// The API server's alphabet of generated names: no vowels, so no words.
inline constexpr std::string_view name_alphabet = "bcdfghjklmnpqrstvwxz2456789";

/// The numbers below `count` in a random order.
[[nodiscard]] std::vector<std::uint32_t> permutation(std::uint32_t count, seeded random);

} // namespace kubecoro::bench
