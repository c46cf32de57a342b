#include <kubecoro/api/detail/utf8.hpp>

#include "library/functions.hpp"
#include "values/write.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace kubecoro::cel::detail {

namespace {

value conversion_error(const value& from, std::string_view to)
{
    return make_error("type conversion error from '" + std::string(type_name(from)) + "' to '" + std::string(to) + "'");
}

/// A whole number as Go's strconv reads it, which may begin with a plus.
template<class T>
std::optional<T> parse_whole(std::string_view text)
{
    if (std::is_signed_v<T> && text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    T out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return out;
}

value to_int(resources&, arguments in)
{
    const value& from = in[0];
    switch (from.type()) {
    case value_type::integer:
        return from;
    case value_type::unsigned_integer:
        return std::in_range<std::int64_t>(from.as_uint()) ? value::of_int(static_cast<std::int64_t>(from.as_uint()))
                                                           : make_error("integer overflow");
    case value_type::real:
        if (!(from.as_double() > -0x1p63 && from.as_double() < 0x1p63)) return make_error("integer overflow");
        return value::of_int(static_cast<std::int64_t>(from.as_double()));
    case value_type::timestamp:
    case value_type::duration:
        return value::of_int(from.as_int());
    case value_type::string: {
        const auto parsed = parse_whole<std::int64_t>(from.as_string());
        return parsed ? value::of_int(*parsed) : conversion_error(from, "int");
    }
    default:
        return no_such_overload();
    }
}

value to_uint(resources&, arguments in)
{
    const value& from = in[0];
    switch (from.type()) {
    case value_type::unsigned_integer:
        return from;
    case value_type::integer:
        return from.as_int() < 0 ? make_error("unsigned integer overflow")
                                 : value::of_uint(static_cast<std::uint64_t>(from.as_int()));
    case value_type::real:
        if (!(from.as_double() >= 0 && from.as_double() < 0x1p64)) return make_error("unsigned integer overflow");
        return value::of_uint(static_cast<std::uint64_t>(from.as_double()));
    case value_type::string: {
        const auto parsed = parse_whole<std::uint64_t>(from.as_string());
        return parsed ? value::of_uint(*parsed) : conversion_error(from, "uint");
    }
    default:
        return no_such_overload();
    }
}

bool equals_ignoring_case(std::string_view text, std::string_view lower)
{
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]) != lower[i]) return false;
    return true;
}

/// The digits without the underscores that Go allows between them. Nothing if one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view digits)
{
    std::string out;
    const auto is_digit = [&digits](std::size_t at) {
        return at < digits.size() &&
               std::string_view("0123456789abcdefABCDEF").find(digits[at]) != std::string_view::npos;
    };
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] != '_')
            out += digits[i];
        else if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1))
            return std::nullopt;
    }
    return out;
}

/// As Go's strconv.ParseFloat.
std::optional<double> parse_real(std::string_view text)
{
    const bool minus = text.starts_with('-');
    std::string_view unsigned_text = text;
    if (minus || text.starts_with('+')) unsigned_text.remove_prefix(1);
    if (equals_ignoring_case(unsigned_text, "inf") || equals_ignoring_case(unsigned_text, "infinity"))
        return minus ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    if (equals_ignoring_case(unsigned_text, "nan")) return std::numeric_limits<double>::quiet_NaN();
    const auto digits = without_underscores(unsigned_text);
    if (!digits || digits->empty() || (*digits)[0] == '-' || (*digits)[0] == '+') return std::nullopt;
    const bool is_hexadecimal = digits->starts_with("0x") || digits->starts_with("0X");
    if (is_hexadecimal && digits->find_first_of("pP") == std::string::npos) return std::nullopt;
    const char* begin = digits->data() + (is_hexadecimal ? 2 : 0);
    const char* end = digits->data() + digits->size();
    double out = 0;
    const auto format = is_hexadecimal ? std::chars_format::hex : std::chars_format::general;
    const auto [rest, error] = std::from_chars(begin, end, out, format);
    if (rest != end || !(std::isdigit(static_cast<unsigned char>(*begin)) || *begin == '.' || is_hexadecimal))
        return std::nullopt;
    if (error != std::errc{}) {
        // Too small numbers are zero, too large ones are failures.
        out = std::strtod(digits->c_str(), nullptr);
        if (std::isinf(out)) return std::nullopt;
    }
    return minus ? -out : out;
}

value to_double(resources&, arguments in)
{
    const value& from = in[0];
    switch (from.type()) {
    case value_type::real:
        return from;
    case value_type::integer:
        return value::of_double(static_cast<double>(from.as_int()));
    case value_type::unsigned_integer:
        return value::of_double(static_cast<double>(from.as_uint()));
    case value_type::string: {
        const auto parsed = parse_real(from.as_string());
        return parsed ? value::of_double(*parsed) : conversion_error(from, "double");
    }
    default:
        return no_such_overload();
    }
}

