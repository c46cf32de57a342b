// Compares short texts: nearly all are below 32 bytes, where a call costs more than the work.
#pragma once

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/hash.hpp>

#include <cstddef>
#include <string_view>

namespace kubecoro::detail {

[[nodiscard]] inline bool same_words(const char* x, const char* y, std::size_t n) noexcept
{
    KUBECORO_EXPECT(n >= 8);
    for (; n > 8; x += 8, y += 8, n -= 8)
        if (load_word(x) != load_word(y)) return false;
    // The last word overlaps the previous one.
    return load_word(x + n - 8) == load_word(y + n - 8);
}

[[nodiscard, gnu::always_inline]] inline bool same_text(std::string_view a, std::string_view b) noexcept
{
    const std::size_t n = a.size();
    if (n != b.size()) return false;
    const char* const x = a.data();
    const char* const y = b.data();
    if (n >= 8) return same_words(x, y, n);
    // Both ends, which overlap if the text is shorter than two halves.
    if (n >= 4) return ((load_half(x) ^ load_half(y)) | (load_half(x + n - 4) ^ load_half(y + n - 4))) == 0;
    return n == 0 || (x[0] == y[0] && x[n / 2] == y[n / 2] && x[n - 1] == y[n - 1]);
}

} // namespace kubecoro::detail
