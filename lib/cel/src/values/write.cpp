#include "values/write.hpp"

#include "values/make.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace kubecoro::cel {

namespace detail {

namespace {

void append_hex(std::string& out, unsigned number)
{
    char buffer[8];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, 16);
    static_cast<void>(error);
    out.append(buffer, end);
}

/// The first and the number of the longest run of two or more groups that are zero.
std::pair<std::size_t, std::size_t> longest_zeros(const std::array<unsigned, 8>& groups)
{
    std::pair<std::size_t, std::size_t> best{0, 1};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        std::size_t run = 0;
        while (i + run < groups.size() && groups[i + run] == 0) ++run;
        if (run > best.second) best = {i, run};
    }
    return best.second > 1 ? best : std::pair<std::size_t, std::size_t>{groups.size(), 0};
}

std::string write_v6(const ip_address& address)
{
    std::array<unsigned, 8> groups{};
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = address.bytes[2 * i] * 256u + address.bytes[2 * i + 1];
    const auto [zeros, count] = longest_zeros(groups);
    std::string out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i == zeros) {
            out += "::";
            i += count - 1;
            continue;
        }
        if (!out.empty() && !out.ends_with(':')) out += ':';
        append_hex(out, groups[i]);
    }
    return out;
}

void append_quoted(std::string& out, std::string_view text, bool is_bytes)
{
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_bytes || byte < 0x20 || byte == 0x7f) {
            char buffer[8];
            std::snprintf(buffer, sizeof buffer, "\\x%02x", byte);
            out += buffer;
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
    }
    out += '"';
}

std::string write_double(double number)
{
    if (std::isnan(number)) return "double(\"nan\")";
    if (std::isinf(number)) return number < 0 ? "double(\"-inf\")" : "double(\"inf\")";
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", number);
    std::string out = buffer;
    if (out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}

std::string call(std::string_view function, std::string_view argument)
{
    std::string out(function);
    out += '(';
    append_quoted(out, argument, false);
    return out + ')';
}

/// The bytes of a text. Values that share their parts may be much larger than what they occupy.
constexpr std::size_t longest_text = 1 << 20;

std::string write_opaque(const value& from)
{
    const auto& held = static_cast<const opaque_data&>(*from.held());
    switch (held.kind) {
    case opaque_kind::ip:
        return call("ip", write_network(static_cast<const ip_data&>(held)));
    case opaque_kind::cidr:
        return call("cidr", write_network(static_cast<const ip_data&>(held)));
    case opaque_kind::url:
        return call("url", static_cast<const url_data&>(held).text);
    case opaque_kind::quantity:
        return call("quantity", static_cast<const quantity_data&>(held).amount.canonical());
    case opaque_kind::semver:
        return call("semver", write_semver(static_cast<const semver_data&>(held)));
    default:
        return std::string(type_name(from));
    }
}

} // namespace

std::string write_real(double number)
{
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
    char buffer[40];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
    static_cast<void>(error);
    const std::string text(buffer, end);
    const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
    // Go's %g has an exponent below -4 and from 6 on.
    if (exponent < -4 || exponent >= 6) return text;
    char fixed[64];
    const auto written = std::to_chars(fixed, fixed + sizeof fixed, number, std::chars_format::fixed);
    return {fixed, written.ptr};
}

std::string write_ip(const ip_address& address)
{
    if (address.is_v6) return write_v6(address);
    std::string out;
    for (std::size_t i = 0; i < 4; ++i) out += (i > 0 ? "." : "") + std::to_string(address.bytes[i]);
    return out;
}

std::string write_network(const ip_data& from)
{
    return from.kind == opaque_kind::ip ? write_ip(from.address)
                                        : write_ip(from.address) + "/" + std::to_string(from.prefix);
}

std::string write_semver(const semver_data& from)
{
    std::string out;
    for (const auto number : from.numbers) out += (out.empty() ? "" : ".") + std::to_string(number);
    for (std::size_t i = 0; i < from.prerelease.size(); ++i) out += (i == 0 ? "-" : ".") + from.prerelease[i];
    for (std::size_t i = 0; i < from.build.size(); ++i) out += (i == 0 ? "+" : ".") + from.build[i];
    return out;
}

} // namespace detail

namespace detail {

namespace {

/// Writes a value and all inside of it, until the text is too long.
class value_writer
{
public:
    std::string write(const value& from)
    {
        if (left_ == 0) return "...";
        std::string out = from.is(value_type::list)       ? list(list_of(from))
                          : from.is(value_type::map)      ? map(map_of(from))
                          : from.is(value_type::optional) ? optional(from)
                                                          : scalar(from);
        left_ -= std::min(left_, out.size());
        return out;
    }

private:
    std::string list(const list_data& from)
    {
        std::string out = "[";
        for (const auto& item : from.items()) {
            out += (out.size() > 1 ? ", " : "") + write(item);
            if (left_ == 0) break;
        }
        return out + ']';
    }

    std::string map(const map_data& from)
    {
        std::vector<std::string> entries;
        for (const auto& entry : from.entries()) {
            entries.push_back(write(entry.key) + ": " + write(entry.item));
            if (left_ == 0) break;
        }
        std::sort(entries.begin(), entries.end());
        std::string out = "{";
        for (const auto& entry : entries) out += (out.size() > 1 ? ", " : "") + entry;
        return out + '}';
    }

    std::string optional(const value& from)
    {
        const auto* item = inside(from);
        return item == nullptr ? "optional.none()" : "optional.of(" + write(*item) + ")";
    }

    static std::string scalar(const value& from)
    {
        std::string out;
        switch (from.type()) {
        case value_type::boolean:
            return from.as_bool() ? "true" : "false";
        case value_type::integer:
            return std::to_string(from.as_int());
        case value_type::unsigned_integer:
            return std::to_string(from.as_uint()) + "u";
        case value_type::real:
            return write_double(from.as_double());
        case value_type::string:
            append_quoted(out, from.as_string(), false);
            return out;
        case value_type::bytes:
            append_quoted(out, from.as_string(), true);
            return "b" + out;
        case value_type::timestamp:
            return call("timestamp", write_instant(instant_of(from)));
        case value_type::duration:
            return call("duration", write_length(from.as_int()));
        case value_type::type:
            return std::string(from.as_string());
        case value_type::opaque:
            return write_opaque(from);
        case value_type::error:
            return call("error", from.as_string());
        default:
            return "null";
        }
    }

    std::size_t left_ = longest_text;
};

} // namespace

} // namespace detail

std::string value::to_text() const { return detail::value_writer().write(*this); }

} // namespace kubecoro::cel
