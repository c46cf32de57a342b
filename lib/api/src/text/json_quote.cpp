#include "text/json_quote.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kubecoro::detail {

namespace {

void append_escape(std::string& out, char c)
{
    static constexpr char hex[] = "0123456789abcdef";
    out += '\\';
    switch (c) {
    case '"':
    case '\\':
        out += c;
        break;
    case '\b':
        out += 'b';
        break;
    case '\f':
        out += 'f';
        break;
    case '\n':
        out += 'n';
        break;
    case '\r':
        out += 'r';
        break;
    case '\t':
        out += 't';
        break;
    default:
        out += "u00";
        out += hex[static_cast<unsigned char>(c) >> 4];
        out += hex[static_cast<unsigned char>(c) & 15];
    }
}

/// Whether one of the bytes of a word is special, as is_special() has it.
template<class Word>
bool has_special(const char* p) noexcept
{
    constexpr Word ones = static_cast<Word>(~Word{0}) / 0xff;
    Word word;
    std::memcpy(&word, p, sizeof word);
    // The top bit of a byte is set if the byte is not ASCII, below a space, a quote or a backslash. A borrow reaches only
    // bytes above one of these.
    const Word found = word | (word - ones * 0x20) | ((word ^ (ones * '"')) - ones) | ((word ^ (ones * '\\')) - ones);
    return (found & (ones * 0x80)) != 0;
}

/// Whether a text is plain ASCII without escapes. Most texts are names, for which find_special() takes byte by byte.
bool is_plain(std::string_view text) noexcept
{
    const char* p = text.data();
    const char* const end = p + text.size();
    if (text.size() >= 2 * native_machine::width) return find_special(p, end) == end;
    for (; end - p >= 8; p += 8)
        if (has_special<std::uint64_t>(p)) return false;
    if (end - p >= 4) {
        if (has_special<std::uint32_t>(p)) return false;
        p += 4;
    }
    return std::none_of(p, end, is_special);
}

void append_escaped(std::string& out, std::string_view text)
{
    const char* const end = text.data() + text.size();
    // Copied up to here.
    const char* plain = text.data();
    for (const char* at = find_special(plain, end); at != end; at = find_special(at + 1, end)) {
        if (is_beyond_ascii(*at)) continue;
        out.append(plain, at);
        append_escape(out, *at);
        plain = at + 1;
    }
    out.append(plain, end);
}

} // namespace

void append_quoted(std::string& out, std::string_view text)
{
    if (is_plain(text)) {
        const auto before = out.size();
        out.append(text.size() + 2, '"');
        std::copy(text.begin(), text.end(), out.data() + before + 1);
        return;
    }
    out += '"';
    append_escaped(out, text);
    out += '"';
}

} // namespace kubecoro::detail
