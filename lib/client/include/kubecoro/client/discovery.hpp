#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace kubecoro {

/// One resource as the server offers it in one group and version.
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

/** Everything the server offers, in its own order of preference: the core group first, groups as the server lists them,
    and the preferred version of each group before its others.

    Asks for aggregated discovery (two requests) and falls back to one request per group and version; a group whose
    server does not answer is left out.
    @par Errors  as client; corrupt when an answer is not a discovery document. */
[[nodiscard]] boost::asio::awaitable<result<std::vector<discovered_resource>>> all_resources(client c);

/** The resource a person means: plural, singular, short name or kind, each alone or with ".group" or ".version.group":
    "pods", "po", "deployments.apps", "widgets.v1.example.com", "Deployment".

    @par Errors  not_found with similar names; else as all_resources. */
[[nodiscard]] boost::asio::awaitable<result<resource_type>> find_resource(client c, std::string name);

} // namespace kubecoro
