#include "render/openapi.hpp"

#include "render/json_text.hpp"
#include "state/registry.hpp"
#include "state/resource_store.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

std::string document_path(const served_group& group, const served_group::version& version)
{
    return group.name.empty() ? "api/" + version.name : "apis/" + group.name + "/" + version.name;
}

/// "com.example.v1.Widget": the group's parts in reverse, as kube-apiserver names schemas of custom resources.
std::string schema_name(const resource_info& info, std::string_view version)
{
    std::string name, rest = info.group.empty() ? "core" : info.group;
    if (!info.custom) name = "io.k8s.api.";
    while (!rest.empty()) {
        const auto dot = rest.rfind('.');
        name += (dot == std::string::npos ? rest : rest.substr(dot + 1)) + ".";
        rest = dot == std::string::npos ? std::string{} : rest.substr(0, dot);
    }
    return name + std::string(version) + "." + info.kind;
}

json::object group_version_kind(const resource_info& info, std::string_view version)
{
    return {{"group", std::string_view(info.group)}, {"version", version}, {"kind", std::string_view(info.kind)}};
}

json::array write_parameters()
{
    json::array all;
    for (const std::string_view name : {"dryRun", "fieldManager", "fieldValidation"})
        all.push_back({{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}, {"uniqueItems", true}}}});
    return all;
}

json::object operation(const resource_info& info, std::string_view version, std::string_view action)
{
    const std::string reference = "#/components/schemas/" + schema_name(info, version);
    const json::value schema{{"$ref", std::string_view(reference)}};
    json::object o{
        {"description", ""},
        {"responses", {{"200", {{"description", "OK"}, {"content", {{"application/json", {{"schema", schema}}}}}}}}},
        {"x-kubernetes-action", action},
        {"x-kubernetes-group-version-kind", group_version_kind(info, version)}};
    if (action != "post" && action != "put" && action != "patch") return o;
    o["parameters"] = write_parameters();
    json::object content;
    if (action == "patch") {
        // Strategic merge is supported but not listed: the schemas have no merge keys, and without this entry kubectl
        // computes its patches from its built-in types.
        for (const std::string_view type : {"application/json-patch+json", "application/merge-patch+json"})
            content[type] = {{"schema", {{"type", "object"}}}};
    } else {
        content["*/*"] = {{"schema", schema}};
    }
    o["requestBody"] = {{"content", content}, {"required", true}};
    return o;
}

void add_paths(json::object& paths, const resource_info& info, std::string_view version, const std::string& prefix)
{
    const auto collection = prefix + (info.namespaced ? "/namespaces/{namespace}/" : "/") + info.plural;
    paths[collection] = {{"get", operation(info, version, "list")},
                         {"post", operation(info, version, "post")},
                         {"delete", operation(info, version, "deletecollection")}};
    paths[collection + "/{name}"] = {{"get", operation(info, version, "get")},
                                     {"put", operation(info, version, "put")},
                                     {"patch", operation(info, version, "patch")},
                                     {"delete", operation(info, version, "delete")}};
    if (info.namespaced) paths[prefix + "/" + info.plural] = {{"get", operation(info, version, "list")}};
}

json::object schema_of(const resource_info& info, std::string_view version)
{
    json::object schema;
    const auto* served = info.find_version(version);
    if (served && served->schema->is_object()) schema = served->schema->get_object();
    schema["type"] = "object";
    auto& properties = object_member(schema, "properties");
    for (const std::string_view name : {"apiVersion", "kind"}) properties[name] = {{"type", "string"}};
    properties["metadata"] = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    if (!info.custom) {
        for (const auto& member : info.members)
            if (!properties.if_contains(member)) properties[member] = {{"x-kubernetes-preserve-unknown-fields", true}};
        schema["x-kubernetes-preserve-unknown-fields"] = true;
    }
    schema["x-kubernetes-group-version-kind"] = json::array{group_version_kind(info, version)};
    return schema;
}

} // namespace

std::string openapi_document(const std::vector<served_group>& groups, std::string_view path)
{
    for (const auto& group : groups)
        for (const auto& version : group.versions) {
            if (document_path(group, version) != path) continue;
            json::object paths, schemas;
            for (const auto& store : version.resources) {
                add_paths(paths, store->info, version.name, "/" + document_path(group, version));
                schemas[schema_name(store->info, version.name)] = schema_of(store->info, version.name);
            }
            return to_text(json::object{{"openapi", "3.0.0"},
                                        {"info", {{"title", "Kubernetes"}, {"version", "1.36"}}},
                                        {"paths", paths},
                                        {"components", {{"schemas", schemas}}}});
        }
    return {};
}

std::string openapi_index(const std::vector<served_group>& groups)
{
    json::object paths;
    for (const auto& group : groups)
        for (const auto& version : group.versions) {
            const auto path = document_path(group, version);
            const auto url = "/openapi/v3/" + path + "?hash=" + content_hash(openapi_document(groups, path));
            paths[path] = {{"serverRelativeURL", std::string_view(url)}};
        }
    return to_text(json::object{{"paths", paths}});
}

} // namespace kubecoro::apiserver
