#include "text/json_text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kubecoro::detail {

namespace {

constexpr std::size_t escape_size = 6; // \uXXXX
constexpr unsigned replacement = 0xfffd;

/// The value of a hexadecimal digit; 16 = it is none.
unsigned hex_value(char c) noexcept
{
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
}

enum class form
{
    whole,
    cut,
    other
};

/// Reads \uXXXX at the start of a text.
form read_code(std::string_view text, unsigned& code) noexcept
{
    code = 0;
    for (std::size_t i = 0; i < escape_size; ++i) {
        if (i == text.size()) return form::cut;
        const unsigned digit = hex_value(text[i]);
        if (i == 0 ? text[i] != '\\' : i == 1 ? text[i] != 'u' : digit == 16) return form::other;
        if (i >= 2) code = code * 16 + digit;
    }
    return form::whole;
}

bool is_leading(unsigned code) noexcept { return code >= 0xd800 && code < 0xdc00; }
bool is_trailing(unsigned code) noexcept { return code >= 0xdc00 && code < 0xe000; }

text_unit unit_of(std::size_t size, unsigned code) noexcept
{
    text_unit u;
    u.size = size;
    const auto put = [&u](unsigned byte) { u.utf8[u.utf8_size++] = static_cast<char>(byte); };
    const auto put_rest = [&](unsigned bytes) {
        while (bytes-- != 0) put(0x80 | ((code >> (6 * bytes)) & 0x3f));
    };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | (code >> 6));
        put_rest(1);
    } else if (code < 0x10000) {
        put(0xe0 | (code >> 12));
        put_rest(2);
    } else {
        put(0xf0 | (code >> 18));
        put_rest(3);
    }
    return u;
}

text_unit wrong(const char* problem) noexcept
{
    text_unit u;
    u.problem = problem;
    return u;
}

text_unit read_code_unit(std::string_view text) noexcept
{
    unsigned code = 0;
    const form first = read_code(text, code);
    if (first == form::cut) return {};
    if (first == form::other) return wrong("invalid escape");
    if (is_trailing(code)) return unit_of(escape_size, replacement);
    if (!is_leading(code)) return unit_of(escape_size, code);
    unsigned trailing = 0;
    const form second = read_code(text.substr(escape_size), trailing);
    if (second == form::cut) return {};
    if (second == form::other || !is_trailing(trailing)) return unit_of(escape_size, replacement);
    return unit_of(2 * escape_size, 0x10000 + ((code - 0xd800) << 10) + (trailing - 0xdc00));
}

text_unit read_escape(std::string_view text) noexcept
{
    if (text.size() < 2) return {};
    switch (text[1]) {
    case '"':
    case '\\':
    case '/':
        return unit_of(2, static_cast<unsigned char>(text[1]));
    case 'b':
        return unit_of(2, '\b');
    case 'f':
        return unit_of(2, '\f');
    case 'n':
        return unit_of(2, '\n');
    case 'r':
        return unit_of(2, '\r');
    case 't':
        return unit_of(2, '\t');
    case 'u':
        return read_code_unit(text);
    default:
        return wrong("invalid escape");
    }
}

/// The range of the second byte of a sequence and the number of bytes; size 0 = no sequence begins so.
struct utf8_form
{
    std::size_t size = 0;
    unsigned char least = 0x80;
    unsigned char most = 0xbf;
};

/// Excludes overlong forms, surrogates, and what is beyond U+10FFFF.
utf8_form utf8_form_of(unsigned char lead) noexcept
{
    if (lead >= 0xc2 && lead <= 0xdf) return {2};
    if (lead == 0xe0) return {3, 0xa0};
    if (lead == 0xed) return {3, 0x80, 0x9f};
    if (lead >= 0xe1 && lead <= 0xef) return {3};
    if (lead == 0xf0) return {4, 0x90};
    if (lead >= 0xf1 && lead <= 0xf3) return {4};
    if (lead == 0xf4) return {4, 0x80, 0x8f};
    return {};
}

