#include "schema/crd_validation.hpp"

#include "objects/registry.hpp"
#include "schema/name_validation.hpp"
#include "text/json_path.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

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

std::string lower(std::string_view text)
{
    std::string out;
    for (const char c : text) out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

/// Names may be absent here.
void check_crd_names(const json::value& names, const std::string& path, std::vector<status_cause>& causes)
{
    const auto check = [&](const std::string& field, std::string_view text, bool mixed) {
        if (text.empty() || errors::enough(causes)) return;
        if (auto problem = dns_1035_problem(mixed ? lower(text) : text); !problem.empty())
            causes.push_back(
                invalid_value(path + "." + field, quote(text),
                              (mixed ? "may have mixed case, but should otherwise match: " : "") + problem));
    };
    for (const std::string_view name : {"plural", "singular"}) check(std::string(name), text_at(names, name), false);
    for (const std::string_view name : {"kind", "listKind"}) check(std::string(name), text_at(names, name), true);
    const auto kind = text_at(names, "kind");
    if (!kind.empty() && kind == text_at(names, "listKind"))
        causes.push_back(invalid_value(path + ".listKind", quote(kind), "kind and listKind may not be the same"));
    for (const std::string_view list : {"shortNames", "categories"})
        if (const auto* all = array_at(names, list))
            for (std::size_t i = 0; i < all->size(); ++i)
                check(std::string(list) + "[" + std::to_string(i) + "]", scalar_text((*all)[i]), false);
}

void check_spec_names(const json::value& crd, std::vector<status_cause>& causes)
{
    for (const std::string_view name : {"plural", "singular", "kind", "listKind"})
        if (const auto path = "spec.names." + std::string(name); text_at(crd, path).empty())
            causes.push_back(errors::required(path));
    if (const auto* names = find_at(crd, "spec.names")) check_crd_names(*names, "spec.names", causes);
}

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

/// The words for a member that must be one of some.
std::string one_of(std::string_view all) { return "must be one of " + std::string(all); }

void check_column(const json::value& column, const std::string& path, std::vector<status_cause>& causes)
{
    static constexpr std::array types = {"boolean", "date", "integer", "number", "string"};
    static constexpr std::array formats = {"byte",  "date",  "date-time", "double",
                                           "float", "int32", "int64",     "password"};
    const auto has = [](const auto& all, std::string_view name) {
        return std::find(all.begin(), all.end(), name) != all.end();
    };
    const auto type = text_at(column, "type"), format = text_at(column, "format"), at = text_at(column, "jsonPath");
    if (text_at(column, "name").empty()) causes.push_back(errors::required(path + ".name"));
    const auto types_rule = one_of("boolean,date,integer,number,string");
    if (type.empty())
        causes.push_back(errors::required(path + ".type", types_rule));
    else if (!has(types, type))
        causes.push_back(invalid_value(path + ".type", quote(type), types_rule));
    if (!format.empty() && !has(formats, format))
        causes.push_back(invalid_value(path + ".format", quote(format),
                                       one_of("byte,date,date-time,double,float,int32,int64,password")));
    if (at.empty())
        causes.push_back(errors::required(path + ".JSONPath"));
    else if (at.front() != '.')
        causes.push_back(invalid_value(path + ".JSONPath", quote(at), "must be a simple json path starting with ."));
    if (at.size() > json_path::longest)
        causes.push_back(errors::too_long(path + ".jsonPath", std::to_string(json_path::longest)));
}

/// Bounds what a row of a table costs as well: their number and the length of their paths have no limits in a kube-apiserver.
void check_columns(const json::value& version, const std::string& path, std::vector<status_cause>& causes)
{
    constexpr std::size_t most_columns = 100;
    const auto* columns = array_at(version, "additionalPrinterColumns");
    if (!columns) return;
    const auto field = path + ".additionalPrinterColumns";
    if (columns->size() > most_columns) causes.push_back(errors::too_many(field, columns->size(), most_columns));
    for (std::size_t i = 0; i < std::min(columns->size(), most_columns) && !errors::enough(causes); ++i)
        check_column((*columns)[i], field + "[" + std::to_string(i) + "]", causes);
}

/// Follows a path by the schema. @return why it leads to no value that a selector can compare; empty if it does.
std::string selection_problem(const json::value& schema, std::string_view path)
{
    const json::value* at = &schema;
    if (!path.starts_with('.') && !path.starts_with('['))
        return "is an invalid path: expected [ or . but got: " + std::string(path.substr(0, path.find_first_of(".[")));
    while (!path.empty()) {
        if (path.front() != '.') return "is an invalid path: array notation is not allowed";
        path.remove_prefix(1);
        if (path.empty()) return "is an invalid path: unexpected end of JSON path";
        const auto name = path.substr(0, path.find_first_of(".["));
        path.remove_prefix(name.size());
        const auto* properties = object_at(*at, "properties");
        const auto* next = properties ? properties->if_contains(name) : find_at(*at, "additionalProperties");
        if (!next || !next->is_object()) return "is an invalid path: does not refer to a valid field";
        at = next;
    }
    const auto type = text_at(*at, "type");
    if (type == "string" || type == "boolean" || type == "integer") return {};
    return "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are "
           "allowed.";
}

/// Members that all versions share are members of the whole definition, in paths.
struct shared_members
{
    bool schema = false, subresources = false, columns = false, selectable = false;
};

void check_selectable(const json::value& version, const std::string& path, const shared_members& shared,
                      std::vector<status_cause>& causes)
{
    constexpr std::size_t most_fields = 8;
    const auto* fields = array_at(version, "selectableFields");
    const auto* schema = find_at(version, "schema.openAPIV3Schema");
    if (!fields || fields->empty() || !schema) return;
    // A server looks for the schema where the fields are: both are of the whole definition, or neither.
    const std::string_view beside =
        shared.selectable ? "validations.schema is included" : "`version.schema.openAPIV3Schema` is not included";
    if (shared.selectable != shared.schema)
        return causes.push_back(
            invalid_value(path + ".selectableFields", quote(""), "may only be set when " + std::string(beside)));
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < fields->size() && !errors::enough(causes); ++i) {
        const auto at = path + ".selectableFields[" + std::to_string(i) + "].jsonPath";
        const auto text = text_at((*fields)[i], "jsonPath");
        if (text.empty()) {
            causes.push_back(errors::required(at));
            continue;
        }
        const auto problem = selection_problem(*schema, text);
        if (!problem.empty()) causes.push_back(invalid_value(at, quote(text), problem));
        if (problem.starts_with("is an")) continue;
        if (text == ".metadata" || text.starts_with(".metadata."))
            causes.push_back(invalid_value(at, quote(text), "must not point to fields in metadata"));
        if (!seen.insert(text).second) causes.push_back(errors::duplicate(at, quote(text)));
    }
    if (seen.size() > most_fields)
        causes.push_back(errors::too_many(path + ".selectableFields", seen.size(), most_fields));
}