value to_bool(resources&, arguments in)
{
    if (in[0].is(value_type::boolean)) return in[0];
    if (!in[0].is(value_type::string)) return no_such_overload();
    static constexpr std::array<std::string_view, 6> truths{"1", "t", "T", "TRUE", "true", "True"};
    static constexpr std::array<std::string_view, 6> falsehoods{"0", "f", "F", "FALSE", "false", "False"};
    const auto has = [&in](const auto& words) {
        return std::find(words.begin(), words.end(), in[0].as_string()) != words.end();
    };
    if (has(truths)) return value(true);
    return has(falsehoods) ? value(false) : conversion_error(in[0], "bool");
}

value to_bytes(resources& from, arguments in)
{
    if (in[0].is(value_type::bytes)) return in[0];
    if (!in[0].is(value_type::string)) return no_such_overload();
    return from.take(in[0].as_string().size()) ? make_bytes(std::string(in[0].as_string())) : make_exhausted();
}

std::string seconds_text(std::int64_t nanoseconds)
{
    // Go converts the seconds to a double first.
    const double seconds =
        static_cast<double>(nanoseconds / 1'000'000'000) + static_cast<double>(nanoseconds % 1'000'000'000) / 1e9;
    char buffer[64];
    const auto written = std::to_chars(buffer, buffer + sizeof buffer, seconds, std::chars_format::fixed);
    return std::string(buffer, written.ptr) + 's';
}

value opaque_text(const value& from)
{
    const auto& held = static_cast<const opaque_data&>(*from.held());
    if (held.kind != opaque_kind::ip && held.kind != opaque_kind::cidr) return no_such_overload();
    return value(write_network(static_cast<const ip_data&>(held)));
}

value to_string(resources& limits, arguments in)
{
    const value& from = in[0];
    switch (from.type()) {
    case value_type::string:
        return from;
    case value_type::boolean:
        return make_static(from.as_bool() ? "true" : "false");
    case value_type::integer:
        return make_text(limits, std::to_string(from.as_int()));
    case value_type::unsigned_integer:
        return make_text(limits, std::to_string(from.as_uint()));
    case value_type::real:
        return make_text(limits, write_real(from.as_double()));
    case value_type::bytes:
        if (!kubecoro::detail::is_utf8(from.as_string()))
            return make_error("invalid UTF-8 in bytes, cannot convert to string");
        return make_text(limits, std::string(from.as_string()));
    case value_type::timestamp:
        return make_text(limits, write_instant(instant_of(from), from.as_string()));
    case value_type::duration:
        return make_text(limits, seconds_text(from.as_int()));
    case value_type::type:
        return make_text(limits, std::string(from.as_string()));
    case value_type::opaque:
        return opaque_text(from);
    default:
        return no_such_overload();
    }
}

/// A timestamp that is written in the zone of its text.
value with_zone(instant time, std::string_view text)
{
    if (text.ends_with('Z') || text.size() < 6) return make_timestamp(time);
    auto zone = std::make_shared<const text_data>(std::string(text.substr(text.size() - 6)));
    const std::string_view kept = zone->text;
    return value::made(value_type::timestamp, time.seconds, time.nanoseconds, kept, std::move(zone));
}

value to_timestamp(resources&, arguments in)
{
    const value& from = in[0];
    if (from.is(value_type::timestamp)) return from;
    if (from.is(value_type::integer)) {
        if (from.as_int() < first_second || from.as_int() > last_second) return make_error("timestamp overflow");
        return make_timestamp({from.as_int(), 0});
    }
    if (!from.is(value_type::string)) return no_such_overload();
    const auto parsed = parse_instant(from.as_string());
    if (!parsed) return conversion_error(from, "google.protobuf.Timestamp");
    if (parsed->seconds < first_second || parsed->seconds > last_second) return make_error("timestamp overflow");
    return with_zone(*parsed, from.as_string());
}

value to_duration(resources&, arguments in)
{
    if (in[0].is(value_type::duration)) return in[0];
    if (in[0].is(value_type::integer)) return make_duration(in[0].as_int());
    if (!in[0].is(value_type::string)) return no_such_overload();
    const auto parsed = parse_length(in[0].as_string());
    return parsed ? make_duration(*parsed) : conversion_error(in[0], "google.protobuf.Duration");
}

value type_of(resources&, arguments in) { return make_type(type_name(in[0])); }
value to_dyn(resources&, arguments in) { return in[0]; }

constexpr function_entry conversion_entries[] = {
    {"int", to_int},
    {"uint", to_uint},
    {"double", to_double},
    {"bool", to_bool},
    {"bytes", to_bytes, call_cost::convert_text},
    {"string", to_string, call_cost::convert_text},
    {"timestamp", to_timestamp},
    {"duration", to_duration},
    {"type", type_of},
    {"dyn", to_dyn},
};

} // namespace

function_table conversion_functions() { return {conversion_entries}; }

} // namespace kubecoro::cel::detail
