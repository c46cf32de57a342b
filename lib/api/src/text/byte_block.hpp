// Finds bytes in blocks of JSON text: the only place with instructions of particular processors.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#define KUBECORO_WIDE __attribute__((target("avx2,popcnt,pclmul")))
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kubecoro::detail {

/// True for a byte that ends a run of plain text in a string: quote, backslash, control character, or not ASCII.
[[nodiscard]] constexpr bool is_special(char c) noexcept
{
    return c == '"' || c == '\\' || static_cast<unsigned char>(c - 0x20) >= 0x60;
}

[[nodiscard]] constexpr bool is_beyond_ascii(char c) noexcept { return (c & 0x80) != 0; }

[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// '{' and '[' differ in one bit, as do '}' and ']'.
inline constexpr char bracket_bit = 0x20;

/// Uses one byte at a time; the other machines must agree with it.
struct scalar_machine
{
    static constexpr std::size_t width = 1;

    /// Each returns a bit for each byte of a block of `width`.
    [[nodiscard]] static std::uint64_t specials(const char* p) noexcept { return is_special(*p) ? 1 : 0; }
    [[nodiscard]] static std::uint64_t non_blanks(const char* p) noexcept { return is_blank(*p) ? 0 : 1; }
    [[nodiscard]] static std::uint64_t equal(const char* p, char c) noexcept { return *p == c ? 1 : 0; }
    [[nodiscard]] static std::uint64_t equal_brackets(const char* p, char c) noexcept
    {
        return static_cast<char>(*p | bracket_bit) == c ? 1 : 0;
    }
    /// Each bit becomes the parity of itself and all lower bits: ones from an opening quote up to before its closing
    /// one.
    [[nodiscard]] static std::uint64_t parities(std::uint64_t bits) noexcept
    {
        for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
        return bits;
    }
};

#if defined(__x86_64__)

/// Uses the instructions that every processor of the architecture has.
struct native_machine
{
    static constexpr std::size_t width = 16;

    [[nodiscard]] static std::uint64_t specials(const char* p) noexcept
    {
        const __m128i bytes = load(p);
        // The comparison is signed, so that bytes that are not ASCII are below as well.
        const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
        return bits(_mm_or_si128(low, _mm_or_si128(same(bytes, '"'), same(bytes, '\\'))));
    }
    [[nodiscard]] static std::uint64_t non_blanks(const char* p) noexcept
    {
        const __m128i bytes = load(p);
        const __m128i blanks = _mm_or_si128(_mm_or_si128(same(bytes, ' '), same(bytes, '\n')),
                                            _mm_or_si128(same(bytes, '\r'), same(bytes, '\t')));
        return bits(blanks) ^ 0xffff;
    }
    [[nodiscard]] static std::uint64_t equal(const char* p, char c) noexcept { return bits(same(load(p), c)); }
    [[nodiscard]] static std::uint64_t equal_brackets(const char* p, char c) noexcept
    {
        return bits(same(_mm_or_si128(load(p), _mm_set1_epi8(bracket_bit)), c));
    }
    [[nodiscard]] static std::uint64_t parities(std::uint64_t b) noexcept { return scalar_machine::parities(b); }

private:
    static __m128i load(const char* p) noexcept { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
    static __m128i same(__m128i bytes, char c) noexcept { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }
    static std::uint64_t bits(__m128i b) noexcept { return static_cast<std::uint32_t>(_mm_movemask_epi8(b)); }
};

/// Uses AVX2, POPCNT and PCLMUL: only for functions that are compiled for them.
struct wide_machine
{
    static constexpr std::size_t width = 32;

    [[nodiscard]] static bool is_available() noexcept
    {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
    }
    KUBECORO_WIDE static std::uint64_t specials(const char* p) noexcept
    {
        const __m256i bytes = load(p);
        const __m256i low = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), bytes);
        return bits(_mm256_or_si256(low, _mm256_or_si256(same(bytes, '"'), same(bytes, '\\'))));
    }
    KUBECORO_WIDE static std::uint64_t equal(const char* p, char c) noexcept { return bits(same(load(p), c)); }
    KUBECORO_WIDE static std::uint64_t equal_brackets(const char* p, char c) noexcept
    {
        return bits(same(_mm256_or_si256(load(p), _mm256_set1_epi8(bracket_bit)), c));
    }
    /// By a carry-less product.
    KUBECORO_WIDE static std::uint64_t parities(std::uint64_t b) noexcept
    {
        const __m128i factor = _mm_set_epi64x(0, static_cast<long long>(b));
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_clmulepi64_si128(factor, _mm_set1_epi8(-1), 0)));
    }

