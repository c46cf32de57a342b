#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace kubecoro {

/// One resource as served in one group and version.
struct discovered_resource
{
    /// Its identity.
    resource_type type = {};
    /// The verbs that the server supports for it.
    std::vector<std::string> verbs = {};
    /// The groups of resources it belongs to, such as "all".
    std::vector<std::string> categories = {};
    /// "status", "scale", ...
    std::vector<std::string> subresources = {};
};

/** All resources of the server, in its order of preference: the core group first, then groups as the server lists
    them, with the preferred version of each group before its others.

    Uses aggregated discovery (two requests) and falls back to one request per group and version; a group whose
    server does not respond is omitted.
    @par Errors  as client; corrupt when a response is not a discovery document. */
[[nodiscard]] boost::asio::awaitable<result<std::vector<discovered_resource>>> all_resources(client c);

/** The resource for a name given by a user: plural, singular, short name or kind, each alone or with ".group" or
    ".version.group":
    "pods", "po", "deployments.apps", "widgets.v1.example.com", "Deployment".

    @par Errors  not_found with similar names; else as all_resources. */
[[nodiscard]] boost::asio::awaitable<result<resource_type>> find_resource(client c, std::string name);

} // namespace kubecoro
