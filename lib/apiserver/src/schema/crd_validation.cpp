#include "schema/crd_validation.hpp"

#include "render/json_path.hpp"
#include "render/json_text.hpp"
#include "render/status_errors.hpp"
#include "schema/schema.hpp"
#include "state/names.hpp"
#include "state/registry.hpp"

#include <kubecoro/api/detail/pattern_problem.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>

namespace kubecoro::apiserver {
namespace {

using errors::invalid_value;

constexpr std::string_view approved = "api-approved.kubernetes.io";
constexpr std::string_view approval_page = "see https://github.com/kubernetes/enhancements/pull/1111";

bool is_protected(std::string_view group)
{
    return group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
           group.ends_with(".kubernetes.io");
}

/// As in kube-apiserver: a URL, or a text that begins with "unapproved".
bool is_approval(std::string_view text)
{
    const auto scheme = text.find("://");
    return text.starts_with("unapproved") ||
           (scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3 && text[scheme + 3] != '/');
}

void check_group(const json::value& crd, std::vector<status_cause>& causes)
{
    const auto group = text_at(crd, "spec.group");
    if (group.empty())
        causes.push_back(errors::required("spec.group"));
    else if (!is_subdomain(group))
        causes.push_back(invalid_value("spec.group", quote(group), subdomain_rule));
    else if (group.find('.') == std::string_view::npos)
        causes.push_back(invalid_value("spec.group", quote(group), "should be a domain with at least one dot"));
    else if (is_builtin_group(group))
        causes.push_back(invalid_value("spec.group", quote(group), "belongs to built-in resources"));
    else if (is_protected(group)) {
        const auto* annotations = object_at(crd, "metadata.annotations");
        const auto* found = annotations ? annotations->if_contains(approved) : nullptr;
        const std::string_view text = found && found->is_string() ? std::string_view(found->get_string()) : "";
        const std::string field = "metadata.annotations[" + std::string(approved) + "]";
        const std::string why = "protected groups must have approval annotation " + quote(approved);
        if (text.empty())
            causes.push_back(errors::required(field, why + ", " + std::string(approval_page)));
        else if (!is_approval(text))
            causes.push_back(invalid_value(field, quote(text),
                                           why + " with either a URL or a reason starting with \"unapproved\", " +
                                               std::string(approval_page)));
    }
}

void check_names(const json::value& crd, std::vector<status_cause>& causes)
{
    for (const std::string_view path : {"spec.names.plural", "spec.names.kind"})
        if (text_at(crd, path).empty()) causes.push_back(errors::required(std::string(path)));
    const auto check = [&](std::string_view path, std::string_view label, std::string_view prefix) {
        const auto text = text_at(crd, path);
        if (!text.empty() && !is_label(label))
            causes.push_back(
                invalid_value(std::string(path), quote(text), std::string(prefix) + std::string(label_rule)));
    };
    const auto lower = [](std::string_view text) {
        std::string out;
        for (const char c : text) out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        return out;
    };
    for (const std::string_view path : {"spec.names.plural", "spec.names.singular"})
        check(path, text_at(crd, path), "");
    for (const std::string_view path : {"spec.names.kind", "spec.names.listKind"})
        check(path, lower(text_at(crd, path)), "may have mixed case, but should otherwise match: ");
    const auto kind = text_at(crd, "spec.names.kind");
    if (!kind.empty() && kind == text_at(crd, "spec.names.listKind"))
        causes.push_back(invalid_value("spec.names.listKind", quote(kind), "kind and listKind may not be the same"));
}

constexpr std::array types = {"array", "boolean", "integer", "number", "object", "string"};

bool is_set(const json::object& schema, std::string_view flag)
{
    const auto* v = schema.if_contains(flag);
    return v && v->is_bool() && v->get_bool();
}

/// The place of a schema in a definition, as a list on the stack: most places are never printed, and a long name may stand
/// above many of them.
struct schema_place
{
    const schema_place* above = nullptr;
    std::string_view step;
    std::optional<std::string_view> property = {};