text_unit read_character(std::string_view text) noexcept
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const utf8_form f = utf8_form_of(byte(0));
    if (f.size == 0) return wrong("invalid UTF-8");
    const std::size_t there = std::min(f.size, text.size());
    for (std::size_t i = 1; i < there; ++i)
        if (byte(i) < (i == 1 ? f.least : 0x80) || byte(i) > (i == 1 ? f.most : 0xbf)) return wrong("invalid UTF-8");
    text_unit u;
    if (there != f.size) return u;
    u.size = u.utf8_size = f.size;
    std::memcpy(u.utf8, text.data(), f.size);
    return u;
}

// Before it is initialised, the narrow machine is used.
const bool has_wide_machine = wide_machine::is_available();

} // namespace

text_unit read_unit(std::string_view text) noexcept
{
    return text.front() == '\\' ? read_escape(text) : read_character(text);
}

std::size_t utf8_size(std::string_view text) noexcept { return read_character(text).size; }

KUBECORO_WIDE const char* find_special_wide(const char* p, const char* end) noexcept
{
    for (; static_cast<std::size_t>(end - p) >= wide_machine::width; p += wide_machine::width)
        if (const std::uint64_t found = wide_machine::specials(p); found != 0) return p + std::countr_zero(found);
    return find_special_narrow(p, end);
}

const char* find_special_far(const char* p, const char* end) noexcept
{
    return has_wide_machine ? find_special_wide(p, end) : find_special_narrow(p, end);
}

const char* json_number::feed(const char* p, const char* end) noexcept
{
    for (; p != end; ++p) {
        if (at_ == place::fraction) {
            while (p != end && is_digit(*p)) ++p;
            if (p == end) break;
        }
        const place next = after(*p);
        if (next == place::broken) {
            // A number that may end here has ended, all others are wrong.
            if (exponent_overflows_) at_ = place::broken;
            return p;
        }
        at_ = next;
    }
    return p;
}

json_number::place json_number::after(char c) noexcept
{
    if (is_digit(c)) return after_digit(static_cast<unsigned>(c - '0'));
    const bool in_mantissa = at_ == place::zero || at_ == place::digits;
    if (c == '.' && in_mantissa) return place::point;
    if ((c == 'e' || c == 'E') && (in_mantissa || at_ == place::fraction)) return place::exponent_mark;
    if ((c == '+' || c == '-') && at_ == place::exponent_mark) return place::exponent_sign;
    if (c == '-' && at_ == place::begin) {
        negative_ = true;
        return place::minus;
    }
    return place::broken;
}

json_number::place json_number::after_digit(unsigned digit) noexcept
{
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    constexpr std::uint32_t largest_exponent = std::numeric_limits<std::int32_t>::max();
    switch (at_) {
    case place::begin:
    case place::minus:
    case place::digits:
        integer_overflows_ = integer_overflows_ || value_ > (largest - digit) / 10;
        value_ = 10 * value_ + digit;
        return at_ != place::digits && digit == 0 ? place::zero : place::digits;
    case place::point:
    case place::fraction:
        return place::fraction;
    case place::exponent_mark:
    case place::exponent_sign:
    case place::exponent:
        exponent_overflows_ = exponent_ > (largest_exponent - digit) / 10;
        exponent_ = 10 * exponent_ + digit;
        return exponent_overflows_ ? place::broken : place::exponent;
    case place::zero:
    case place::broken:
        break;
    }
    return place::broken;
}

std::optional<std::int64_t> json_number::integer() const noexcept
{
    if (at_ != place::zero && at_ != place::digits) return std::nullopt;
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    if (integer_overflows_ || value_ > largest + (negative_ ? 1 : 0) || (negative_ && value_ == 0)) return std::nullopt;
    return static_cast<std::int64_t>(negative_ ? 0 - value_ : value_);
}

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
