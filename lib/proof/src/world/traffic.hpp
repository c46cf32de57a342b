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

/// The end that the plan has for a request.
enum class fate
{
    passes,
    never_sent,
    lost,
    refused,
    answered_by_plan
};

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
    /// That of the answer; 0 = none.
    int status = 0;
    /// A watch that still streams its list, of which a server loses nothing.
    bool lists = false;
};

} // namespace kubecoro::testing::detail
