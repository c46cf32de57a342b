#include "json_skipper.hpp"

#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kubecoro::detail {
namespace {

constexpr std::size_t block_size = 64;

/// A bit for each byte of a block.
struct marks
{
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t opens = 0;
    std::uint64_t closes = 0;
};

// '{' and '[' differ in one bit, and so do '}' and ']'.
constexpr char bracket_bit = 0x20;

#ifdef __SSE2__

std::uint64_t equal(__m128i bytes, char c) noexcept
{
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
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

/// Each bit becomes the parity of itself and those below: ones from an opening quote up to before its closing one.
std::uint64_t between(std::uint64_t quotes) noexcept
{
    for (unsigned shift = 1; shift < block_size; shift *= 2) quotes ^= quotes << shift;
    return quotes;
}

} // namespace

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
        // What is escaped is no escape itself.
        out |= std::uint64_t{2} << at;
        left &= ~(std::uint64_t{3} << at);
    }
    return out;
}

std::size_t json_skipper::block(const char* text, std::size_t size) noexcept
{
    marks m = marks_of(text);
    if (m.backslashes != 0 || escape_) m.quotes &= ~escaped(m.backslashes, size);
    const std::uint64_t inside = between(m.quotes) ^ in_string_;
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

std::size_t json_skipper::feed(std::string_view text) noexcept
{
    std::size_t at = 0;
    while (at < text.size() && !done()) {
        const std::size_t size = text.size() - at < block_size ? text.size() - at : block_size;
        if (size == block_size) {
            at += block(text.data() + at, size);
            continue;
        }
        // Blanks behind the end change nothing.
        char padded[block_size];
        std::memset(padded, ' ', block_size);
        std::memcpy(padded, text.data() + at, size);
        at += block(padded, size);
    }
    return at;
}

} // namespace kubecoro::detail
