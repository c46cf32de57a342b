#include "check/published_schema.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t deepest_schema = 200;

result<json::value> parse(std::string_view text)
{
    json::parse_options limits;
    limits.max_depth = deepest_schema;
    boost::system::error_code broken;
    auto parsed = json::parse(text, broken, {}, limits);
    if (broken) return failure(cond::corrupt, "the schema is not JSON");
    return parsed;
}

bool says(const json::value& v, std::string_view name, std::string_view text)
{
    const auto* found = member_in(v, name);
    return found && found->is_string() && std::string_view(found->get_string()) == text;
}

bool is_of(const json::value& schema, const resource_type& resource)
{
    const auto* all = array_in(schema, "x-kubernetes-group-version-kind");
    return all && std::ranges::any_of(*all, [&](const auto& k) {
               return says(k, "group", resource.group) && says(k, "version", resource.version) &&
                      says(k, "kind", resource.kind);
           });
}

/// Properties may have these names as well, but their schemas are objects.
bool is_reference(const json::value& schema)
{
    if (const auto* to = member_in(schema, "$ref"); to && to->is_string()) return true;
    const auto* all = array_in(schema, "allOf");
    return all && std::ranges::any_of(*all, is_reference);
}

/// Replaces the schemas that are references.
void open_references(json::value& v)
{
    if (is_reference(v)) {
        v = {{"x-kubernetes-preserve-unknown-fields", true}};
        return;
    }
    if (auto* object = v.if_object()) {
        for (auto& m : *object) open_references(m.value());
    } else if (auto* array = v.if_array()) {
        for (auto& item : *array) open_references(item);
    }
}

bool has_status(const json::value& document, const resource_type& resource)
{
    const auto* all = object_in(document, "paths");
    const auto end = '/' + resource.plural + "/{name}/status";
    return all && std::ranges::any_of(*all, [&](const auto& path) { return path.key().ends_with(end); });
}

/// The definition that the server has made the document of, as far as it says.
json::value definition(const resource_type& resource, json::value schema, bool status)
{
    json::object version{{"name", resource.version}, {"schema", {{"openAPIV3Schema", std::move(schema)}}}};
    if (status) version["subresources"] = {{"status", json::object{}}};
    return {{"kind", "CustomResourceDefinition"},
            {"spec",
             {{"group", resource.group},
              {"names", {{"kind", resource.kind}, {"plural", resource.plural}}},
              {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
              {"versions", json::array{std::move(version)}}}}};
}

} // namespace

result<object_schema> schema_in_definition(std::string_view text, const resource_type& resource)
{
    const auto parsed = parse(text);
    if (!parsed) return parsed.error();
    return object_schema::of_crd(*parsed, resource.version);
}

result<object_schema> schema_in_openapi(std::string_view text, const resource_type& resource)
{
    const auto parsed = parse(text);
    if (!parsed) return parsed.error();
    if (const auto* all = object_in(member_in(*parsed, "components"), "schemas"))
        for (const auto& [name, schema] : *all) {
            if (!is_of(schema, resource)) continue;
            auto open = schema;
            open_references(open);
            return object_schema::of_crd(definition(resource, std::move(open), has_status(*parsed, resource)),
                                         resource.version);
        }
    return failure(cond::not_found, "the server publishes no schema of " + resource.display_name());
}

} // namespace kubecoro::detail
