// The flags that every verb with a cluster has, and the client they stand for.
#pragma once

#include "cli/verb.hpp"

#include <kubecoro/api/options.hpp>
#include <kubecoro/client/client.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// Which cluster, as whom.
struct cluster_flags
{
    std::string kubeconfig = {};
    std::string context = {};
    std::string as = {};
    std::vector<std::string> as_groups = {};
    /// Empty = the context's.
    std::string ns = {};
};

/// Which objects of a resource.
struct scope_flags
{
    bool all_namespaces = false;
    std::string label_selector = {};
    std::string field_selector = {};

    [[nodiscard]] list_options selected() const;
};

/// --kubeconfig, --context, --as, --as-group.
void add_cluster_flags(CLI::App& app, cluster_flags& flags);
/// -n.
void add_namespace_flag(CLI::App& app, cluster_flags& flags);
/// -A, -l, --field-selector.
void add_scope_flags(CLI::App& app, scope_flags& flags);

/// Errors: cond::invalid for a namespace or selector that no server accepts.
[[nodiscard]] result<> check(const cluster_flags& flags);
[[nodiscard]] result<> check(const scope_flags& flags);

/// Errors: as client::connect().
[[nodiscard]] result<client> connect(const cluster_flags& flags, const verb_context& context);

} // namespace kubecoro::tool
