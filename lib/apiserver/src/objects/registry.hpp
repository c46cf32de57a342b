// The resources and priority classes that the server has from the start, and those that definitions add.
#pragma once

#include <kubecoro/admission/detail/conversion_call.hpp>
#include <kubecoro/api/validation.hpp>
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/cel/validation_rules.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

class json_path;

/// The resources with built-in behaviour. A custom resource is always `none`, even when its kind has the same name.
enum class builtin
{
    none,
    /// HorizontalPodAutoscaler.
    autoscaler,
    config_map,
    cron_job,
    custom_resource_definition,
    daemon_set,
    deployment,
    disruption_budget,
    event,
    job,
    lease,
    /// ResourceQuota and LimitRange.
    limit,
    namespace_,
    node,
    persistent_volume_claim,
    pod,
    priority_class,
    replica_set,
    /// Asks a question: only POST, nothing is stored.
    review,
    /// Role and ClusterRole.
    role,
    /// RoleBinding and ClusterRoleBinding.
    role_binding,
    secret,
    service,
    service_account,
    stateful_set
};

/// The changes that increment metadata.generation.
enum class generation_rule
{
    none,
    spec,
    spec_and_annotations,
    all_but_metadata
};

/// The names that objects of a resource may have.
enum class name_rule
{
    subdomain,
    /// A DNS label: at most 63 characters.
    label,
    /// Any text that is one segment of a path.
    path_segment,
    /// VERSION.GROUP of the specification.
    api_service,
    /// An IP address in its canonical form.
    ip_address,
    /// A subdomain, behind the name of the signer if there is one.
    trust_bundle
};

/// A column of `kubectl get`.
struct table_column
{
    std::string name;
    std::string type = "string";
    std::string format = {};
    /// 1: shown with -o wide only.
    int priority = 0;
    /// Custom resources: the path of the cell.
    std::shared_ptr<const json_path> path = {};
    /// The same: for people. Other kinds have none here.
    std::string description = {};
};

/// A field that an update may not change.
struct immutable_field
{
    std::string_view path;
    /// Why it is forbidden; empty: its new value is invalid, since "field is immutable".
    std::string_view why = {};
    /// The value that an absent field stands for.
    std::string_view standard = {};
};

[[nodiscard]] const std::shared_ptr<const boost::json::value>& no_schema();

/// One served version of a resource.
struct served_version
{
    std::string name;
    /// Custom resources: the structural schema; a JSON null for none. The pointer is never null.
    std::shared_ptr<const boost::json::value> schema = no_schema();
    /// The same, compiled. None if there is no schema.
    std::optional<object_schema> compiled = {};
    /// Its rules, compiled. None if it has none.
    std::optional<cel::validation_rules> rules = {};
    std::vector<table_column> columns = {};
    /// Custom resources: paths supported in field selectors of this version.
    std::vector<std::string> selectable = {};
    /// The warning that each answer to a request of a deprecated version has.
    std::string deprecation = {};
};

struct resource_info
{
    builtin behaves = builtin::none;
    std::string group = {};
    /// The served versions. Objects are stored in `storage_version`.
    std::vector<served_version> versions = {};
    std::string storage_version = "v1";
    std::string plural = {};
    std::string singular = {};
    std::string kind = {};
    std::string list_kind = {};
    std::vector<std::string> short_names = {};
    std::vector<std::string> categories = {};
    /// Custom resources: the schemas of all versions, also of those that are not served. None: the version has none.
    std::vector<std::pair<std::string, std::optional<object_schema>>> schemas = {};
    /// Objects lose what the schema of another version does not have: the strategy None of a conversion.
    bool prunes_versions = false;
    /// Custom resources: the webhook that converts objects. Nothing: none does.
    std::optional<kubecoro::detail::conversion_webhook> conversion = {};
    bool namespaced = true;
    name_rule names = name_rule::subdomain;
    /// Declared by a CustomResourceDefinition.
    bool custom = false;
    bool has_status = false;
    bool has_scale = false;
    /// A write of the status also sets labels, annotations, finalizers and owners; see status_sets().
    bool status_sets_metadata = true;
    generation_rule generation = generation_rule::none;
    /// An update without resourceVersion is accepted.
    bool unconditional_update = true;
    /// PUT of an absent object creates it.
    bool create_on_update = false;
    /// A deletion without a propagation policy leaves the dependents alone.
    bool orphans_dependents = false;
    /// DELETE returns the object instead of a Status.
    bool delete_answers_object = false;
    std::vector<immutable_field> immutable = {};
    /// Paths supported in field selectors, in addition to metadata.name and metadata.namespace; of a custom resource those of any
    /// served version.
    std::vector<std::string> selectable = {};
    /// Raised when a definition changes them.
    std::uint64_t selectable_revision = 0;
    /// Top-level members besides kind, apiVersion and metadata; empty: any.
    std::vector<std::string> members = {};
    /// Paths of the scale subresource. An empty `scale_selector`: spec.selector.matchLabels.
    std::string scale_spec = "spec.replicas";
    std::string scale_status = "status.replicas";
    std::string scale_selector = {};

    /// "pods" or "deployments.apps".
    [[nodiscard]] std::string display_name() const { return group.empty() ? plural : plural + "." + group; }
    /// "Pod" or "Deployment.apps".
    [[nodiscard]] std::string kind_name() const { return group.empty() ? kind : kind + "." + group; }
    [[nodiscard]] std::string api_version(std::string_view version) const;
    [[nodiscard]] const served_version* find_version(std::string_view version) const;
    /// The schema of a version of a custom resource; null if there is none.
    [[nodiscard]] const object_schema* schema_of(std::string_view version) const;
    /// The beginning of an object's text in a version: `{"kind":"Pod","apiVersion":"v1",`.
    [[nodiscard]] std::string type_prefix(std::string_view version) const;
};

/// A part of an object with a path of its own.
struct subresource_info
{
    std::string_view name;
    /// Separated by commas, sorted.
    std::string_view verbs = "get,patch,update";
    /// Group and version of its kind; empty: the resource's own.
    std::string_view api_version = {};
    /// Empty: the resource's own.
    std::string_view kind = {};

    [[nodiscard]] bool allows(std::string_view verb) const noexcept;
};

/// Whether a write of the status subresource sets this member of metadata.
[[nodiscard]] bool status_sets(const resource_info& info, std::string_view member);

/// The subresources of a resource, sorted by name.
[[nodiscard]] std::vector<subresource_info> subresources_of(const resource_info& info);

/// True for DaemonSet, Deployment, ReplicaSet and StatefulSet, whose selector must match their pod template.
[[nodiscard]] bool selects_pods(builtin b) noexcept;

/// The resources that the server has from the start.
[[nodiscard]] std::vector<resource_info> builtin_resources();

/// True for the server's own groups, where an unknown resource is answered with a Status instead of plain text.
[[nodiscard]] bool is_builtin_group(std::string_view group);

/// Returns the resource that a CustomResourceDefinition declares.
[[nodiscard]] resource_info resource_of_crd(const boost::json::value& crd);

/// The resources of these kinds, which the schemas describe.
[[nodiscard]] std::vector<resource_info> plain_resources();

/// A priority class that every cluster has.
struct system_priority_class
{
    std::string_view name;
    std::int32_t value;
    std::string_view description;
};
[[nodiscard]] std::span<const system_priority_class> system_priority_classes();
/// @return null if there is none of this name.
[[nodiscard]] const system_priority_class* find_system_priority_class(std::string_view name);

} // namespace kubecoro::apiserver
