// Defaults and validates the specification of a Service, and reads its addresses.
#pragma once

#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver::service_address {

/// Parses four decimal numbers without leading zeros.
[[nodiscard]] inline std::optional<std::uint32_t> parse(std::string_view text) noexcept
{
    std::uint32_t address = 0;
    for (int part = 0; part < 4; ++part) {
        const auto digits = text.substr(0, part == 3 ? text.size() : text.find('.'));
        if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits.front() == '0')) return {};
        std::uint32_t number = 0;
        for (const char c : digits) {
            if (c < '0' || c > '9') return {};
            number = number * 10 + static_cast<std::uint32_t>(c - '0');
        }
        if (number > 255 || (part < 3 && digits.size() == text.size())) return {};
        address = address << 8 | number;
        text.remove_prefix(part == 3 ? digits.size() : digits.size() + 1);
    }
    return address;
}

[[nodiscard]] inline std::string format(std::uint32_t address)
{
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) {
        out += std::to_string(address >> shift & 255);
        if (shift > 0) out += '.';
    }
    return out;
}

} // namespace kubecoro::apiserver::service_address

namespace kubecoro::apiserver {

/// True for the types that have a cluster IP: all but ExternalName.
[[nodiscard]] bool has_cluster_ip(const boost::json::value& service);
/// True for NodePort and LoadBalancer, which may have node ports.
[[nodiscard]] bool may_have_node_ports(const boost::json::value& service);
/// True for a load balancer that keeps traffic local: its health is checked on a port of the nodes.
[[nodiscard]] bool has_health_check_port(const boost::json::value& service);
/// True if clusterIP or clusterIPs is "None".
[[nodiscard]] bool is_headless(const boost::json::value& service);

/// Fills in the defaults that depend on nothing but the specification.
void default_service(boost::json::object& spec);

/** Takes over the addresses and ports that an update does not state, and drops what the new type does not have, as long as
    the update leaves it as it was.

    @param before  The stored service; null for a new one. @param after  The requested one, with its defaults. */
void settle_service(const boost::json::value* before, boost::json::value& after);

/// Checks a service in the form of settle_service().
void validate_service(const boost::json::value& service, std::vector<status_cause>& causes);

/// Checks that an update leaves the cluster IPs alone.
void validate_service_update(const boost::json::value& before, const boost::json::value& after,
                             std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
