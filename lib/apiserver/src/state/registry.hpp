// What the server knows about each resource: names, scope, and how its writes behave.
#pragma once

#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <boost/json/value.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The resources whose behaviour is built in. A custom resource is none of them, whatever its kind is called.
enum class builtin
{
    none,
    config_map,
    cron_job,
    custom_resource_definition,
    daemon_set,
    deployment,
    event,
    job,
    lease,
    namespace_,
    node,
    pod,
    replica_set,
    secret,
    service,
    service_account,
    stateful_set
};

/// Which changes raise metadata.generation.
enum class generation_rule
{
    none,
    spec,
    spec_and_annotations,
    all_but_metadata
};

/// A column of `kubectl get`.
struct table_column
{
    std::string name;
    std::string type = "string";
    std::string format = {};
    /// 1: shown with -o wide only.
    int priority = 0;
    /// Custom resources: where the cell comes from (".spec.size").
    std::string path = {};
};

[[nodiscard]] const std::shared_ptr<const boost::json::value>& no_schema();

/// One served version of a resource.
struct served_version
{
    std::string name;
    /// Custom resources: the structural schema, null for none, and the columns. Never null itself.
    std::shared_ptr<const boost::json::value> schema = no_schema();
    std::vector<table_column> columns = {};
};

struct resource_info
{
    builtin behaves = builtin::none;
    std::string group = {};
    /// Versions served. The stored one is `storage_version`.
    std::vector<served_version> versions = {};
    std::string storage_version = "v1";
    std::string plural = {};
    std::string singular = {};
    std::string kind = {};
    std::string list_kind = {};
    std::vector<std::string> short_names = {};
    std::vector<std::string> categories = {};
    bool namespaced = true;
    /// Declared by a CustomResourceDefinition.
    bool custom = false;
    bool has_status = false;
    bool has_scale = false;
    generation_rule generation = generation_rule::none;
    /// An update without resourceVersion is accepted.
    bool unconditional_update = true;
    /// PUT of what is absent creates it.
    bool create_on_update = false;
    /// DELETE answers the object instead of a Status.
    bool delete_answers_object = false;
    /// Paths field selectors know besides metadata.name and metadata.namespace.
    std::vector<std::string> selectable = {};
    /// Top-level members besides kind, apiVersion and metadata; empty: any.
    std::vector<std::string> members = {};
    /// scale: where the numbers are ("spec.replicas", "status.replicas", selector path or empty).
    std::string scale_spec = "spec.replicas";
    std::string scale_status = "status.replicas";
    std::string scale_selector = {};

    /// "pods" or "deployments.apps".
    [[nodiscard]] std::string display_name() const { return group.empty() ? plural : plural + "." + group; }
    /// "Pod" or "Deployment.apps".
    [[nodiscard]] std::string kind_name() const { return group.empty() ? kind : kind + "." + group; }
    [[nodiscard]] std::string api_version(std::string_view version) const;
    [[nodiscard]] const served_version* find_version(std::string_view version) const;
    /// `{"kind":"Pod","apiVersion":"v1",`: how the text of an object begins in a version.
    [[nodiscard]] std::string type_prefix(std::string_view version) const;
};

/// DaemonSet, Deployment, ReplicaSet, StatefulSet: pods by a template and a selector that must match it.
[[nodiscard]] bool selects_pods(builtin b) noexcept;

/// Everything served from the start.
[[nodiscard]] std::vector<resource_info> builtin_resources();

/// Groups that belong to the server itself: an unknown resource in one of them gets a Status, not plain text.
[[nodiscard]] bool is_builtin_group(std::string_view group);

/// The resource a CustomResourceDefinition declares.
[[nodiscard]] resource_info resource_of_crd(const boost::json::value& crd);

} // namespace kubecoro::apiserver
