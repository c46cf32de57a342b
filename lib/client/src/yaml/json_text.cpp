#include "yaml/document.hpp"

#include <kubecoro/api/detail/utf8.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

using outcome = boost::system::result<json_prefix, json_problem>;

/// `{"":0}` and its comma: a text this short cannot cost too much.
constexpr std::size_t shortest_costly_text = 50'000;

class member_counter
{
public:
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    std::size_t comparisons = 0;

    using code = boost::system::error_code;
    using text = json::string_view;

    bool on_document_begin(code&) { return true; }
    bool on_document_end(code&) { return true; }
    bool on_object_begin(code&) { return true; }
    bool on_object_end(std::size_t members, code&)
    {
        comparisons += members * members / 2;
        return true;
    }
    bool on_array_begin(code&) { return true; }
    bool on_array_end(std::size_t, code&) { return true; }
    bool on_key_part(text, std::size_t, code&) { return true; }
    bool on_key(text, std::size_t, code&) { return true; }
    bool on_string_part(text, std::size_t, code&) { return true; }
    bool on_string(text, std::size_t, code&) { return true; }
    bool on_number_part(text, code&) { return true; }
    bool on_int64(std::int64_t, text, code&) { return true; }
    bool on_uint64(std::uint64_t, text, code&) { return true; }
    bool on_double(double, text, code&) { return true; }
    bool on_bool(bool, code&) { return true; }
    bool on_null(code&) { return true; }
    bool on_comment_part(text, code&) { return true; }
    bool on_comment(text, code&) { return true; }
};

/// The code unit of an escape \uXXXX at `at`; none if there is no such escape.
std::optional<unsigned> code_unit(std::string_view text, std::size_t at)
{
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
    unsigned out = 0;
    for (const char c : text.substr(at + 2, 4)) {
        const char lower = static_cast<char>(c | 0x20);
        const bool digit = c >= '0' && c <= '9';
        if (!digit && (lower < 'a' || lower > 'f')) return std::nullopt;
        out = out * 16 + static_cast<unsigned>(digit ? c - '0' : lower - 'a' + 10);
    }
    return out;
}

/// A surrogate without its other half is U+FFFD in Go.
void replace_lone_surrogates(std::string& text)
{
    for (auto at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
        const auto unit = code_unit(text, at);
        const bool surrogate = unit && (*unit & 0xF800U) == 0xD800U;
        const auto second = surrogate ? code_unit(text, at + 6) : std::nullopt;
        const bool pair = second && *unit < 0xDC00U && (*second & 0xFC00U) == 0xDC00U;
        if (surrogate && !pair) text.replace(at, 6, "\\ufffd");
        at += pair ? 12 : unit ? 6 : 2;
    }
}

/// Numbers as Go writes them again. False: there is one that no double can hold.
// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
bool settle_numbers(json::value& v)
{
    if (const auto* number = v.if_double()) {
        if (!std::isfinite(*number)) return false;
        v = whole_number(*number);
    }
    if (auto* array = v.if_array())
        return std::all_of(array->begin(), array->end(), [](auto& item) { return settle_numbers(item); });
    auto* object = v.if_object();
    return !object || std::all_of(object->begin(), object->end(), [](auto&& m) { return settle_numbers(m.value()); });
}

} // namespace

std::size_t key_comparisons(std::string_view text, std::size_t max_depth)
{
    if (text.size() < shortest_costly_text) return 0;
    json::parse_options options;
    options.max_depth = max_depth;
    json::basic_parser<member_counter> parser(options);
    boost::system::error_code ec;
    parser.write_some(false, text.data(), text.size(), ec);
    return parser.handler().comparisons;
}

yaml_place place_in(std::string_view text, std::size_t at)
{
    const auto before = text.substr(0, at);
    const auto line = before.rfind('\n');
    return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
            line == before.npos ? before.size() : before.size() - line - 1};
}

boost::system::result<json_prefix, json_problem> read_json_prefix(std::string_view text, std::size_t most_depth,
                                                                  std::size_t most_comparisons)
{
    const auto fail = [](std::size_t at, std::string what, bool may_be_yaml = false) {
        return outcome(boost::system::in_place_error, json_problem{at, std::move(what), may_be_yaml});
    };
    // Before anything is built of it.
    if (key_comparisons(text, most_depth) > most_comparisons) return fail(0, "an object has too many members");
    std::string repaired;
    if (text.find("\\ud") != text.npos || text.find("\\uD") != text.npos) {
        repaired = text;
        replace_lone_surrogates(repaired);
    }
    json::parse_options options;
    options.max_depth = most_depth;
    options.allow_invalid_utf8 = true; // replaced below, as in Go
    json::parser parser({}, options);
    boost::system::error_code ec;
    const std::string_view source = repaired.empty() ? text : repaired;
    auto size = parser.write_some(source.data(), source.size(), ec);
    if (ec == json::error::too_deep) return fail(size, "nested too deeply");
    if (ec == json::error::exponent_overflow) return fail(size, "a number is too large");
    if (ec)
        return fail(size, ec == json::error::incomplete ? "JSON ends too early" : "not JSON: " + ec.message(), true);
    auto value = parser.release();
    if (const auto read = source.substr(0, size); !is_utf8(read)) {
        auto again = read_json_prefix(valid_utf8(read), most_depth, most_comparisons);
        if (!again) return again;
        value = std::move(again->value);
    }
    if (!settle_numbers(value)) return fail(0, "a number is too large");
    // Boost has read the white space behind it.
    while (size > 0 && std::string_view(" \t\r\n").find(source[size - 1]) != std::string_view::npos) --size;
    return json_prefix{std::move(value), size};
}

} // namespace kubecoro::detail
