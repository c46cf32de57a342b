// Encodes JSON with Boost.JSON's parser: the reference for tests of this project's scanner.
#pragma once

#include "tape/tape_writer.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::test {

/// Passes the events of a parser to a tape.
class boost_tape_handler
{
public:
    using view = boost::json::string_view;
    using code = boost::system::error_code;
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    explicit boost_tape_handler(detail::tape_writer& tape) noexcept : tape_(tape) {}

    bool on_document_begin(code&) { return true; }
    bool on_document_end(code&) { return true; }
    bool on_object_begin(code& ec) { return check(tape_.begin_object(), ec); }
    bool on_array_begin(code& ec) { return check(tape_.begin_array(), ec); }
    bool on_object_end(std::size_t, code& ec) { return check(tape_.end(), ec); }
    bool on_array_end(std::size_t, code& ec) { return check(tape_.end(), ec); }
    bool on_key_part(view s, std::size_t, code&) { return add(s); }
    bool on_string_part(view s, std::size_t, code&) { return add(s); }
    bool on_number_part(view s, code&) { return add(s); }
    bool on_comment_part(view, code&) { return true; }
    bool on_comment(view, code&) { return true; }
    bool on_key(view s, std::size_t, code& ec) { return check(tape_.key(whole(s)), ec); }
    bool on_string(view s, std::size_t, code& ec) { return check(tape_.string(whole(s)), ec); }
    bool on_int64(std::int64_t i, view s, code& ec)
    {
        // The parser reads -0 as 0; the server wrote a float.
        const std::string text = whole(s);
        return check(i == 0 && text.front() == '-' ? tape_.number(text) : tape_.integer(i), ec);
    }
    bool on_uint64(std::uint64_t, view s, code& ec) { return check(tape_.number(whole(s)), ec); }
    bool on_double(double, view s, code& ec)
    {
        const std::string text = whole(s);
        return check(!exponent_overflows(text) && tape_.number(text), ec);
    }
    bool on_bool(bool b, code& ec) { return check(tape_.boolean(b), ec); }
    bool on_null(code& ec) { return check(tape_.null(), ec); }

private:
    bool add(view s)
    {
        text_.append(s.data(), s.size());
        return true;
    }
    std::string whole(view s)
    {
        add(s);
        std::string all;
        all.swap(text_);
        return all;
    }
    /// Boost.JSON refuses exponents beyond 31 bits itself before version 1.83.
    static bool exponent_overflows(const std::string& number)
    {
        const auto mark = number.find_first_of("eE");
        if (mark == std::string::npos) return false;
        const auto digits = number.find_first_of("123456789", mark);
        if (digits == std::string::npos) return false;
        std::int32_t exponent = 0;
        return std::from_chars(number.data() + digits, number.data() + number.size(), exponent).ec != std::errc{};
    }
    static bool check(bool ok, code& ec)
    {
        if (!ok) ec = boost::json::error::exception;
        return ok;
    }

    detail::tape_writer& tape_;
    std::string text_;
};

/// Replaces the escapes of lone surrogates, which Boost.JSON refuses, by that of U+FFFD.
inline std::string without_lone_surrogates(std::string_view json)
{
    std::string out(json);
    const auto half_at = [&](std::size_t at) {
        const auto is_hex = [](char c) {
            return std::string_view("0123456789abcdefABCDEF").find(c) != std::string::npos;
        };
        if (out.size() < at + 6 || out[at] != '\\' || out[at + 1] != 'u' || (out[at + 2] | 0x20) != 'd') return ' ';
        if (!std::all_of(out.begin() + static_cast<std::ptrdiff_t>(at + 3),
                         out.begin() + static_cast<std::ptrdiff_t>(at + 6), is_hex))
            return ' ';
        const char c = static_cast<char>(out[at + 3] | 0x20);
        return c >= 'c' ? 'T' : c >= '8' ? 'L' : ' ';
    };
    for (std::size_t at = out.find('\\'); at != std::string::npos; at = out.find('\\', at)) {
        const char half = half_at(at);
        if (half == 'L' && half_at(at + 6) == 'T') {
            at += 12;
            continue;
        }
        if (half != ' ') out.replace(at, 6, "\\ufffd");
        at += 2;
    }
    return out;
}

/// The bytes of the self-contained tape of one JSON value; nothing when the text is refused.
inline std::optional<std::vector<unsigned char>> boost_tape(std::string_view json, std::size_t max_depth)
{
    detail::tape_writer tape(detail::largest_tape, max_depth);
    boost::json::basic_parser<boost_tape_handler> parser({.max_depth = max_depth}, tape);
    const std::string text = without_lone_surrogates(json);
    boost::system::error_code ec;
    const std::size_t taken = parser.write_some(false, text.data(), text.size(), ec);
    if (ec || taken != text.size()) return std::nullopt;
    const auto bytes = tape.bytes();
    return std::vector<unsigned char>(bytes.begin(), bytes.end());
}

} // namespace kubecoro::test
