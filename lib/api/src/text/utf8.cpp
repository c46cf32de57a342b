#include <kubecoro/api/detail/utf8.hpp>

#include <cstring>

namespace kubecoro::detail {
namespace {

constexpr bool is_continuation(unsigned char c) noexcept { return (c & 0xc0) == 0x80; }

/// The length of the valid character at the start of `s`, which is not empty; 0 if there is none.
std::size_t character(std::string_view s) noexcept
{
    const auto byte = [s](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || s.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if (!is_continuation(byte(i))) return 0;
    // Overlong forms, surrogates, and what is above U+10FFFF.
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return size;
}

/// The number of ASCII bytes at the start.
std::size_t ascii_prefix(std::string_view s) noexcept
{
    std::size_t n = 0;
    for (std::uint64_t word = 0; n + sizeof(word) <= s.size(); n += sizeof(word)) {
        std::memcpy(&word, s.data() + n, sizeof(word));
        if ((word & 0x8080808080808080u) != 0) break;
    }
    while (n < s.size() && static_cast<unsigned char>(s[n]) < 0x80) ++n;
    return n;
}

/// The number of bytes at the start that form valid characters.
std::size_t valid_prefix(std::string_view s) noexcept
{
    std::size_t n = ascii_prefix(s);
    while (n < s.size()) {
        const std::size_t size = character(s.substr(n));
        if (size == 0) return n;
        n += size;
        if (size == 1) n += ascii_prefix(s.substr(n));
    }
    return n;
}

} // namespace

bool is_valid_utf8(std::string_view text) noexcept { return valid_prefix(text) == text.size(); }

void append_valid_utf8(std::string& out, std::string_view text)
{
    for (;;) {
        const std::size_t valid = valid_prefix(text);
        out += text.substr(0, valid);
        if (valid == text.size()) return;
        out += "\ufffd";
        text.remove_prefix(valid + 1);
    }
}

std::string valid_utf8(std::string_view text)
{
    std::string out;
    append_valid_utf8(out, text);
    return out;
}

} // namespace kubecoro::detail
