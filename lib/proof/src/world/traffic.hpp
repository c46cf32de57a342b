// Requests of the operator, as the check sees them.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::testing::detail {

/// A request in the terms of RBAC.
struct request_route
{
    /// get, list, watch, create, update, patch, delete, deletecollection.
    std::string verb = {};
    std::string group = {};
    /// The plural; empty = no request for a resource.
    std::string resource = {};
    std::string subresource = {};
    std::string ns = {};
    std::string name = {};

    /// "configmaps" or "deployments.apps".
    [[nodiscard]] std::string display_name() const;
    /// "configmaps default/one".
    [[nodiscard]] std::string key() const;
    /// Whether it may change something.
    [[nodiscard]] bool writes() const noexcept;
    /// Whether it is about a Lease or an event: these do not count as news.
    [[nodiscard]] bool is_bookkeeping() const noexcept;
    /// Whether it asks for rights or a token, which is no part of the operator's work.
    [[nodiscard]] bool is_review() const noexcept;
};

[[nodiscard]] request_route route_of(std::string_view method, std::string_view target);

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
