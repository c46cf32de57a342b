// Puts the first service account and the root certificates into every namespace, as a cluster's controller manager does.
#include "render/json_text.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view account = "default";
constexpr std::string_view certificates = "kube-root-ca.crt";
constexpr std::string_view certificates_key = "ca.crt";
constexpr std::string_view certificates_about =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters.";

json::object data_of(std::string_view root_ca) { return {{certificates_key, root_ca}}; }

} // namespace

void cluster_state_core::furnish_namespace(std::string_view ns, wall_time now)
{
    if (!options_.namespace_defaults) return;
    const auto home = find("", "namespaces")->find(storage_key("", ns));
    if (!home || home->deleting) return;
    // An object that exists already stays as it is.
    (void)create({find("", "serviceaccounts"), "v1", std::string(ns)}, json::value{{"metadata", {{"name", account}}}},
                 {}, now);
    json::object metadata{{"name", certificates}, {"annotations", {{"kubernetes.io/description", certificates_about}}}};
    (void)create({find("", "configmaps"), "v1", std::string(ns)},
                 json::object{{"metadata", std::move(metadata)}, {"data", data_of(root_ca_)}}, {}, now);
}

void cluster_state_core::furnish_again(const resource_store& store, const stored_object& gone, wall_time now)
{
    const bool ours = (store.info.behaves == builtin::service_account && gone.name == account) ||
                      (store.info.behaves == builtin::config_map && gone.name == certificates);
    if (ours) furnish_namespace(gone.ns, now);
}

void cluster_state_core::publish_root_ca(std::string_view pem)
{
    if (!options_.namespace_defaults || root_ca_.find(pem) != std::string::npos) return;
    root_ca_ += pem;
    const auto maps = find("", "configmaps");
    for (const auto& [key, home] : find("", "namespaces")->objects()) {
        const auto current = maps->find(storage_key(home->name, certificates));
        if (!current) continue;
        auto body = to_json(*current);
        body.get_object()["data"] = data_of(root_ca_);
        commit(*maps, current, body);
    }
}

} // namespace kubecoro::apiserver
