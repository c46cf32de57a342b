#include "children.hpp"

#include <kubecoro/client/struct_edit.hpp>

#include <algorithm>

namespace kubecoro::website_operator {
namespace {

constexpr std::int32_t container_port = 8080;
constexpr std::string_view instance = "app.kubernetes.io/instance";

using labels = std::map<std::string, std::string>;

labels labels_of(std::string_view site)
{
    return {{std::string(managed_by), std::string(manager_name)}, {std::string(instance), std::string(site)}};
}

bool is_small_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_small_or_digit(char c) noexcept { return is_small_letter(c) || (c >= '0' && c <= '9'); }

/// Takes possession of a new object, and of none that is there without it.
template<class T>
result<> own(const object& owner, T& child)
{
    const bool own = is_controlled_by(child, owner);
    if (child.metadata.uid && !own)
        return failure(cond::already_exists, T::resource().kind + " " + child.metadata.name.value_or("") +
                                                 " is not the website's: rename one of them");
    if (!own) set_controller_reference(owner, child);
    for (const auto& [key, value] : labels_of(owner.name())) child.metadata.labels[key] = value;
    return {};
}

/// The only one, made if there is none.
template<class T>
T& only(std::vector<T>& all)
{
    all.resize(1);
    return all.front();
}

core_v1::probe probe_of_root(std::int32_t period)
{
    core_v1::probe p;
    p.httpGet = core_v1::http_get_action{.path = "/", .port = container_port, .scheme = "HTTP"};
    p.periodSeconds = period;
    p.timeoutSeconds = 1;
    p.successThreshold = 1;
    p.failureThreshold = 3;
    return p;
}

void shape_container(const website& site, core_v1::container& c)
{
    c.name = "web";
    c.image = site.spec.image;
    auto& port = only(c.ports);
    port.name = "http";
    port.containerPort = container_port;
    port.protocol = "TCP";
    c.volumeMounts.resize(2);
    c.volumeMounts[0].name = "pages";
    c.volumeMounts[0].mountPath = "/usr/share/nginx/html";
    c.volumeMounts[0].readOnly = true;
    c.volumeMounts[1].name = "tmp";
    c.volumeMounts[1].mountPath = "/tmp";
    c.readinessProbe = probe_of_root(5);
    c.livenessProbe = probe_of_root(20);
    core_v1::security_context s;
    s.allowPrivilegeEscalation = false;
    s.readOnlyRootFilesystem = true;
    s.capabilities = core_v1::capabilities{.drop = {"ALL"}};
    c.securityContext = s;
}

void shape_pod(const website& site, std::string_view name, core_v1::pod_spec& p)
{
    shape_container(site, only(p.containers));
    p.volumes.resize(2);
    p.volumes[0].name = "pages";
    core_v1::config_map_volume_source pages;
    pages.name = pages_name(name);
    pages.defaultMode = 0644;
    p.volumes[0].configMap = pages;
    p.volumes[1].name = "tmp";
    p.volumes[1].emptyDir = core_v1::empty_dir_volume_source{};
    core_v1::pod_security_context s;
    s.runAsNonRoot = true;
    s.seccompProfile = core_v1::seccomp_profile{.type = "RuntimeDefault"};
    p.securityContext = s;
    p.automountServiceAccountToken = false;
}

} // namespace

result<> check_name(std::string_view site)
{
    constexpr std::size_t longest_label = 63;
    const auto is_of_label = [](char c) { return is_small_or_digit(c) || c == '-'; };
    if (!site.empty() && site.size() <= longest_label && is_small_letter(site.front()) &&
        is_small_or_digit(site.back()) && std::all_of(site.begin(), site.end(), is_of_label))
        return {};
    return failure(cond::invalid,
                   "the name must have small letters, digits and dashes, up to 63, the first one a letter: its "
                   "Service has the same name");
}

std::string pages_name(std::string_view site) { return std::string(site) + "-pages"; }
std::string pod_selector(std::string_view site)
{
    std::string out;
    for (const auto& [key, value] : labels_of(site)) out += (out.empty() ? "" : ",") + key + "=" + value;
    return out;
}
std::string url_of(std::string_view ns, std::string_view site)
{
    return "http://" + std::string(site) + "." + std::string(ns) + ".svc";
}

result<> shape(const object& owner, const website& site, core_v1::config_map& pages)
{
    if (auto owned = own(owner, pages); !owned) return owned;
    pages.data = site.spec.pages;
    return {};
}

result<> shape(const object& owner, const website& site, apps_v1::deployment& d)
{
    if (auto owned = own(owner, d); !owned) return owned;
    const auto chosen = labels_of(owner.name());
    d.spec.replicas = site.spec.replicas;
    if (!d.metadata.uid) d.spec.selector = meta_v1::label_selector{.matchLabels = chosen}; // cannot change
    for (const auto& [key, value] : chosen) d.spec.template_.metadata.labels[key] = value;
    shape_pod(site, owner.name(), d.spec.template_.spec);
    return {};
}

result<> shape(const object& owner, const website&, core_v1::service& s)
{
    if (auto owned = own(owner, s); !owned) return owned;
    s.spec.selector = labels_of(owner.name());
    auto& port = only(s.spec.ports);
    port.name = "http";
    port.port = 80;
    port.targetPort = int_or_string("http");
    port.protocol = "TCP";
    return {};
}

readiness readiness_of(const website& site, const typed_object<apps_v1::deployment>& d)
{
    readiness out;
    const auto wanted = site.spec.replicas;
    const bool is_new = d && d->status().observedGeneration() >= d.generation();
    if (d) out.replicas = d->status().readyReplicas();
    const auto updated = is_new ? d->status().updatedReplicas() : 0;
    out.ready = is_new && updated >= wanted && out.replicas >= wanted && d->status().replicas() == wanted;
    out.reason = !out.ready ? "Progressing" : wanted == 0 ? "Off" : "Serving";
    out.message = std::to_string(out.replicas) + " of " + std::to_string(wanted) + " pods are ready";
    return out;
}

} // namespace kubecoro::website_operator
