#include "render/discovery.hpp"

#include "render/json_text.hpp"
#include "state/registry.hpp"
#include "state/resource_store.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

json::array to_array(const std::vector<std::string>& texts)
{
    json::array out;
    for (const auto& t : texts) out.push_back(json::value(std::string_view(t)));
    return out;
}

json::value str(std::string_view text) { return json::value(text); }

json::array verbs_of(const resource_info& info)
{
    if (info.custom) return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
    if (info.behaves == builtin::namespace_) return {"create", "delete", "get", "list", "patch", "update", "watch"};
    return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

struct subresource
{
    std::string_view name;
    std::string_view group;
    std::string_view version;
    std::string_view kind;
    json::array verbs;
};

std::vector<subresource> subresources_of(const resource_info& info, std::string_view version)
{
    std::vector<subresource> all;
    if (info.behaves == builtin::namespace_) all.push_back({"finalize", info.group, version, info.kind, {"update"}});
    if (info.has_scale) all.push_back({"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}});
    if (info.has_status) all.push_back({"status", info.group, version, info.kind, {"get", "patch", "update"}});
    return all;
}

json::object version_entry(const std::string& group, const std::string& version)
{
    const auto full = group.empty() ? version : group + "/" + version;
    return {{"groupVersion", str(full)}, {"version", str(version)}};
}

json::object group_body(const served_group& group)
{
    json::array versions;
    for (const auto& v : group.versions) versions.push_back(version_entry(group.name, v.name));
    json::object preferred = versions.empty() ? json::object{} : versions.front().get_object();
    return {{"name", str(group.name)}, {"versions", versions}, {"preferredVersion", preferred}};
}

json::object discovery_entry(const resource_info& info, std::string_view version)
{
    const auto kind_of = [&](std::string_view group, std::string_view v, std::string_view kind) -> json::object {
        // The core group's kinds have neither group nor version, as in kube-apiserver.
        return {{"group", str(group)}, {"version", str(group.empty() ? std::string_view{} : v)}, {"kind", str(kind)}};
    };
    json::object entry{{"resource", str(info.plural)},
                       {"responseKind", kind_of(info.group, version, info.kind)},
                       {"scope", info.namespaced ? "Namespaced" : "Cluster"},
                       {"singularResource", str(info.singular)},
                       {"verbs", verbs_of(info)}};
    if (!info.short_names.empty()) entry["shortNames"] = to_array(info.short_names);
    if (!info.categories.empty()) entry["categories"] = to_array(info.categories);
    json::array subs;
    for (auto& sub : subresources_of(info, version))
        subs.push_back({{"subresource", str(sub.name)},
                        {"responseKind", kind_of(sub.group, sub.version, sub.kind)},
                        {"verbs", sub.verbs}});
    if (!subs.empty()) entry["subresources"] = subs;
    return entry;
}

} // namespace

std::vector<served_group> served_groups(const cluster_state_core& state)
{
    std::vector<served_group> groups;
    for (const auto& store : state.resources()) {
        const auto& info = store->info;
        if (groups.empty() || groups.back().name != info.group) groups.push_back({info.group, {}});
        auto& versions = groups.back().versions;
        for (const auto& v : info.versions) {
            auto it = std::find_if(versions.begin(), versions.end(), [&](const auto& x) { return x.name == v.name; });
            if (it == versions.end()) it = versions.insert(versions.end(), {v.name, {}});
            it->resources.push_back(store);
        }
    }
    return groups;
}

std::string group_list(const std::vector<served_group>& groups)
{
    json::array all;
    for (const auto& g : groups)
        if (!g.name.empty()) all.push_back(group_body(g));
    return to_text(json::object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", all}});
}

std::string group_document(const served_group& group)
{
    json::object out{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
    for (const auto& member : group_body(group)) out.emplace(member.key(), member.value());
    return to_text(out);
}

std::string resource_list(const served_group& group, const served_group::version& version)
{
    json::array all;
    for (const auto& store : version.resources) {
        const auto& info = store->info;
        json::object entry{{"name", str(info.plural)},
                           {"singularName", str(info.singular)},
                           {"namespaced", info.namespaced},
                           {"kind", str(info.kind)},
                           {"verbs", verbs_of(info)}};
        if (!info.short_names.empty()) entry["shortNames"] = to_array(info.short_names);
        if (!info.categories.empty()) entry["categories"] = to_array(info.categories);
        all.push_back(entry);
        for (auto& sub : subresources_of(info, version.name)) {
            json::object e{{"name", str(info.plural + "/" + std::string(sub.name))},
                           {"singularName", ""},
                           {"namespaced", info.namespaced}};
            if (sub.group != info.group) {
                e["group"] = sub.group;
                e["version"] = sub.version;
            }
            e["kind"] = sub.kind;
            e["verbs"] = sub.verbs;
            all.push_back(e);
        }
    }
    json::object out{{"kind", "APIResourceList"}};
    if (!group.name.empty()) out["apiVersion"] = "v1";
    out["groupVersion"] = version_entry(group.name, version.name)["groupVersion"];
    out["resources"] = all;
    return to_text(out);
}

std::string aggregated_discovery(const std::vector<served_group>& groups, bool core)
{
    json::array items;
    for (const auto& g : groups) {
        if (g.name.empty() != core) continue;
        json::array versions;
        for (const auto& v : g.versions) {
            json::array resources;
            for (const auto& store : v.resources) resources.push_back(discovery_entry(store->info, v.name));
            versions.push_back({{"version", str(v.name)}, {"resources", resources}, {"freshness", "Current"}});
        }
        json::object metadata;
        if (!core) metadata = {{"name", str(g.name)}};
        items.push_back({{"metadata", metadata}, {"versions", versions}});
    }
    return to_text(json::object{{"kind", "APIGroupDiscoveryList"},
                                {"apiVersion", "apidiscovery.k8s.io/v2"},
                                {"metadata", json::object{}},
                                {"items", items}});
}

std::string content_hash(std::string_view text)
{
    static constexpr char hex[] = "0123456789ABCDEF";
    std::uint64_t h = 0xcbf29ce484222325;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::string out;
    for (int i = 60; i >= 0; i -= 4) out += hex[(h >> i) & 15];
    return out;
}

} // namespace kubecoro::apiserver
