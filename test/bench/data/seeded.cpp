#include "seeded.hpp"

#include <numeric>
#include <utility>

namespace kubecoro::bench {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

std::uint64_t mix(std::uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

} // namespace

seeded::seeded(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index)
    : state_(mix(mix(mix(seed + golden) + purpose * golden) + index * golden))
{
}

std::uint64_t seeded::next()
{
    state_ += golden;
    return mix(state_);
}

std::uint32_t seeded::below(std::uint32_t limit) { return static_cast<std::uint32_t>(((next() >> 32) * limit) >> 32); }

std::uint32_t seeded::between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }

bool seeded::once_in(std::uint32_t n) { return below(n) == 0; }

std::string_view seeded::pick(std::span<const std::string_view> words)
{
    return words[below(static_cast<std::uint32_t>(words.size()))];
}

std::string seeded::text(std::size_t length, std::string_view alphabet)
{
    std::string out(length, ' ');
    for (char& c : out) c = alphabet[below(static_cast<std::uint32_t>(alphabet.size()))];
    return out;
}

std::string seeded::hex(std::size_t digits)
{
    std::string out(digits, '0');
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < digits; ++i, bits >>= 4) {
        if (i % 16 == 0) bits = next();
        out[i] = "0123456789abcdef"[bits & 15];
    }
    return out;
}

std::string seeded::uuid()
{
    std::string d = hex(32);
    d[12] = '4';
    d[16] = "89ab"[below(4)];
    return d.substr(0, 8) + '-' + d.substr(8, 4) + '-' + d.substr(12, 4) + '-' + d.substr(16, 4) + '-' + d.substr(20);
}

std::vector<std::uint32_t> permutation(std::uint32_t count, seeded random)
{
    std::vector<std::uint32_t> out(count);
    std::iota(out.begin(), out.end(), 0U);
    for (std::uint32_t i = count; i > 1; --i) std::swap(out[i - 1], out[random.below(i)]);
    return out;
}

} // namespace kubecoro::bench
