#include "state/role_rules.hpp"

#include <map>
#include <string>

namespace kubecoro::apiserver {
namespace {

using texts = std::vector<std::string>;

const texts& read()
{
    static const texts verbs{"get", "list", "watch"};
    return verbs;
}

const texts& write()
{
    static const texts verbs{"create", "delete", "deletecollection", "patch", "update"};
    return verbs;
}

const texts& read_and_write()
{
    static const texts verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
    return verbs;
}

role_rule rule(const texts& verbs, std::string group, texts resources)
{
    return {verbs, {std::move(group)}, std::move(resources), {}, {}};
}

/// Reading in a namespace, without its secrets.
std::vector<role_rule> view_rules()
{
    return {
        rule(read(), "",
             {"configmaps", "endpoints", "persistentvolumeclaims", "persistentvolumeclaims/status", "pods",
              "replicationcontrollers", "replicationcontrollers/scale", "serviceaccounts", "services",
              "services/status"}),
        rule(read(), "",
             {"bindings", "limitranges", "namespaces/status", "pods/log", "pods/status",
              "replicationcontrollers/status", "resourcequotas", "resourcequotas/status"}),
        rule(read(), "", {"namespaces"}),
        {read(), {"", "events.k8s.io"}, {"events"}, {}, {}},
        rule(read(), "discovery.k8s.io", {"endpointslices"}),
        rule(read(), "apps",
             {"controllerrevisions", "daemonsets", "daemonsets/status", "deployments", "deployments/scale",
              "deployments/status", "replicasets", "replicasets/scale", "replicasets/status", "statefulsets",
              "statefulsets/scale", "statefulsets/status"}),
        rule(read(), "autoscaling", {"horizontalpodautoscalers", "horizontalpodautoscalers/status"}),
        rule(read(), "batch", {"cronjobs", "cronjobs/status", "jobs", "jobs/status"}),
        rule(read(), "policy", {"poddisruptionbudgets", "poddisruptionbudgets/status"}),
        rule(read(), "networking.k8s.io", {"ingresses", "ingresses/status", "networkpolicies"}),
        rule(read(), "resource.k8s.io", {"resourceclaims", "resourceclaims/status", "resourceclaimtemplates"}),
    };
}

/// Writing in a namespace, and reading the secrets that could make it another user.
std::vector<role_rule> edit_rules()
{
    return {
        rule(read(), "", {"pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"}),
        rule({"impersonate"}, "", {"serviceaccounts"}),
        rule(write(), "", {"pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"}),
        rule({"create"}, "", {"pods/eviction"}),
        rule(write(), "",
             {"configmaps", "persistentvolumeclaims", "replicationcontrollers", "replicationcontrollers/scale",
              "secrets", "serviceaccounts", "services", "services/proxy"}),
        rule({"create"}, "", {"serviceaccounts/token"}),
        {write(), {"", "events.k8s.io"}, {"events"}, {}, {}},
        rule(write(), "apps",
             {"daemonsets", "deployments", "deployments/rollback", "deployments/scale", "replicasets",
              "replicasets/scale", "statefulsets", "statefulsets/scale"}),
        rule(write(), "autoscaling", {"horizontalpodautoscalers"}),
        rule(write(), "batch", {"cronjobs", "jobs"}),
        rule(write(), "policy", {"poddisruptionbudgets"}),
        rule(write(), "networking.k8s.io", {"ingresses", "networkpolicies"}),
        rule(read_and_write(), "coordination.k8s.io", {"leases"}),
        rule(write(), "resource.k8s.io", {"resourceclaims", "resourceclaimtemplates"}),
    };
}

/// Roles and bindings of a namespace.
std::vector<role_rule> admin_rules()
{
    return {rule({"create"}, "authorization.k8s.io", {"localsubjectaccessreviews"}),
            rule(read_and_write(), "rbac.authorization.k8s.io", {"rolebindings", "roles"})};
}

constexpr std::string_view to_view = "rbac.authorization.k8s.io/aggregate-to-view";
constexpr std::string_view to_edit = "rbac.authorization.k8s.io/aggregate-to-edit";
constexpr std::string_view to_admin = "rbac.authorization.k8s.io/aggregate-to-admin";

using roles = std::map<std::string, default_role, std::less<>>;

roles all_roles()
{
    roles all;
    all["cluster-admin"].rules = {{{"*"}, {"*"}, {"*"}, {}, {}}, {{"*"}, {}, {}, {}, {"*"}}};
    all["system:auth-delegator"].rules = {rule({"create"}, "authentication.k8s.io", {"tokenreviews"}),
                                          rule({"create"}, "authorization.k8s.io", {"subjectaccessreviews"})};
    all["view"] = {view_rules(), {to_view}};
    // Each of them includes the one before it.
    all["edit"] = {edit_rules(), {to_edit, to_view}};
    all["admin"] = {admin_rules(), {to_admin, to_edit, to_view}};
    auto& edit = all["edit"].rules;
    edit.insert(edit.end(), all["view"].rules.begin(), all["view"].rules.end());
    auto& admin = all["admin"].rules;
    admin.insert(admin.end(), edit.begin(), edit.end());
    return all;
}

} // namespace

const default_role* find_default_role(std::string_view name)
{
    static const auto all = all_roles();
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
}

} // namespace kubecoro::apiserver
