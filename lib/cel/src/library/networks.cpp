// IP addresses and networks, as Go's net/netip reads them, without zones and without IPv4 inside IPv6.
#include <kubecoro/api/detail/go_format.hpp>

#include "library/functions.hpp"
#include "values/write.hpp"

#include <algorithm>
#include <charconv>

namespace kubecoro::cel::detail {

namespace {

std::optional<ip_address> parse_v4(std::string_view text)
{
    ip_address out;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto part = text.substr(0, text.find('.'));
        const bool has_zero = part.size() > 1 && part[0] == '0';
        if (part.empty() || part.size() > 3 || has_zero ||
            part.find_first_not_of("0123456789") != std::string_view::npos)
            return std::nullopt;
        unsigned number = 0;
        std::from_chars(part.data(), part.data() + part.size(), number);
        if (number > 255) return std::nullopt;
        out.bytes[i] = static_cast<std::uint8_t>(number);
        text.remove_prefix(part.size());
        if (i == 3) return text.empty() ? std::optional(out) : std::nullopt;
        if (text.empty()) return std::nullopt;
        text.remove_prefix(1);
    }
    return std::nullopt;
}

/// The groups of an IPv6 address, and where the zeros go that are left out.
struct v6_parts
{
    std::vector<std::uint8_t> bytes;
    std::optional<std::size_t> gap;
};

bool take_group(std::string_view& text, v6_parts& out)
{
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || digits > 4) return false;
    if (digits < text.size() && text[digits] == '.') {
        const auto v4 = parse_v4(text);
        if (!v4) return false;
        out.bytes.insert(out.bytes.end(), v4->bytes.begin(), v4->bytes.begin() + 4);
        text = {};
        return true;
    }
    out.bytes.push_back(static_cast<std::uint8_t>(number >> 8));
    out.bytes.push_back(static_cast<std::uint8_t>(number & 255));
    text.remove_prefix(digits);
    return true;
}

std::optional<ip_address> parse_v6(std::string_view text)
{
    v6_parts parts;
    if (text.starts_with("::")) {
        parts.gap = 0;
        text.remove_prefix(2);
    }
    while (!text.empty()) {
        if (parts.bytes.size() >= 16 || !take_group(text, parts)) return std::nullopt;
        if (text.empty()) break;
        if (text[0] != ':' || text.size() == 1) return std::nullopt;
        text.remove_prefix(1);
        if (!text.starts_with(':')) continue;
        if (parts.gap) return std::nullopt;
        parts.gap = parts.bytes.size();
        text.remove_prefix(1);
    }
    if (parts.bytes.size() > 16 || (parts.gap ? parts.bytes.size() == 16 : parts.bytes.size() != 16))
        return std::nullopt;
    ip_address out;
    out.is_v6 = true;
    const auto front = parts.gap.value_or(parts.bytes.size());
    std::copy_n(parts.bytes.begin(), front, out.bytes.begin());
    std::copy(parts.bytes.begin() + static_cast<std::ptrdiff_t>(front), parts.bytes.end(),
              out.bytes.end() - static_cast<std::ptrdiff_t>(parts.bytes.size() - front));
    return out;
}

std::optional<ip_address> parse_ip(std::string_view text)
{
    return text.find(':') != std::string_view::npos ? parse_v6(text) : parse_v4(text);
}

bool is_v4_in_v6(const ip_address& address)
{
    return address.is_v6 &&
           std::all_of(address.bytes.begin(), address.bytes.begin() + 10, [](auto b) { return b == 0; }) &&
           address.bytes[10] == 0xff && address.bytes[11] == 0xff;
}

