#include "decode/json_skipper.hpp"

#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#define KUBECORO_WIDE __attribute__((target("avx2,popcnt,pclmul")))
#endif

namespace kubecoro::detail {
namespace {

constexpr std::size_t block_size = 64;

/// One bit for each byte of a block.
struct marks
{
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t opens = 0;
    std::uint64_t closes = 0;
};

// '{' and '[' differ in one bit, as do '}' and ']'.
constexpr char bracket_bit = 0x20;

#ifdef __x86_64__

std::uint64_t equal(__m128i bytes, char c) noexcept
{
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
}

KUBECORO_WIDE std::uint64_t equal(__m256i bytes, char c) noexcept
{
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c))));
}

marks marks_of(const char* text) noexcept
{
    marks m;
    for (unsigned at = 0; at < block_size; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
        const __m128i brackets = _mm_or_si128(bytes, _mm_set1_epi8(bracket_bit));
        m.quotes |= equal(bytes, '"') << at;
        m.backslashes |= equal(bytes, '\\') << at;
        m.opens |= equal(brackets, '{') << at;
        m.closes |= equal(brackets, '}') << at;
    }
    return m;
}

#else

marks marks_of(const char* text) noexcept
{
    marks m;
    for (unsigned at = 0; at < block_size; ++at) {
        const std::uint64_t bit = std::uint64_t{1} << at;
        const char bracket = static_cast<char>(text[at] | bracket_bit);
        if (text[at] == '"') m.quotes |= bit;
        if (text[at] == '\\') m.backslashes |= bit;
        if (bracket == '{') m.opens |= bit;
        if (bracket == '}') m.closes |= bit;
    }
    return m;
}

#endif

} // namespace

/// Uses only instructions that every processor of the architecture has.
struct json_skipper::narrow_machine
{
    static marks find(const char* text) noexcept { return marks_of(text); }
    /// Each bit becomes the parity of itself and all lower bits: ones from an opening quote up to before its closing
    /// one.
    static std::uint64_t between(std::uint64_t quotes) noexcept
    {
        for (unsigned shift = 1; shift < block_size; shift *= 2) quotes ^= quotes << shift;
        return quotes;
    }
};

/// The bytes escaped by a backslash; bit 0 if the previous block ends with one.
std::uint64_t json_skipper::escaped(std::uint64_t backslashes, std::size_t size) noexcept
{
    std::uint64_t out = escape_ ? 1 : 0;
    escape_ = false;
    for (std::uint64_t left = backslashes & ~out; left != 0;) {
        const auto at = static_cast<unsigned>(std::countr_zero(left));
        if (at + 1 == size) {
            escape_ = true;
            break;
        }
        // An escaped backslash does not escape.
        out |= std::uint64_t{2} << at;
        left &= ~(std::uint64_t{3} << at);
    }
    return out;
}

// Always inlined, so that they are compiled for the caller's instruction set.

/// Processes up to 64 bytes, of which the first `size` count. @return the bytes consumed.
template<class Machine>
[[gnu::always_inline]] inline std::size_t json_skipper::block(Machine machine, const char* text,
                                                              std::size_t size) noexcept
{
    marks m = machine.find(text);
    if (m.backslashes != 0 || escape_) m.quotes &= ~escaped(m.backslashes, size);
    const std::uint64_t inside = machine.between(m.quotes) ^ in_string_;
    in_string_ = (inside >> (block_size - 1)) != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t opens = m.opens & ~inside;
    const std::uint64_t closes = m.closes & ~inside;
    const auto closing = static_cast<std::size_t>(std::popcount(closes));
    if (closing < depth_) {
        depth_ += static_cast<std::size_t>(std::popcount(opens)) - closing;
        return size;
    }
    for (std::uint64_t left = opens | closes; left != 0; left &= left - 1) {
        const auto at = static_cast<unsigned>(std::countr_zero(left));
        if (((opens >> at) & 1) != 0)
            ++depth_;
        else if (--depth_ == 0)
            return at + std::size_t{1};
    }
    return size;
}

template<class Machine>
[[gnu::always_inline]] inline std::size_t json_skipper::feed_with(Machine machine, std::string_view text) noexcept
{
    std::size_t at = 0;
    while (text.size() - at >= block_size && !done()) at += block(machine, text.data() + at, block_size);
    if (at == text.size() || done()) return at;
    // Blanks after the end have no effect.
    char padded[block_size];
    std::memset(padded, ' ', block_size);
    std::memcpy(padded, text.data() + at, text.size() - at);
    return at + block(machine, padded, text.size() - at);
}

#ifdef __x86_64__

struct json_skipper::wide_machine
{
    KUBECORO_WIDE static marks find(const char* text) noexcept
    {
        marks m;
        for (unsigned at = 0; at < block_size; at += 32) {
            const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at));
            const __m256i brackets = _mm256_or_si256(bytes, _mm256_set1_epi8(bracket_bit));
            m.quotes |= equal(bytes, '"') << at;
            m.backslashes |= equal(bytes, '\\') << at;
            m.opens |= equal(brackets, '{') << at;
            m.closes |= equal(brackets, '}') << at;
        }
        return m;
    }
    /// As in `narrow_machine`, by a carry-less product.
    KUBECORO_WIDE static std::uint64_t between(std::uint64_t quotes) noexcept
    {
        const __m128i bits = _mm_set_epi64x(0, static_cast<long long>(quotes));
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_clmulepi64_si128(bits, _mm_set1_epi8(-1), 0)));
    }
};

bool json_skipper::has_wide_instructions() noexcept
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
}

KUBECORO_WIDE std::size_t json_skipper::feed_wide(std::string_view text) noexcept
{
    return feed_with(wide_machine(), text);
}

#else

bool json_skipper::has_wide_instructions() noexcept { return false; }
std::size_t json_skipper::feed_wide(std::string_view text) noexcept { return feed_with(narrow_machine(), text); }

#endif

std::size_t json_skipper::feed(std::string_view text) noexcept
{
    return wide_ ? feed_wide(text) : feed_with(narrow_machine(), text);
}

} // namespace kubecoro::detail
