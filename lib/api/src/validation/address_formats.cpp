#include "validation/formats.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace kubecoro::detail {

namespace {

bool is_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// A decimal number of any length up to the limit; nothing else.
std::optional<unsigned> small_number(std::string_view text, unsigned limit)
{
    unsigned value = 0;
    if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value > limit) return std::nullopt;
    return value;
}

bool is_dotted(std::string_view text)
{
    for (int part = 0; part < 3; ++part) {
        const auto dot = text.find('.');
        if (dot == std::string_view::npos || !small_number(text.substr(0, dot), 255)) return false;
        text.remove_prefix(dot + 1);
    }
    return small_number(text, 255).has_value();
}

bool is_colons(std::string_view text)
{
    in6_addr parsed{};
    return text.find('\0') == std::string_view::npos && inet_pton(AF_INET6, std::string(text).c_str(), &parsed) == 1;
}

/// With leading zeros in the dotted part, if there is one.
bool is_sloppy_ipv6(std::string_view text)
{
    const auto colon = text.rfind(':');
    if (text.find('.') == std::string_view::npos || colon == std::string_view::npos) return is_colons(text);
    return is_dotted(text.substr(colon + 1)) && is_colons(std::string(text.substr(0, colon + 1)) + "1.2.3.4");
}

/// The length of the addresses in bits; 0 if it is no address.
unsigned sloppy_bits(std::string_view text)
{
    const auto mark = text.find_first_of(".:");
    if (mark == std::string_view::npos) return 0;
    if (text[mark] == '.') return is_dotted(text) ? 32 : 0;
    return is_sloppy_ipv6(text) ? 128 : 0;
}

} // namespace

bool is_ipv4_format(std::string_view text)
{
    return text.find('.') != std::string_view::npos && sloppy_bits(text) != 0;
}

bool is_ipv6_format(std::string_view text) { return text.find(':') != std::string_view::npos && is_colons(text); }

bool is_cidr_format(std::string_view text)
{
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const auto bits = sloppy_bits(text.substr(0, slash));
    return bits != 0 && small_number(text.substr(slash + 1), bits).has_value();
}

bool is_mac_format(std::string_view text)
{
    const auto is_length = [](std::size_t bytes) { return bytes == 6 || bytes == 8 || bytes == 20; };
    if (std::ranges::all_of(text, is_hex)) return text.size() % 2 == 0 && is_length(text.size() / 2);
    // 01:23:..., 01-23-... or 0123.4567....
    const std::size_t group = text.size() > 2 && (text[2] == ':' || text[2] == '-') ? 2 : 4;
    if (text.size() <= group || (group == 4 && text[4] != '.') || (text.size() + 1) % (group + 1) != 0) return false;
    if (!is_length((text.size() + 1) / (group + 1) * group / 2)) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool between = i % (group + 1) == group;
        if (between ? text[i] != text[group] : !is_hex(text[i])) return false;
    }
    return true;
}

} // namespace kubecoro::detail
