#include "render/discovery.hpp"

#include "objects/registry.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"
#include <kubecoro/api/detail/version_order.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

json::value str(std::string_view text) { return json::value(text); }

json::array verbs_of(const resource_info& info)
{
    if (info.custom) return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
    if (info.behaves == builtin::review) return {"create"};
    if (info.behaves == builtin::namespace_) return {"create", "delete", "get", "list", "patch", "update", "watch"};
    return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

/// Group, version and kind of a subresource.
struct part_kind
{
    std::string_view group;
    std::string_view version;
    std::string_view kind;
};

part_kind kind_of(const subresource_info& sub, const resource_info& info, std::string_view version)
{
    part_kind out{info.group, version, sub.kind.empty() ? std::string_view(info.kind) : sub.kind};
    if (sub.api_version.empty()) return out;
    const auto slash = sub.api_version.find('/');
    out.group = slash == std::string_view::npos ? std::string_view{} : sub.api_version.substr(0, slash);
    out.version = slash == std::string_view::npos ? sub.api_version : sub.api_version.substr(slash + 1);
    return out;
}

json::array verbs_of(const subresource_info& sub)
{
    json::array out;
    for (auto rest = sub.verbs; !rest.empty();) {
        const auto each = rest.substr(0, rest.find(','));
        out.push_back(str(each));
        rest.remove_prefix(std::min(rest.size(), each.size() + 1));
    }
    return out;
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
    const auto response_kind = [&](std::string_view group, std::string_view v, std::string_view kind) -> json::object {
        // The core group's kinds have neither group nor version, as in kube-apiserver.
        return {{"group", str(group)}, {"version", str(group.empty() ? std::string_view{} : v)}, {"kind", str(kind)}};
    };
    json::object entry{{"resource", str(info.plural)},
                       {"responseKind", response_kind(info.group, version, info.kind)},
                       {"scope", info.namespaced ? "Namespaced" : "Cluster"},
                       {"singularResource", str(info.singular)},
                       {"verbs", verbs_of(info)}};
    if (!info.short_names.empty()) entry["shortNames"] = to_array(info.short_names);
    if (!info.categories.empty()) entry["categories"] = to_array(info.categories);
    json::array subs;
    for (const auto& sub : subresources_of(info)) {
        const auto kind = kind_of(sub, info, version);
        subs.push_back({{"subresource", str(sub.name)},
                        {"responseKind", response_kind(kind.group, kind.version, kind.kind)},
                        {"verbs", verbs_of(sub)}});
    }
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
    for (auto& group : groups)
        std::sort(group.versions.begin(), group.versions.end(),
                  [](const auto& a, const auto& b) { return detail::has_priority(a.name, b.name); });
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
        for (const auto& sub : subresources_of(info)) {
            const auto kind = kind_of(sub, info, version.name);
            json::object e{{"name", str(info.plural + "/" + std::string(sub.name))},
                           {"singularName", ""},
                           {"namespaced", info.namespaced}};
            if (kind.group != info.group) {
                e["group"] = kind.group;
                e["version"] = kind.version;
            }
            e["kind"] = kind.kind;
            e["verbs"] = verbs_of(sub);
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
