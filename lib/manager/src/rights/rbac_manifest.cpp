// Writes rights as manifests.
#include <kubecoro/manager/access_right.hpp>

#include <kubecoro/api/yaml.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <map>
#include <tuple>

namespace kubecoro {

namespace json = boost::json;

namespace {

constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

json::array list_of(const std::vector<std::string>& texts)
{
    json::array out;
    for (const auto& t : texts) out.emplace_back(t);
    return out;
}

/// Resources of one group with the same verbs share a rule.
json::array rules_of(const std::vector<access_right>& rights)
{
    std::map<std::tuple<std::string, std::vector<std::string>, std::string>, std::vector<std::string>> shared;
    for (const auto& r : rights) shared[{r.group, r.verbs, r.name}].push_back(r.resource);
    json::array out;
    for (const auto& [about, resources] : shared) {
        const auto& [group, verbs, name] = about;
        json::object rule{{"apiGroups", json::array{group}}, {"resources", list_of(resources)}};
        if (!name.empty()) rule["resourceNames"] = json::array{name};
        rule["verbs"] = list_of(verbs);
        out.push_back(std::move(rule));
    }
    return out;
}

json::object metadata(const std::string& name, const std::string& ns)
{
    json::object out{{"name", name}};
    if (!ns.empty()) out["namespace"] = ns;
    return out;
}

json::object role(const std::string& name, const std::string& ns, const std::vector<access_right>& rights)
{
    return {{"apiVersion", std::string(rbac_group) + "/v1"},
            {"kind", ns.empty() ? "ClusterRole" : "Role"},
            {"metadata", metadata(name, ns)},
            {"rules", rules_of(rights)}};
}

json::object binding(const std::string& name, const std::string& ns, const std::string& account_ns)
{
    const std::string kind = ns.empty() ? "ClusterRole" : "Role";
    return {
        {"apiVersion", std::string(rbac_group) + "/v1"},
        {"kind", kind + "Binding"},
        {"metadata", metadata(name, ns)},
        {"roleRef", json::object{{"apiGroup", rbac_group}, {"kind", kind}, {"name", name}}},
        {"subjects", json::array{json::object{{"kind", "ServiceAccount"}, {"name", name}, {"namespace", account_ns}}}}};
}

} // namespace

std::string rbac_manifest(const std::vector<access_right>& rights, const rbac_options& options)
{
    const auto& [name, ns] = options;
    std::map<std::string, std::vector<access_right>> by_namespace;
    for (auto& r : merged(rights)) by_namespace[r.ns].push_back(std::move(r));
    std::string out =
        to_yaml(json::object{{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata(name, ns)}});
    for (const auto& [where, those] : by_namespace)
        for (const auto& o : {role(name, where, those), binding(name, where, ns)}) out += "---\n" + to_yaml(o);
    return out;
}

} // namespace kubecoro
