// Hash and comparison of short texts: nearly all are below 32 bytes, where a call costs more than the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kubecoro::detail {

[[nodiscard]] inline std::uint64_t load_word(const char* at) noexcept
{
    std::uint64_t v = 0;
    std::memcpy(&v, at, 8);
    return v;
}

[[nodiscard]] inline std::uint64_t load_half(const char* at) noexcept
{
    std::uint32_t v = 0;
    std::memcpy(&v, at, 4);
    return v;
}

[[nodiscard]] inline std::uint64_t mix(std::uint64_t h, std::uint64_t word) noexcept
{
    h = (h ^ word) * 0x9fb21c651e98df25ull;
    return h ^ (h >> 29);
}

/// The same for equal texts in every run: whoever uses it bounds what texts chosen to collide can cost.
[[nodiscard]] inline std::uint64_t text_hash(std::string_view text) noexcept
{
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t h = (left + 1) * 0x2545f4914f6cdd1dull;
    if (left >= 8) {
        for (; left > 8; at += 8, left -= 8) h = mix(h, load_word(at));
        // The last word overlaps the one before.
        h = mix(h, load_word(at + left - 8));
    } else if (left >= 4) {
        h = mix(h, load_half(at) | (load_half(at + left - 4) << 32));
    } else if (left != 0) {
        const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
        h = mix(h, byte(0) | (byte(left / 2) << 8) | (byte(left - 1) << 16));
    }
    return mix(h, h >> 32);
}

/// Of more than 8 bytes.
[[nodiscard]] inline bool same_words(const char* x, const char* y, std::size_t n) noexcept
{
    for (; n > 8; x += 8, y += 8, n -= 8)
        if (load_word(x) != load_word(y)) return false;
    // The last word overlaps the one before.
    return load_word(x + n - 8) == load_word(y + n - 8);
}

[[nodiscard]] inline bool same_text(std::string_view a, std::string_view b) noexcept
{
    const std::size_t n = a.size();
    if (n != b.size()) return false;
    const char* const x = a.data();
    const char* const y = b.data();
    if (n >= 8) return same_words(x, y, n);
    // Both ends, which overlap where the text is shorter than two halves.
    if (n >= 4) return ((load_half(x) ^ load_half(y)) | (load_half(x + n - 4) ^ load_half(y + n - 4))) == 0;
    return n == 0 || (x[0] == y[0] && x[n / 2] == y[n / 2] && x[n - 1] == y[n - 1]);
}

} // namespace kubecoro::detail
