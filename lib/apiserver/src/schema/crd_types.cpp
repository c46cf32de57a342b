#include "schema/crd_types.hpp"

#include "objects/status_errors.hpp"
#include "schema/schema.hpp"
#include "text/json_text.hpp"

#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

status_error wrong_crd_type(const json::value& found, const std::string& field, std::string_view wanted)
{
    return apiserver::wrong_type("CustomResourceDefinition", "v1", found, field, wanted);
}

/// Checks the JSON types of a schema and of the schemas nested in it.
std::optional<status_error> check_schema_types(const json::value& v, const std::string& field)
{
    if (v.is_null()) return {};
    if (!v.is_object()) return wrong_crd_type(v, field, "v1.JSONSchemaProps");
    const auto& schema = v.get_object();
    const std::string inside = "JSONSchemaProps." + field.substr(field.find('.') + 1);
    if (const auto* type = schema.if_contains("type"); type && !type->is_string() && !type->is_null())
        return wrong_crd_type(*type, inside + ".type", "string");
    for (const std::string_view list : {"required", "enum"})
        if (const auto* l = schema.if_contains(list); l && !l->is_array() && !l->is_null())
            return wrong_crd_type(*l, inside + "." + std::string(list), list == "enum" ? "[]v1.JSON" : "[]string");
    if (const auto* properties = schema.if_contains("properties"); properties && !properties->is_null()) {
        if (!properties->is_object())
            return wrong_crd_type(*properties, inside + ".properties", "map[string]v1.JSONSchemaProps");
        for (const auto& [name, sub] : properties->get_object())
            if (auto e = check_schema_types(sub, inside + ".properties")) return e;
    }
    if (const auto* items = schema.if_contains("items"); items && !items->is_array())
        if (auto e = check_schema_types(*items, inside + ".items")) return e;
    if (const auto* others = schema.if_contains("additionalProperties"); others && !others->is_bool())
        if (auto e = check_schema_types(*others, inside + ".additionalProperties")) return e;
    return {};
}

} // namespace

std::optional<status_error> check_crd_types(const json::value& crd)
{
    const auto* versions = find_at(crd, "spec.versions");
    if (!versions || versions->is_null()) return {};
    if (!versions->is_array())
        return wrong_crd_type(*versions, "CustomResourceDefinitionSpec.spec.versions",
                              "[]v1.CustomResourceDefinitionVersion");
    for (const auto& v : versions->get_array()) {
        if (!v.is_object())
            return wrong_crd_type(v, "CustomResourceDefinitionSpec.spec.versions",
                                  "v1.CustomResourceDefinitionVersion");
        const auto* schema = find_at(v, "schema.openAPIV3Schema");
        if (!schema || schema->is_null()) continue;
        if (auto e = check_schema_types(*schema, "CustomResourceValidation.spec.versions.schema.openAPIV3Schema"))
            return e;
    }
    return {};
}

} // namespace kubecoro::apiserver
