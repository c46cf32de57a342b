#include "text/json_skipper.hpp"

#include "text/byte_block.hpp"

#include <bit>
#include <cstring>

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

// Templates are always inlined, so that they are compiled for the caller's instruction set.

template<class Machine>
[[gnu::always_inline]] inline marks find(const char* text) noexcept
{
    marks m;
    for (std::size_t at = 0; at < block_size; at += Machine::width) {
        m.quotes |= Machine::equal(text + at, '"') << at;
        m.backslashes |= Machine::equal(text + at, '\\') << at;
        m.opens |= Machine::equal_brackets(text + at, '{') << at;
        m.closes |= Machine::equal_brackets(text + at, '}') << at;
    }
    return m;
}

} // namespace

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

template<class Machine>
[[gnu::always_inline]] inline std::size_t json_skipper::block(const char* text, std::size_t size) noexcept
{
    marks m = find<Machine>(text);
    if (m.backslashes != 0 || escape_) m.quotes &= ~escaped(m.backslashes, size);
    const std::uint64_t inside = Machine::parities(m.quotes) ^ in_string_;
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
[[gnu::always_inline]] inline std::size_t json_skipper::feed_with(std::string_view text) noexcept
{
    std::size_t at = 0;
    while (text.size() - at >= block_size && !done()) at += block<Machine>(text.data() + at, block_size);
    if (at == text.size() || done()) return at;
    // Blanks after the end have no effect.
    char padded[block_size];
    std::memset(padded, ' ', block_size);
    std::memcpy(padded, text.data() + at, text.size() - at);
    return at + block<Machine>(padded, text.size() - at);
}

KUBECORO_WIDE std::size_t json_skipper::feed_wide(std::string_view text) noexcept
{
    return feed_with<wide_machine>(text);
}

bool json_skipper::has_wide_instructions() noexcept { return wide_machine::is_available(); }

std::size_t json_skipper::feed(std::string_view text) noexcept
{
    return wide_ ? feed_wide(text) : feed_with<native_machine>(text);
}

} // namespace kubecoro::detail