private:
    KUBECORO_WIDE static __m256i load(const char* p) noexcept
    {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }
    KUBECORO_WIDE static __m256i same(__m256i bytes, char c) noexcept
    {
        return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
    }
    KUBECORO_WIDE static std::uint64_t bits(__m256i b) noexcept
    {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(b));
    }
};

#elif defined(__aarch64__)

/// Uses NEON, which every processor of the architecture has.
struct native_machine
{
    static constexpr std::size_t width = 16;

    [[nodiscard]] static std::uint64_t specials(const char* p) noexcept
    {
        const uint8x16_t bytes = load(p);
        // Signed, so that bytes that are not ASCII are below as well.
        const uint8x16_t low = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20));
        return bits(vorrq_u8(low, vorrq_u8(same(bytes, '"'), same(bytes, '\\'))));
    }
    [[nodiscard]] static std::uint64_t non_blanks(const char* p) noexcept
    {
        const uint8x16_t bytes = load(p);
        return bits(vorrq_u8(vorrq_u8(same(bytes, ' '), same(bytes, '\n')),
                             vorrq_u8(same(bytes, '\r'), same(bytes, '\t')))) ^
               0xffff;
    }
    [[nodiscard]] static std::uint64_t equal(const char* p, char c) noexcept { return bits(same(load(p), c)); }
    [[nodiscard]] static std::uint64_t equal_brackets(const char* p, char c) noexcept
    {
        return bits(same(vorrq_u8(load(p), vdupq_n_u8(static_cast<std::uint8_t>(bracket_bit))), c));
    }
    [[nodiscard]] static std::uint64_t parities(std::uint64_t b) noexcept { return scalar_machine::parities(b); }

private:
    static uint8x16_t load(const char* p) noexcept { return vld1q_u8(reinterpret_cast<const std::uint8_t*>(p)); }
    static uint8x16_t same(uint8x16_t bytes, char c) noexcept
    {
        return vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(c)));
    }
    /// Keeps one bit of each byte and adds up each half.
    static std::uint64_t bits(uint8x16_t b) noexcept
    {
        constexpr std::uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        const uint8x16_t kept = vandq_u8(b, vld1q_u8(places));
        return static_cast<std::uint64_t>(vaddv_u8(vget_low_u8(kept))) |
               static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(kept))) << 8;
    }
};

#else

using native_machine = scalar_machine;

#endif

#if !defined(__x86_64__)

#define KUBECORO_WIDE

/// There are no wider instructions here.
struct wide_machine : native_machine
{
    [[nodiscard]] static bool is_available() noexcept { return false; }
};

#endif

/// The first special byte at or after `p`, or `end`.
[[nodiscard]] inline const char* find_special_narrow(const char* p, const char* end) noexcept
{
    for (; static_cast<std::size_t>(end - p) >= native_machine::width; p += native_machine::width)
        if (const std::uint64_t found = native_machine::specials(p); found != 0) return p + std::countr_zero(found);
    while (p != end && !is_special(*p)) ++p;
    return p;
}

/// The first byte at or after `p` that is no blank, or `end`.
[[nodiscard]] inline const char* skip_blanks(const char* p, const char* end) noexcept
{
    // Servers write no blanks, which are the first of all characters that may be here.
    if (p == end || static_cast<unsigned char>(*p) > ' ') [[likely]]
        return p;
    for (; static_cast<std::size_t>(end - p) >= native_machine::width; p += native_machine::width)
        if (const std::uint64_t found = native_machine::non_blanks(p); found != 0) return p + std::countr_zero(found);
    while (p != end && is_blank(*p)) ++p;
    return p;
}

} // namespace kubecoro::detail
