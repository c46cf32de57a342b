#pragma once

#include <string>
#include <string_view>

namespace kubecoro::detail {

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
    /// Whether it asks for rights or a token, which is no part of an operator's work.
    [[nodiscard]] bool is_review() const noexcept;
};

[[nodiscard]] request_route route_of(std::string_view method, std::string_view target);

} // namespace kubecoro::detail