/// An address, or the words of the server for why the text is none.
value ip_of(const value& from)
{
    if (!from.is(value_type::string)) return no_such_overload();
    const auto text = from.as_string();
    const auto quoted = kubecoro::detail::go_quoted(text);
    if (const auto percent = text.find('%'); percent != std::string_view::npos && percent + 1 < text.size()) {
        if (const auto zoned = parse_ip(text.substr(0, percent)); zoned && zoned->is_v6)
            return make_error("IP address " + quoted + " with zone value is not allowed");
    }
    const auto found = parse_ip(text);
    if (!found)
        return make_error("IP Address " + quoted + " parse error during conversion from string: ParseAddr(" + quoted +
                          "): unable to parse IP");
    if (is_v4_in_v6(*found)) return make_error("IPv4-mapped IPv6 address " + quoted + " is not allowed");
    return make_opaque(std::make_shared<const ip_data>(*found));
}

value cidr_of(const value& from)
{
    if (!from.is(value_type::string)) return no_such_overload();
    const auto text = from.as_string();
    const auto quoted = kubecoro::detail::go_quoted(text);
    const auto refused = [&quoted](std::string_view words) {
        return make_error(
            "network address parse error during conversion from string: network address parse error during "
            "conversion from string: netip.ParsePrefix(" +
            quoted + "): " + std::string(words));
    };
    const auto slash = text.rfind('/');
    if (slash == std::string_view::npos) return refused("no '/'");
    const auto found = parse_ip(text.substr(0, slash));
    if (!found) return refused("unable to parse IP");
    const auto digits = text.substr(slash + 1);
    int bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    const bool is_number = error == std::errc{} && end == digits.data() + digits.size() && digits[0] != '-';
    if (!is_number || (digits.size() > 1 && digits[0] == '0')) return refused("bad bits after slash");
    if (bits > (found->is_v6 ? 128 : 32)) return refused("prefix length out of range");
    if (is_v4_in_v6(*found))
        return make_error("network address parse error during conversion from string: IPv4-mapped IPv6 address " +
                          quoted + " is not allowed");
    return make_opaque(std::make_shared<const ip_data>(*found, bits));
}

const ip_data* ip_in(const value& from) { return static_cast<const ip_data*>(opaque_of(from, opaque_kind::ip)); }
const ip_data* cidr_in(const value& from) { return static_cast<const ip_data*>(opaque_of(from, opaque_kind::cidr)); }

ip_address masked_by(ip_address address, int bits)
{
    for (std::size_t i = 0; i < address.bytes.size(); ++i) {
        const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
        address.bytes[i] = static_cast<std::uint8_t>(address.bytes[i] & (0xff00 >> kept));
    }
    return address;
}

bool covers(const ip_data& network, const ip_address& address)
{
    return network.address.is_v6 == address.is_v6 &&
           masked_by(network.address, network.prefix) == masked_by(address, network.prefix);
}

value make_ip(resources&, arguments in)
{
    if (const auto* network = cidr_in(in[0])) return make_opaque(std::make_shared<const ip_data>(network->address));
    return ip_of(in[0]);
}

value make_cidr(resources&, arguments in) { return cidr_of(in[0]); }

value is_right(const value& made) { return made.as_string() == "no such overload" ? made : value(!is_error(made)); }
value is_ip(resources&, arguments in) { return is_right(ip_of(in[0])); }
value is_cidr(resources&, arguments in) { return is_right(cidr_of(in[0])); }

value is_canonical(resources&, arguments in)
{
    const value made = ip_of(in[0]);
    return is_error(made) ? made : value(write_ip(ip_in(made)->address) == in[0].as_string());
}

value by_address(arguments in, bool (*check)(const ip_address&))
{
    const auto* held = ip_in(in[0]);
    return held != nullptr ? value(check(held->address)) : no_such_overload();
}

bool is_any(const ip_address& address)
{
    return std::all_of(address.bytes.begin(), address.bytes.end(), [](auto b) { return b == 0; });
}

bool is_loop(const ip_address& address)
{
    if (!address.is_v6) return address.bytes[0] == 127;
    ip_address one;
    one.is_v6 = true;
    one.bytes[15] = 1;
    return address == one;
}