    [[nodiscard]] std::string text() const
    {
        std::string out = above ? above->text() : std::string();
        out += step;
        if (!property) return out;
        out += '[';
        out += *property;
        out += ']';
        return out;
    }
};

/// Checks for a structural schema: every value has a type or an extension that permits its absence.
class schema_check
{
public:
    explicit schema_check(std::vector<status_cause>& causes) : causes_(causes) {}

    void check(const json::value& v, const schema_place& at, std::string_view typeless)
    {
        if (is_done()) return;
        const auto& schema = v.get_object();
        check_type(v, at, typeless);
        if (is_set(schema, "uniqueItems"))
            add(errors::forbidden_field(
                at.text() + ".uniqueItems",
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
        if (const auto expression = text_at(v, "pattern"); !expression.empty())
            if (const auto problem = detail::pattern_problem(expression); !problem.empty())
                add(invalid_value(at.text() + ".pattern", quote(expression),
                                  "must be a valid regular expression, but isn't: " + problem));
        if (schema.contains("$ref")) add(errors::forbidden_field(at.text() + ".$ref", "$ref is not supported"));
        check_parts(v, at);
    }

private:
    void check_type(const json::value& v, const schema_place& at, std::string_view typeless)
    {
        const auto& schema = v.get_object();
        const auto type = text_at(v, "type");
        const bool open = is_set(schema, "x-kubernetes-preserve-unknown-fields");
        const bool exempt = typeless != "at the root" && (open || is_set(schema, "x-kubernetes-int-or-string"));
        if (type.empty() && !exempt)
            add(errors::required(at.text() + ".type", "must not be empty " + std::string(typeless)));
        else if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end())
            add(errors::not_supported(at.text() + ".type", quote(type),
                                      R"("array", "boolean", "integer", "number", "object", "string")"));
        else if (typeless == "at the root" && type != "object")
            add(invalid_value(at.text() + ".type", quote(type), "must be object at the root"));
    }

    void check_parts(const json::value& v, const schema_place& at)
    {
        const auto& schema = v.get_object();
        const auto* items = schema.if_contains("items");
        if (items && items->is_array())
            add(errors::forbidden_field(at.text() + ".items", "items must be a schema object and not an array"));
        else if (items)
            check(*items, {&at, ".items"}, "for specified array items");
        else if (text_at(v, "type") == "array")
            add(errors::required(at.text() + ".items", "must be specified"));

        const auto* properties = object_at(v, "properties");
        const auto* others = schema.if_contains("additionalProperties");
        if (others && properties && !properties->empty() && !(others->is_bool() && others->get_bool()))
            add(errors::forbidden_field(at.text() + ".additionalProperties",
                                        "additionalProperties and properties are mutual exclusive"));
        if (others && others->is_object())
            check(*others, {&at, ".additionalProperties"}, "for specified object fields");
        if (properties)
            for (const auto& [name, sub] : *properties)
                check(sub, {&at, ".properties", std::string_view(name)}, "for specified object fields");
    }

    void add(status_cause cause)
    {
        bytes_ += cause.field.size() + cause.message.size();
        causes_.push_back(std::move(cause));
    }
    [[nodiscard]] bool is_done() const { return errors::enough(causes_) || bytes_ >= most_bytes; }

    static constexpr std::size_t most_bytes = std::size_t{1} << 20;

    std::vector<status_cause>& causes_;
    std::size_t bytes_ = 0;
};

/// Whether all versions have the same value at a member. A kube-apiserver then takes it as one of the whole definition.
bool share(const json::array& versions, std::string_view member)
{
    const auto* first = versions.empty() ? nullptr : find_at(versions.front(), member);
    return first && std::all_of(versions.begin(), versions.end(), [&](const auto& v) {
               const auto* value = find_at(v, member);
               return value && *value == *first;
           });
}

/// Checks a path of the scale subresource, which leads to a member of one of the parts.
void check_scale_path(const json::value& scale, const std::string& path, std::string_view member,
                      std::initializer_list<std::string_view> parts, std::string_view where,
                      std::vector<status_cause>& causes)
{
    const auto text = text_at(scale, member);
    const auto field = path + "." + std::string(member);
    const auto leads_into = [&](std::string_view part) { return text.starts_with(part); };
    if (text.empty())
        causes.push_back(errors::required(field));
    else if (text.front() != '.')
        causes.push_back(invalid_value(field, quote(text), "must be a simple json path starting with ."));
    else if (std::none_of(parts.begin(), parts.end(), leads_into))
        causes.push_back(invalid_value(field, quote(text), "should be a json path under " + std::string(where)));
}

void check_scale(const json::value& version, const std::string& path, std::vector<status_cause>& causes)
{
    const auto* scale = find_at(version, "subresources.scale");
    if (!scale || !scale->is_object()) return;
    const auto at = path + ".subresources.scale";
    check_scale_path(*scale, at, "specReplicasPath", {".spec."}, ".spec", causes);
    check_scale_path(*scale, at, "statusReplicasPath", {".status."}, ".status", causes);
    if (!text_at(*scale, "labelSelectorPath").empty())
        check_scale_path(*scale, at, "labelSelectorPath", {".spec.", ".status."}, "either .spec or .status", causes);
}

/// Bounds what a row of a table costs. A kube-apiserver has no such limits.
void check_columns(const json::value& version, const std::string& path, std::vector<status_cause>& causes)
{
    constexpr std::size_t most_columns = 100;
    const auto* columns = array_at(version, "additionalPrinterColumns");
    if (!columns) return;
    const auto field = path + ".additionalPrinterColumns";
    if (columns->size() > most_columns) causes.push_back(errors::too_many(field, columns->size(), most_columns));
    for (std::size_t i = 0; i < std::min(columns->size(), most_columns); ++i)
        if (text_at((*columns)[i], "jsonPath").size() > json_path::longest)
            causes.push_back(
                errors::too_long(field + "[" + std::to_string(i) + "].jsonPath", std::to_string(json_path::longest)));
}

/// Defaults are looked at in schemas that are right: the others say nothing about them.
void check_whole_schema(const json::value& schema, const std::string& path, std::vector<status_cause>& causes)
{
    const auto before = causes.size();
    schema_check(causes).check(schema, {nullptr, path}, "at the root");
    if (causes.size() != before) return;
    if (const auto compiled = object_schema::of_schema(schema))
        append_causes(causes, compiled->errors_in_defaults(path));
    else
        causes.push_back(invalid_value(path, "\"\"", compiled.error().message()));
}

void check_versions(const json::value& crd, std::vector<status_cause>& causes)
{
    const auto* versions = array_at(crd, "spec.versions");
    std::size_t storage = 0;
    std::set<std::string> names;
    bool unique = true;
    const bool shared = versions && share(*versions, "schema");
    const bool share_subresources = versions && share(*versions, "subresources");
    const bool share_columns = versions && share(*versions, "additionalPrinterColumns");
    for (std::size_t i = 0; versions && i < versions->size(); ++i) {
        const auto& v = (*versions)[i];
        const std::string path = "spec.versions[" + std::to_string(i) + "]";
        const auto* flag = find_at(v, "storage");
        storage += flag && flag->is_bool() && flag->get_bool() ? 1 : 0;
        const auto name = text_at(v, "name");
        unique = names.emplace(name).second && unique;
        if (errors::enough(causes)) continue;
        if (!is_label(name)) causes.push_back(invalid_value(path + ".name", quote(name), label_rule));
        const auto* schema = find_at(v, "schema.openAPIV3Schema");
        if (schema && schema->is_object()) {
            if (!shared || i == 0)
                check_whole_schema(
                    *schema, (shared ? std::string("spec.validation") : path + ".schema") + ".openAPIV3Schema", causes);
        } else
            causes.push_back(errors::required(path + ".schema.openAPIV3Schema", "schemas are required"));
        if (!share_subresources || i == 0) check_scale(v, share_subresources ? "spec" : path, causes);
        if (!share_columns || i == 0) check_columns(v, share_columns ? "spec" : path, causes);
    }
    const std::string shown = versions ? to_text(*versions) : "null";
    if (!unique) causes.push_back(invalid_value("spec.versions", shown, "must contain unique version names"));
    if (storage != 1)
        causes.push_back(
            invalid_value("spec.versions", shown, "must have exactly one version marked as storage version"));
}

status_error wrong_type(const json::value& found, const std::string& field, std::string_view wanted)
{
    return apiserver::wrong_type("CustomResourceDefinition", "v1", found, field, wanted);
}

/// Checks the JSON types of a schema and of the schemas nested in it.
std::optional<status_error> check_schema_types(const json::value& v, const std::string& field)
{
    if (!v.is_object()) return wrong_type(v, field, "v1.JSONSchemaProps");
    const auto& schema = v.get_object();
    const std::string inside = "JSONSchemaProps." + field.substr(field.find('.') + 1);
    if (const auto* type = schema.if_contains("type"); type && !type->is_string())
        return wrong_type(*type, inside + ".type", "string");
    for (const std::string_view list : {"required", "enum"})
        if (const auto* l = schema.if_contains(list); l && !l->is_array())
            return wrong_type(*l, inside + "." + std::string(list), list == "enum" ? "[]v1.JSON" : "[]string");
    if (const auto* properties = schema.if_contains("properties")) {
        if (!properties->is_object())
            return wrong_type(*properties, inside + ".properties", "map[string]v1.JSONSchemaProps");
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
        return wrong_type(*versions, "CustomResourceDefinitionSpec.spec.versions",
                          "[]v1.CustomResourceDefinitionVersion");
    for (const auto& v : versions->get_array()) {
        if (!v.is_object())
            return wrong_type(v, "CustomResourceDefinitionSpec.spec.versions", "v1.CustomResourceDefinitionVersion");
        const auto* schema = find_at(v, "schema.openAPIV3Schema");
        if (!schema || schema->is_null()) continue;
        if (auto e = check_schema_types(*schema, "CustomResourceValidation.spec.versions.schema.openAPIV3Schema"))
            return e;
    }
    return {};
}

void validate_crd(const json::value& crd, std::vector<status_cause>& causes)
{
    const std::string expected =
        std::string(text_at(crd, "spec.names.plural")) + "." + std::string(text_at(crd, "spec.group"));
    if (const auto name = text_at(crd, "metadata.name"); name != expected)
        causes.push_back(invalid_value("metadata.name", quote(name), "must be spec.names.plural+\".\"+spec.group"));
    check_group(crd, causes);
    check_names(crd, causes);
    const auto scope = text_at(crd, "spec.scope");
    if (scope != "Namespaced" && scope != "Cluster")
        causes.push_back(errors::not_supported("spec.scope", quote(scope), R"("Cluster", "Namespaced")"));
    check_versions(crd, causes);
}

namespace {

/// A version in which objects may be stored cannot go.
void check_stored_versions(const json::value& crd, std::vector<status_cause>& causes)
{
    const auto* stored = array_at(crd, "status.storedVersions");
    if (!stored) return;
    std::set<std::string_view> names;
    if (const auto* versions = array_at(crd, "spec.versions"))
        for (const auto& v : *versions) names.insert(text_at(v, "name"));
    for (std::size_t i = 0; i < stored->size() && causes.size() < 100; ++i) {
        const auto name = scalar_text((*stored)[i]);
        if (names.contains(name)) continue;
        causes.push_back(invalid_value("status.storedVersions[" + std::to_string(i) + "]", quote(name),
                                       "missing from spec.versions; " + name +
                                           " was previously a storage version, and must remain in spec.versions until "
                                           "a storage migration ensures no data remains persisted in " +
                                           name + " and removes " + name + " from status.storedVersions"));
    }
}

} // namespace

void validate_crd_update(const json::value& before, const json::value& after, std::vector<status_cause>& causes)
{
    // A write of the status may name any versions.
    const auto* spec = find_at(before, "spec");
    if (!spec || !find_at(after, "spec") || *spec != *find_at(after, "spec")) check_stored_versions(after, causes);
    for (const std::string_view path : {"spec.scope", "spec.names.kind", "spec.group", "spec.names.plural"})
        if (const auto now = text_at(after, path); now != text_at(before, path))
            causes.push_back(invalid_value(std::string(path), quote(now), "field is immutable"));
}

} // namespace kubecoro::apiserver
