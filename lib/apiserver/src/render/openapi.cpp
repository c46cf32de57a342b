#include "render/discovery.hpp"

#include "objects/registry.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/schema.hpp>

namespace kubecoro::apiserver {

namespace schemas = detail::builtin_schemas;

namespace {

std::string document_path(const served_group& group, const served_group::version& version)
{
    return group.name.empty() ? "api/" + version.name : "apis/" + group.name + "/" + version.name;
}

/// "com.example.v1.Widget": the group's parts in reverse, as kube-apiserver names schemas of custom resources.
std::string schema_name(const resource_info& info, std::string_view version)
{
    const auto* kind = info.custom ? nullptr : schemas::find(info.api_version(version), info.kind);
    if (kind) return std::string(schemas::message_name(kind->message));
    std::string name, rest = info.group.empty() ? "core" : info.group;
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
    if (info.has_status)
        paths[collection + "/{name}/status"] = {{"get", operation(info, version, "get")},
                                                {"put", operation(info, version, "put")},
                                                {"patch", operation(info, version, "patch")}};
    if (info.namespaced) paths[prefix + "/" + info.plural] = {{"get", operation(info, version, "list")}};
}

json::object custom_schema(const resource_info& info, std::string_view version)
{
    json::object schema;
    const auto* served = info.find_version(version);
    if (served && served->schema->is_object()) schema = served->schema->get_object();
    schema["type"] = "object";
    auto& properties = object_member(schema, "properties");
    for (const std::string_view name : {"apiVersion", "kind"}) properties[name] = {{"type", "string"}};
    properties["metadata"] = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    return schema;
}

/// The schemas of built-in kinds and of all messages in them, without descriptions.
class builtin_structure
{
public:
    explicit builtin_structure(json::object& out) : out_(out) {}

    /// Adds a message and those that it refers to. @return its name.
    std::string_view add(std::uint16_t message)
    {
        const auto name = schemas::message_name(message);
        if (out_.contains(name)) return name;
        out_[name] = json::object{}; // messages may contain themselves
        json::object properties;
        add_fields(message, properties);
        out_[name] = {{"type", "object"}, {"properties", std::move(properties)}};
        return name;
    }

private:
    void add_fields(std::uint16_t message, json::object& properties)
    {
        for (const auto& field : schemas::fields(message)) {
            if (field.has(detail::field_flag::inlined))
                add_fields(field.message, properties);
            else
                properties[schemas::text(field.name)] = schema_of(field);
        }
    }

    json::object schema_of(const detail::schema_field& field)
    {
        auto value = value_of(field);
        if (field.has(detail::field_flag::repeated)) return {{"type", "array"}, {"items", std::move(value)}};
        if (field.has(detail::field_flag::map)) return {{"type", "object"}, {"additionalProperties", std::move(value)}};
        return value;
    }

    json::object value_of(const detail::schema_field& field)
    {
        using detail::field_type;
        switch (field.type) {
        case field_type::string:
            return {{"type", "string"}};
        case field_type::bytes:
            return {{"type", "string"}, {"format", "byte"}};
        case field_type::int32:
            return {{"type", "integer"}, {"format", "int32"}};
        case field_type::int64:
            return {{"type", "integer"}, {"format", "int64"}};
        case field_type::boolean:
            return {{"type", "boolean"}};
        case field_type::real:
            return {{"type", "number"}, {"format", "double"}};
        case field_type::message:
            break;
        }
        return value_of_message(field.message);
    }

    json::object value_of_message(std::uint16_t message)
    {
        using detail::json_form;
        switch (schemas::message(message).form) {
        case json_form::object:
            return {{"$ref", std::string_view("#/components/schemas/" + std::string(add(message)))}};
        case json_form::array:
            return schema_of(schemas::fields(message).front());
        case json_form::quantity:
        case json_form::duration:
            return {{"type", "string"}};
        case json_form::time:
        case json_form::micro_time:
            return {{"type", "string"}, {"format", "date-time"}};
        case json_form::int_or_string:
            return {{"type", "string"}, {"format", "int-or-string"}};
        default:
            return {{"x-kubernetes-preserve-unknown-fields", true}}; // any JSON
        }
    }

    json::object& out_;
};

void add_schema(json::object& all, const resource_info& info, std::string_view version)
{
    const auto name = schema_name(info, version);
    const auto* kind = info.custom ? nullptr : schemas::find(info.api_version(version), info.kind);
    if (kind) {
        builtin_structure(all).add(kind->message);
        auto& properties = all[name].get_object()["properties"].get_object();
        for (const std::string_view member : {"apiVersion", "kind"}) properties[member] = {{"type", "string"}};
    } else {
        all[name] = custom_schema(info, version);
    }
    all[name].get_object()["x-kubernetes-group-version-kind"] = json::array{group_version_kind(info, version)};
}

} // namespace

std::string openapi_document(const std::vector<served_group>& groups, std::string_view path)
{
    for (const auto& group : groups)
        for (const auto& version : group.versions) {
            if (document_path(group, version) != path) continue;
            json::object paths, all;
            for (const auto& store : version.resources) {
                add_paths(paths, store->info, version.name, "/" + document_path(group, version));
                add_schema(all, store->info, version.name);
            }
            return to_text(json::object{{"openapi", "3.0.0"},
                                        {"info", {{"title", "Kubernetes"}, {"version", "1.36"}}},
                                        {"paths", paths},
                                        {"components", {{"schemas", all}}}});
        }
    return {};
}

std::string openapi_hash(std::string_view path, std::uint64_t discovery_version)
{
    return content_hash(std::string(path) + "@" + std::to_string(discovery_version));
}

std::string openapi_index(const std::vector<served_group>& groups, std::uint64_t discovery_version)
{
    json::object paths;
    for (const auto& group : groups)
        for (const auto& version : group.versions) {
            const auto path = document_path(group, version);
            const auto url = "/openapi/v3/" + path + "?hash=" + openapi_hash(path, discovery_version);
            paths[path] = {{"serverRelativeURL", std::string_view(url)}};
        }
    return to_text(json::object{{"paths", paths}});
}

} // namespace kubecoro::apiserver
