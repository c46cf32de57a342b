#include <kubecoro/api/detail/formats.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace kubecoro::detail {

namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_uri_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// The byte that a valid escape at the beginning stands for.
std::optional<unsigned> escaped(std::string_view text)
{
    unsigned value = 0;
    if (text.size() < 3) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 3, value, 16);
    if (error != std::errc() || end != text.data() + 3) return std::nullopt;
    return value;
}

/// Characters that a host may have as they are.
bool is_plain_in_host(char c) noexcept
{
    return is_letter(c) || is_uri_digit(c) ||
           std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(c) != std::string_view::npos;
}

enum class part
{
    host,
    zone,
    other
};

bool has_right_escapes(std::string_view text, part of)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c != '%') {
            if (of != part::other && static_cast<unsigned char>(c) < 0x80 && !is_plain_in_host(c)) return false;
            continue;
        }
        const auto byte = escaped(text.substr(i));
        if (!byte) return false;
        if (of == part::host && *byte < 0x80 && *byte != '%') return false;
        if (of == part::zone && *byte != '%' && *byte != ' ' &&
            (*byte >= 0x80 || !is_plain_in_host(static_cast<char>(*byte))))
            return false;
        i += 2;
    }
    return true;
}

bool is_port(std::string_view text)
{
    return text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), is_uri_digit));
}

bool is_literal_address(std::string_view host)
{
    const auto close = host.rfind(']');
    if (close == std::string_view::npos || !is_port(host.substr(close + 1))) return false;
    const auto name = host.substr(1, close - 1);
    const auto zone = name.find("%25");
    // An empty zone is none that Go reads.
    if (zone != std::string_view::npos &&
        (zone + 3 == name.size() || !has_right_escapes(name.substr(zone), part::zone)))
        return false;
    return is_ipv6_format(name.substr(0, zone));
}

bool is_host(std::string_view scheme, std::string_view host)
{
    const auto bracket = host.rfind('[');
    if (bracket == 0) return is_literal_address(host);
    if (bracket != std::string_view::npos) return false;
    if (auto colon = host.find(':'); colon != std::string_view::npos) {
        const bool strict = scheme == "http" || scheme == "https";
        if (!strict) colon = host.rfind(':');
        if (!is_port(host.substr(colon))) return false;
    }
    return has_right_escapes(host, part::host);
}

bool is_user(std::string_view text)
{
    return std::ranges::all_of(text,
                               [](char c) {
                                   return is_letter(c) || is_uri_digit(c) ||
                                          std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
                               }) &&
           has_right_escapes(text, part::other);
}

bool is_authority(std::string_view scheme, std::string_view text)
{
    const auto at = text.rfind('@');
    if (at == std::string_view::npos) return is_host(scheme, text);
    return is_host(scheme, text.substr(at + 1)) && is_user(text.substr(0, at));
}

/// The length of the scheme; 0 for none, and none of both if the text begins with the colon.
std::optional<std::size_t> scheme_of(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_letter(c)) continue;
        if (c == ':') return i == 0 ? std::nullopt : std::optional(i);
        const bool inner = is_uri_digit(c) || c == '+' || c == '-' || c == '.';
        if (!inner || i == 0) return 0;
    }
    return 0;
}

} // namespace

bool is_uri_format(std::string_view text)
{
    if (text.empty() || std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; })) return false;
    if (text == "*") return true;
    const auto colon = scheme_of(text);
    if (!colon) return false;
    std::string scheme(text.substr(0, *colon));
    for (char& c : scheme) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    auto rest = text.substr(scheme.empty() ? 0 : *colon + 1);
    rest = rest.substr(0, rest.find('?'));
    // Whatever follows a scheme without a slash is opaque.
    if (!rest.starts_with('/')) return !scheme.empty();
    if (!scheme.empty() && rest.starts_with("//")) {
        rest.remove_prefix(2);
        const auto end = std::min(rest.find('/'), rest.size());
        if (!is_authority(scheme, rest.substr(0, end))) return false;
        rest.remove_prefix(end);
    }
    return has_right_escapes(rest, part::other);
}

} // namespace kubecoro::detail