void check_deprecation(const json::value& version, const std::string& path, std::vector<status_cause>& causes)
{
    constexpr std::size_t longest = 256;
    const auto* stated = find_at(version, "deprecationWarning");
    if (!stated || !stated->is_string()) return;
    const std::string_view text = stated->get_string();
    const auto add = [&](const std::string& why) {
        causes.push_back(invalid_value(path + ".deprecationWarning", quote(text), why));
    };
    const auto* deprecated = find_at(version, "deprecated");
    if (!deprecated || *deprecated != true) return add("can only be set for deprecated versions");
    if (text.size() > longest) add("must be <= 256 characters long");
    if (text.empty()) add("must not be an empty string");
    const auto odd = std::find_if(text.begin(), text.end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (odd != text.end())
        add("must only contain printable UTF-8 characters; non-printable character found at index " +
            std::to_string(odd - text.begin()));
}

/// Whether a version has a schema that the definition had before. @param before  May be null.
bool is_stored_schema(const json::value* before, std::string_view name, const json::value& schema)
{
    const auto* versions = before ? array_at(*before, "spec.versions") : nullptr;
    return versions && std::ranges::any_of(*versions, [&](const json::value& v) {
               const auto* had = find_at(v, "schema.openAPIV3Schema");
               return text_at(v, "name") == name && had && *had == schema;
           });
}

void check_version(const json::value& version, const json::value* before, const std::string& path, bool is_first,
                   const shared_members& shared, std::vector<status_cause>& causes)
{
    const auto own = [&](bool is_shared) { return is_shared ? std::string("spec") : path; };
    const auto name = text_at(version, "name");
    if (const auto problem = dns_1035_problem(name); !problem.empty()) {
        causes.push_back(invalid_value(path + ".name", quote(name), problem));
        if (is_first && !name.empty()) causes.push_back(invalid_value("spec.version", quote(name), problem));
    }
    check_deprecation(version, path, causes);
    const auto* schema = find_at(version, "schema.openAPIV3Schema");
    if (!schema || !schema->is_object())
        causes.push_back(errors::required(path + ".schema.openAPIV3Schema"));
    else if (!shared.schema || is_first)
        validate_crd_schema(
            schema->get_object(), (shared.schema ? "spec.validation" : path + ".schema") + ".openAPIV3Schema",
            object_at(version, "subresources.status") != nullptr, is_stored_schema(before, name, *schema), causes);
    if (!shared.subresources || is_first) check_scale(version, own(shared.subresources), causes);
    if (!shared.columns || is_first) check_columns(version, own(shared.columns), causes);
    if (!shared.selectable || is_first) check_selectable(version, own(shared.selectable), shared, causes);
}

void check_versions(const json::value& crd, const json::value* before, std::vector<status_cause>& causes)
{
    static const json::array none;
    const auto* found = array_at(crd, "spec.versions");
    const auto& versions = found ? *found : none;
    const shared_members shared{share(versions, "schema"), share(versions, "subresources"),
                                share(versions, "additionalPrinterColumns"), share(versions, "selectableFields")};
    std::string_view storage;
    std::size_t stored = 0;
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const auto& version = versions[i];
        names.insert(text_at(version, "name"));
        if (const auto* flag = find_at(version, "storage"); flag && *flag == true) {
            storage = text_at(version, "name");
            ++stored;
        }
        if (!errors::enough(causes))
            check_version(version, before, "spec.versions[" + std::to_string(i) + "]", i == 0, shared, causes);
    }
    const auto shown = found ? to_text(versions) : "null";
    if (names.size() != versions.size())
        causes.push_back(invalid_value("spec.versions", shown, "must contain unique version names"));
    if (stored == 1) return;
    causes.push_back(invalid_value("spec.versions", shown, "must have exactly one version marked as storage version"));
    if (stored == 0)
        causes.push_back(invalid_value("status.storedVersions", "null", "must have at least one stored version"));
    else // The first one was noted.
        causes.push_back(invalid_value("status.storedVersions", to_text(*array_at(crd, "status.storedVersions")),
                                       "must have the storage version " + std::string(storage)));
}

} // namespace

