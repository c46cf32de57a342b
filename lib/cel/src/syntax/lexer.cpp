#include "syntax/lexer.hpp"

#include "text/runes.hpp"
#include "values/make.hpp"

#include <array>

namespace kubecoro::cel::detail {

namespace {

bool is_name_start(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) noexcept { return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

constexpr std::array<std::string_view, 24> signs{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}",
                                                 "(",  ")",  ".",  ",",  "-",  "!",  "?", ":", "+", "*", "/", "%"};

} // namespace

void lexer::skip_space()
{
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
            ++at_;
        } else if (c == '/' && peek(1) == '/') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            return;
        }
    }
}

token lexer::make(token_kind kind, std::size_t size)
{
    const token out{kind, at_, text_.substr(at_, size)};
    at_ += size;
    return out;
}

token lexer::number()
{
    std::size_t size = 0;
    if (peek(0) == '0' && peek(1) == 'x' && is_hexadecimal(peek(2))) {
        size = 2;
        while (is_hexadecimal(peek(size))) ++size;
    } else {
        while (is_decimal(peek(size))) ++size;
        bool is_real = false;
        if (peek(size) == '.' && is_decimal(peek(size + 1))) {
            is_real = true;
            for (++size; is_decimal(peek(size));) ++size;
        }
        if (peek(size) == 'e' || peek(size) == 'E') {
            const std::size_t sign = peek(size + 1) == '+' || peek(size + 1) == '-' ? 1 : 0;
            if (is_decimal(peek(size + 1 + sign))) {
                is_real = true;
                for (size += 1 + sign; is_decimal(peek(size));) ++size;
            }
        }
        if (is_real) return make(token_kind::real, size);
    }
    if (peek(size) == 'u' || peek(size) == 'U') return make(token_kind::natural, size + 1);
    return make(token_kind::integer, size);
}

token lexer::quoted(std::size_t prefix, bool is_raw, token_kind kind)
{
    const char quote = peek(prefix);
    const bool is_long = peek(prefix + 1) == quote && peek(prefix + 2) == quote;
    std::size_t size = prefix + (is_long ? 3 : 1);
    for (; at_ + size < text_.size(); ++size) {
        const char c = peek(size);
        if (c == '\\' && !is_raw) {
            ++size;
        } else if (c == quote && (!is_long || (peek(size + 1) == quote && peek(size + 2) == quote))) {
            return make(kind, size + (is_long ? 3 : 1));
        } else if (!is_long && (c == '\n' || c == '\r')) {
            break;
        }
    }
    return make(token_kind::bad, std::min(size, text_.size() - at_));
}

token lexer::next()
{
    skip_space();
    if (at_ >= text_.size()) return {token_kind::end, text_.size(), {}};
    const char c = peek(0);
    const auto is_quote = [](char each) { return each == '"' || each == '\''; };
    if (is_quote(c)) return quoted(0, false, token_kind::string);
    const bool is_bytes = c == 'b' || c == 'B';
    const bool is_raw = c == 'r' || c == 'R';
    if (is_bytes && is_quote(peek(1))) return quoted(1, false, token_kind::bytes);
    if (is_bytes && (peek(1) == 'r' || peek(1) == 'R') && is_quote(peek(2))) return quoted(2, true, token_kind::bytes);
    if (is_raw && is_quote(peek(1))) return quoted(1, true, token_kind::string);
    if (is_decimal(c) || (c == '.' && is_decimal(peek(1)))) return number();
    if (is_name_start(c)) {
        std::size_t size = 1;
        while (is_name_start(peek(size)) || is_decimal(peek(size))) ++size;
        const auto word = text_.substr(at_, size);
        const bool is_sign = word == "in" || word == "true" || word == "false" || word == "null";
        return make(is_sign ? token_kind::sign : token_kind::identifier, size);
    }
    if (c == '`') {
        std::size_t size = 1;
        while (is_name_start(peek(size)) || is_decimal(peek(size)) ||
               (peek(size) != '\0' && std::string_view(".-/ ").find(peek(size)) != std::string_view::npos))
            ++size;
        if (size > 1 && peek(size) == '`') return make(token_kind::quoted_identifier, size + 1);
        return make(token_kind::bad, 1);
    }
    for (const auto sign : signs)
        if (text_.substr(at_).starts_with(sign)) return make(token_kind::sign, sign.size());
    return make(token_kind::bad, first_rune(text_.substr(at_)).size);
}

namespace {

constexpr std::string_view letters = "abfnrtv\\'\"`?";
const std::string bad_escape = "Syntax error: token recognition error at";
constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"`?";

/// A number of some digits; nothing if there are fewer.
std::optional<std::uint32_t> take_digits(std::string_view& text, std::size_t count, unsigned base)
{
    if (text.size() < count) return std::nullopt;
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const char c = text[i];
        const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                               : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                      : 16;
        if (digit >= base) return std::nullopt;
        out = out * base + digit;
    }
    text.remove_prefix(count);
    return out;
}

/// Appends what an escape means, and takes it off the front of the text, which begins behind the backslash.
/// Returns what is wrong with it.
std::string append_escape(std::string& out, std::string_view& text, bool is_bytes)
{
    if (text.empty()) return bad_escape;
    const char c = text[0];
    if (const auto found = letters.find(c); found != std::string_view::npos) {
        out += meanings[found];
        text.remove_prefix(1);
        return {};
    }
    std::optional<std::uint32_t> number;
    if (c >= '0' && c <= '3') {
        number = take_digits(text, 3, 8);
    } else if (c == 'x' || c == 'X' || ((c == 'u' || c == 'U') && !is_bytes)) {
        text.remove_prefix(1);
        number = take_digits(text, c == 'u' ? 4 : c == 'U' ? 8 : 2, 16);
    }
    if (!number) return bad_escape;
    if (!is_bytes && !is_rune(*number)) return "invalid unicode code point";
    if (is_bytes)
        out += static_cast<char>(*number);
    else
        append_rune(out, *number);
    return {};
}

} // namespace

value unquote(const token& from)
{
    std::string_view text = from.text;
    const bool is_bytes = from.kind == token_kind::bytes;
    if (is_bytes) text.remove_prefix(1);
    const bool is_raw = text[0] == 'r' || text[0] == 'R';
    if (is_raw) text.remove_prefix(1);
    const std::size_t quotes = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
    text = text.substr(quotes, text.size() - 2 * quotes);
    std::string out;
    while (!text.empty()) {
        const char c = text[0];
        text.remove_prefix(1);
        if (c == '\\' && !is_raw) {
            if (const auto problem = append_escape(out, text, is_bytes); !problem.empty())
                return make_error(problem == bad_escape ? problem + ": '" + std::string(from.text) + "'" : problem);
        } else if (c == '\r') {
            // All ends of lines are the same.
            out += '\n';
            if (text.starts_with('\n')) text.remove_prefix(1);
        } else {
            out += c;
        }
    }
    return is_bytes ? make_bytes(std::move(out)) : value(std::move(out));
}

} // namespace kubecoro::cel::detail
