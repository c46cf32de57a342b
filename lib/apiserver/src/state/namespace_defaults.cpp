// Puts the first service account and the root certificates into every namespace, as a cluster's controller manager does.
#include "objects/registry.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view account = "default";
constexpr std::string_view certificates = "kube-root-ca.crt";
/// The Service that leads to the server, and the first address of the range of services, which it has.
constexpr std::string_view own_service = "kubernetes";
constexpr std::string_view first_address = "10.96.0.1";
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
    if (gone.ns == "default" && gone.name == own_service) furnish_cluster(now);
}

void cluster_state_core::write_own(const std::shared_ptr<resource_store>& store, json::object body, wall_time now)
{
    const auto name = text_at(body.at("metadata"), "name");
    const std::string ns(store->info.namespaced ? "default" : "");
    const auto current = store->find(storage_key(ns, name));
    if (!current) return (void)create({store, store->info.storage_version, ns}, std::move(body), {}, now);
    auto next = to_json(*current);
    const auto before = next;
    object_member(next.get_object(), "metadata")["labels"] = body.at("metadata").at("labels");
    for (auto& [member, value] : body)
        if (member != "metadata") next.get_object()[member] = std::move(value);
    if (next != before) commit(*store, current, next);
}

void cluster_state_core::furnish_endpoints(wall_time now)
{
    if (endpoint_ip_.empty()) return;
    const std::string_view ip = endpoint_ip_;
    const json::array ports{{{"name", "https"}, {"port", endpoint_port_}, {"protocol", "TCP"}}};
    const json::object about{{"name", own_service}, {"labels", {{"endpointslice.kubernetes.io/skip-mirror", "true"}}}};
    const json::array addresses{json::object{{"ip", ip}}};
    write_own(find("", "endpoints"),
              {{"metadata", about}, {"subsets", json::array{{{"addresses", addresses}, {"ports", ports}}}}}, now);
    const json::object about_slice{{"name", own_service}, {"labels", {{"kubernetes.io/service-name", own_service}}}};
    const json::object endpoint{{"addresses", json::array{ip}}, {"conditions", {{"ready", true}}}};
    write_own(find("discovery.k8s.io", "endpointslices"),
              {{"metadata", about_slice},
               {"addressType", ip.find(':') == ip.npos ? "IPv4" : "IPv6"},
               {"endpoints", json::array{endpoint}},
               {"ports", ports}},
              now);
}

void cluster_state_core::furnish_cluster(wall_time now)
{
    if (!options_.namespace_defaults) return;
    const auto services = find("", "services");
    if (!services->find(storage_key("default", own_service))) {
        const json::object labels{{"component", "apiserver"}, {"provider", "kubernetes"}};
        const json::object port{{"name", "https"}, {"protocol", "TCP"}, {"port", 443}, {"targetPort", endpoint_port_}};
        json::object spec{{"ports", json::array{port}}, {"clusterIP", first_address}};
        const auto create_service = [&] {
            const json::object metadata{{"name", own_service}, {"labels", labels}};
            return create({services, "v1", "default"}, json::object{{"metadata", metadata}, {"spec", spec}}, {}, now);
        };
        if (!create_service()) {
            spec.erase("clusterIP"); // another service of a restored state has it
            (void)create_service();
        }
    }
    furnish_endpoints(now);
    const auto classes = find("scheduling.k8s.io", "priorityclasses");
    for (const auto& c : system_priority_classes())
        if (!classes->find(storage_key("", c.name)))
            (void)create({classes, "v1"},
                         json::object{{"metadata", {{"name", c.name}}},
                                      {"value", c.value},
                                      {"description", c.description},
                                      {"preemptionPolicy", "PreemptLowerPriority"}},
                         {.keep_status = true}, now);
}

void cluster_state_core::publish_endpoint(std::string_view ip, std::uint16_t port, wall_time now)
{
    if (!options_.namespace_defaults) return;
    endpoint_ip_ = ip;
    endpoint_port_ = port;
    const auto services = find("", "services");
    if (const auto current = services->find(storage_key("default", own_service))) {
        auto body = to_json(*current);
        const auto* ports = array_at(body, "spec.ports");
        if (ports && ports->size() == 1 && int_at(ports->front(), "targetPort") != port) {
            body.at_pointer("/spec/ports/0").get_object()["targetPort"] = port;
            commit(*services, current, body);
        }
    }
    furnish_cluster(now);
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