void validate_crd(const json::value& crd, const json::value* before, std::vector<status_cause>& causes)
{
    const std::string expected =
        std::string(text_at(crd, "spec.names.plural")) + "." + std::string(text_at(crd, "spec.group"));
    if (const auto name = text_at(crd, "metadata.name"); !name.empty() && name != expected)
        causes.push_back(invalid_value("metadata.name", quote(name), "must be spec.names.plural+\".\"+spec.group"));
    check_group(crd, causes);
    check_spec_names(crd, causes);
    if (const auto* kept = find_at(crd, "spec.preserveUnknownFields"); kept && *kept == true)
        causes.push_back(invalid_value("spec.preserveUnknownFields", "true",
                                       "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                                       "spec.versions[*].schema instead"));
    const auto scope = text_at(crd, "spec.scope");
    if (scope.empty())
        causes.push_back(errors::required("spec.scope"));
    else if (scope != "Namespaced" && scope != "Cluster")
        causes.push_back(errors::not_supported("spec.scope", quote(scope), R"("Cluster", "Namespaced")"));
    check_versions(crd, before, causes);
    validate_crd_conversion(crd, causes);
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

bool is_established(const json::value& crd)
{
    const auto* conditions = array_at(crd, "status.conditions");
    return conditions && std::any_of(conditions->begin(), conditions->end(), [](const json::value& each) {
               return text_at(each, "type") == "Established" && text_at(each, "status") == "True";
           });
}

} // namespace

void validate_crd_update(const json::value& before, const json::value& after, std::vector<status_cause>& causes)
{
    // A write of the status may name any versions.
    const auto* spec = find_at(before, "spec");
    if (!spec || !find_at(after, "spec") || *spec != *find_at(after, "spec")) check_stored_versions(after, causes);
    if (const auto* accepted = find_at(after, "status.acceptedNames"))
        check_crd_names(*accepted, "status.acceptedNames", causes);
    // Names are settled when the definition is served.
    const bool settled = is_established(before);
    for (const std::string_view path : {"spec.scope", "spec.names.kind", "spec.group", "spec.names.plural"}) {
        const bool counts = settled || path == "spec.group" || path == "spec.names.plural";
        if (const auto now = text_at(after, path); counts && now != text_at(before, path))
            causes.push_back(invalid_value(std::string(path), quote(now), "field is immutable"));
    }
}

} // namespace kubecoro::apiserver
