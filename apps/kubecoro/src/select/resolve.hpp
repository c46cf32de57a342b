// Finds the resources for the types that a user typed.
#pragma once

#include "select/selection.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// A resource, a namespace, and the names asked for; none = all.
struct target
{
    resource_type type = {};
    /// Empty for cluster scope and for all namespaces.
    std::string ns = {};
    std::vector<std::string> names = {};
};

/** Resolves types by discovery: plural, singular, short name and kind, and categories such as "all".

    @param ns  The namespace of the targets; empty = all.
    Errors: as find_resource(). */
[[nodiscard]] boost::asio::awaitable<result<std::vector<target>>>
resolve(client api, std::vector<wanted_objects> wanted, std::string ns);

/// "pod" or "deployment.apps": the type in front of names in the output.
[[nodiscard]] std::string type_prefix(const resource_type& type);

} // namespace kubecoro::tool
