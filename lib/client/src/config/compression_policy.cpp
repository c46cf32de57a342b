#include "config/compression_policy.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace kubecoro::detail {

namespace {

namespace ip = boost::asio::ip;

struct range
{
    std::uint32_t begin;
    unsigned bits;
};
constexpr std::array<range, 7> near_ranges{{{0x00000000, 32},
                                            {0x0a000000, 8},
                                            {0x64400000, 10},
                                            {0x7f000000, 8},
                                            {0xa9fe0000, 16},
                                            {0xac100000, 12},
                                            {0xc0a80000, 16}}};

bool is_near(const ip::address_v4& a)
{
    const auto bits = a.to_uint();
    return std::any_of(near_ranges.begin(), near_ranges.end(),
                       [bits](const range& r) { return (bits ^ r.begin) >> (32 - r.bits) == 0; });
}

bool is_near(const ip::address_v6& a)
{
    if (a.is_v4_mapped()) return is_near(ip::make_address_v4(ip::v4_mapped, a));
    const bool unique_local = (a.to_bytes()[0] & 0xfe) == 0xfc;
    return unique_local || a.is_link_local() || a.is_loopback() || a.is_unspecified();
}

bool is_near_name(std::string_view name)
{
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.find('.') == name.npos) return true;
    return name.ends_with(".svc") || name.ends_with(".cluster.local") || name.ends_with(".localhost");
}

} // namespace

bool is_near(const std::string& host)
{
    boost::system::error_code not_an_address;
    const auto address = ip::make_address(host, not_an_address);
    if (not_an_address) return is_near_name(host);
    return address.is_v4() ? is_near(address.to_v4()) : is_near(address.to_v6());
}

bool wants_gzip(compression policy, bool disabled, const std::string& host)
{
    if (disabled || policy == compression::off) return false;
    return policy == compression::on || !is_near(host);
}

} // namespace kubecoro::detail