bool is_local_multicast(const ip_address& address)
{
    if (!address.is_v6) return address.bytes[0] == 224 && address.bytes[1] == 0 && address.bytes[2] == 0;
    return address.bytes[0] == 0xff && (address.bytes[1] & 0x0f) == 2;
}

bool is_local_unicast(const ip_address& address)
{
    if (!address.is_v6) return address.bytes[0] == 169 && address.bytes[1] == 254;
    return address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

bool is_multicast(const ip_address& address)
{
    return address.is_v6 ? address.bytes[0] == 0xff : (address.bytes[0] & 0xf0) == 0xe0;
}

bool is_global(const ip_address& address)
{
    if (!address.is_v6 && (is_any(address) || std::all_of(address.bytes.begin(), address.bytes.begin() + 4,
                                                          [](auto b) { return b == 255; })))
        return false;
    return !is_any(address) && !is_loop(address) && !is_multicast(address) && !is_local_unicast(address);
}

value is_unspecified(resources&, arguments in) { return by_address(in, is_any); }
value is_loopback(resources&, arguments in) { return by_address(in, is_loop); }
value is_link_local_multicast(resources&, arguments in) { return by_address(in, is_local_multicast); }
value is_link_local_unicast(resources&, arguments in) { return by_address(in, is_local_unicast); }
value is_global_unicast(resources&, arguments in) { return by_address(in, is_global); }

value family(resources&, arguments in)
{
    const auto* held = ip_in(in[0]);
    return held != nullptr ? value::of_int(held->address.is_v6 ? 6 : 4) : no_such_overload();
}

value contains_ip(resources&, arguments in)
{
    const auto* network = cidr_in(in[0]);
    if (network == nullptr) return no_such_overload();
    const value other = in[1].is(value_type::string) ? ip_of(in[1]) : in[1];
    if (is_error(other)) return other;
    const auto* address = ip_in(other);
    return address != nullptr ? value(covers(*network, address->address)) : no_such_overload();
}

value contains_cidr(resources&, arguments in)
{
    const auto* network = cidr_in(in[0]);
    if (network == nullptr) return no_such_overload();
    const value other = in[1].is(value_type::string) ? cidr_of(in[1]) : in[1];
    if (is_error(other)) return other;
    const auto* inner = cidr_in(other);
    if (inner == nullptr) return no_such_overload();
    return value(network->prefix <= inner->prefix && covers(*network, inner->address));
}

value prefix_length(resources&, arguments in)
{
    const auto* network = cidr_in(in[0]);
    return network != nullptr ? value::of_int(network->prefix) : no_such_overload();
}

value masked(resources&, arguments in)
{
    const auto* network = cidr_in(in[0]);
    if (network == nullptr) return no_such_overload();
    return make_opaque(std::make_shared<const ip_data>(masked_by(network->address, network->prefix), network->prefix));
}

constexpr function_entry network_entries[] = {
    {"ip", make_ip, call_cost::scan},
    {"cidr", make_cidr, call_cost::scan},
    {"isIP", is_ip, call_cost::scan},
    {"isCIDR", is_cidr, call_cost::scan},
    {"ip.isCanonical", is_canonical, call_cost::scan_twice},
    {"family", family},
    {"isUnspecified", is_unspecified},
    {"isLoopback", is_loopback},
    {"isLinkLocalMulticast", is_link_local_multicast},
    {"isLinkLocalUnicast", is_link_local_unicast},
    {"isGlobalUnicast", is_global_unicast},
    {"containsIP", contains_ip, call_cost::contains_ip},
    {"containsCIDR", contains_cidr, call_cost::contains_cidr},
    {"@containsIP_string", contains_ip, call_cost::contains_ip_text},
    {"@containsCIDR_string", contains_cidr, call_cost::contains_cidr_text},
    {"prefixLength", prefix_length},
    {"masked", masked},
};

} // namespace

function_table network_functions() { return {network_entries}; }

} // namespace kubecoro::cel::detail
