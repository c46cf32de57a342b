// Requests of the operator, as the check sees them.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/detail/request_route.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace kubecoro::testing::detail {

using kubecoro::detail::request_route;
using kubecoro::detail::route_of;

/// "PATCH gadgets.shop.example.com default/one/status".
[[nodiscard]] inline std::string title_of(const std::string& method, const request_route& r)
{
    return method + ' ' + r.key() + (r.subresource.empty() ? "" : "/" + r.subresource);
}

/// Whether it is about a Lease.
[[nodiscard]] inline bool is_lease(const request_route& r) { return r.is_bookkeeping() && r.resource == "leases"; }

/// The end that the plan has for a request.
enum class fate
{
    passes,
    never_sent,
    lost,
    refused,
    answered_by_plan
};

/// The name in the Lease of a start of the operator.
[[nodiscard]] inline std::string identity_of(unsigned life) { return "replica-" + std::to_string(life); }

/// One request.
struct traffic
{
    /// Counted from 1; 0 = not counted.
    std::size_t number = 0;
    /// Since the beginning of the run.
    duration at{};
    /// The start of the operator that sent it, counted from 1.
    unsigned life = 0;
    request_route route = {};
    std::string method = {};
    std::string target = {};
    std::string body = {};
    fate end = fate::passes;
    /// Whether it is for the service that the operator calls.
    bool to_application = false;
    /// Whether it arrives also when its sender has ended.
    bool outlives = false;
    /// Whether another start held the Lease when it left.
    bool usurps = false;
    /// That of the answer; 0 = none.
    int status = 0;
    /// A watch that still streams its list, of which a server loses nothing.
    bool lists = false;
};

} // namespace kubecoro::testing::detail
