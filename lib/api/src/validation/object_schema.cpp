// The public schema, and its rules that are not JSON Schema's: lists that are sets or maps, and embedded resources.
#include "validation/findings.hpp"
#include "validation/schema_node.hpp"
#include "validation/settle.hpp"
#include "validation/value_check.hpp"

#include <kubecoro/api/detail/go_format.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/base/hash.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// Calls `visit(node, value, path)` for each list and object that the schema describes, from the outside in.
template<class Visit>
void walk(const schema_node& node, const json::value& v, const value_path& at, step_budget& budget, const Visit& visit)
{
    if (!budget.spend(1)) return;
    if (const auto* items = v.if_array()) {
        visit(node, v, at);
        for (std::size_t i = 0; node.items != nullptr && i < items->size(); ++i)
            walk(*node.items, (*items)[i], at.item(i), budget, visit);
    }
    const auto* object = v.if_object();
    if (object == nullptr) return;
    visit(node, v, at);
    std::map<std::string_view, const json::value*> members;
    for (const auto& [key, member] : *object)
        if (node.member(key) != nullptr) members.emplace(key, &member);
    for (const auto& [key, member] : members) {
        const bool is_property = node.find(key) != schema_node::npos;
        walk(*node.member(key), *member, is_property ? at.property(key) : at.extra(key), budget, visit);
    }
}

/// Equal for values that Go takes for the same member of a set. Numbers with and without a fraction are never.
std::string identity(const json::value* v)
{
    if (v == nullptr) return "absent";
    const char type = v->is_structured() ? 'c' : is_go_integer(*v) ? 'i' : v->is_number() ? 'n' : 'v';
    return type + go_json(*v);
}

/// Calls `repeated(i)` for the second of several equal ones, until there are enough errors.
template<class Repeated>
void find_repeated(std::size_t count, const auto& identity_of, const findings& out, const Repeated& repeated)
{
    std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> seen;
    for (std::size_t i = 0; i < count && !out.is_full(); ++i)
        if (seen[identity_of(i)]++ == 1) repeated(i);
}

json::object keys_of(const schema_node& node, const json::value& item)
{
    json::object out;
    if (const auto* object = item.if_object())
        for (const auto& name : node.list_keys)
            if (const auto* key = object->if_contains(name)) out[name] = *key;
    return out;
}

void check_map(const schema_node& node, const json::array& items, const value_path& at, findings& out)
{
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!items[i].is_object() && !items[i].is_null()) {
            out.add(invalid_reason, at.item(i).field_text(), go_value(items[i]),
                    "must be an object for an array of list-type map");
            return;
        }
    const auto identity_of = [&](std::size_t i) {
        const auto keys = keys_of(node, items[i]);
        if (node.list_keys.size() != 1) return go_json(keys);
        return identity(keys.if_contains(node.list_keys.front()));
    };
    find_repeated(items.size(), identity_of, out, [&](std::size_t i) {
        out.add(duplicate_reason, at.item(i).field_text(), go_json(keys_of(node, items[i])));
    });
}

bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_alnum(char c) noexcept { return is_lower(c) || (c >= '0' && c <= '9'); }

std::string kind_problem(std::string_view kind)
{
    std::string label(kind);
    for (char& c : label) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    std::string out;
    if (label.size() > 63) out = "must be no more than 63 bytes";
    const bool right = is_lower(label.front()) && is_alnum(label.back()) &&
                       std::ranges::all_of(label, [](char c) { return is_alnum(c) || c == '-'; });
    if (!right)
        out += std::string(out.empty() ? "" : ",") +
               "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
               "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
               "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    return out.empty() ? out : "may have mixed case, but should otherwise match: " + out;
}

std::string version_problem(std::string_view version)
{
    const auto slash = version.find('/');
    const bool two = slash != std::string_view::npos && version.find('/', slash + 1) != std::string_view::npos;
    return two ? "unexpected GroupVersion string: " + std::string(version) : std::string();
}

void check_type_member(const json::object& object, std::string_view name, const value_path& at,
                       std::string (*problem_of)(std::string_view), findings& out)
{
    const auto field = at.property(name).field_text();
    const auto* v = object.if_contains(name);
    if (v == nullptr)
        out.add(required_reason, field);
    else if (!v->is_string())
        out.add(invalid_reason, field, go_value(*v), "must be a string");
    else if (v->get_string().empty())
        out.add(invalid_reason, field, "\"\"", "must not be empty");
    else if (auto problem = problem_of(v->get_string()); !problem.empty())
        out.add(invalid_reason, field, go_value(*v), std::move(problem));
}

/// No two items of a set are equal, and no two items of a map have the same keys.
void check_lists(const schema_node& node, const json::value& v, step_budget& budget, findings& out)
{
    walk(node, v, value_path{}, budget, [&](const schema_node& schema, const json::value& list, const value_path& at) {
        const auto* items = list.if_array();
        if (items == nullptr || out.is_full()) return;
        if (schema.list == list_kind::map && budget.spend(items->size() * schema.list_keys.size()))
            check_map(schema, *items, at, out);
        if (schema.list == list_kind::set)
            find_repeated(
                items->size(), [&](std::size_t i) { return identity(&(*items)[i]); }, out,
                [&](std::size_t i) { out.add(duplicate_reason, at.item(i).field_text(), go_value((*items)[i])); });
    });
}

/// An embedded resource has a kind and an apiVersion.
void check_embedded(const schema_node& node, const json::value& v, step_budget& budget, findings& out)
{
    walk(node, v, value_path{}, budget, [&](const schema_node& schema, const json::value& inner, const value_path& at) {
        const auto* object = inner.if_object();
        if (object == nullptr || !schema.is_embedded_resource || out.is_full()) return;
        check_type_member(*object, "apiVersion", at, version_problem, out);
        check_type_member(*object, "kind", at, kind_problem, out);
    });
}

} // namespace

} // namespace kubecoro::detail

namespace kubecoro {

namespace json = boost::json;

namespace {

using detail::member_in;
using detail::text_in;

bool blocks_rules(const field_error& e)
{
    return e.reason == detail::required_reason || e.reason == detail::type_reason ||
           e.reason == detail::unsupported_reason || e.reason == detail::long_reason || e.reason == detail::many_reason;
}

field_error too_expensive(std::string field = "<nil>", std::string_view of = "the object takes")
{
    return {std::string(detail::internal_reason),
            std::move(field),
            {},
            std::string(of) + " more than " + std::to_string(detail::step_budget::max_steps) + " steps to check"};
}

std::vector<field_error> errors_of(const detail::compiled_schema& schema, const json::value& object,
                                   const json::value* before)
{
    detail::findings out;
    detail::step_budget budget;
    const detail::schema_node& root = *schema.root;
    detail::value_check(budget).check(root, object, {before, &root}, out);
    detail::check_embedded(root, object, budget, out);
    detail::findings old;
    if (before) detail::check_lists(root, *before, budget, old);
    if (!old.any()) detail::check_lists(root, object, budget, out);
    // The errors found until then may be wrong: an alternative that was not looked at counts as valid.
    if (budget.is_spent()) return {too_expensive()};
    auto errors = std::move(out).take();
    if (!schema.rules.empty() && std::ranges::any_of(errors, blocks_rules))
        errors.push_back({std::string(detail::invalid_reason), "<nil>", "null",
                          "some validation rules were not checked because the object was invalid; correct the existing "
                          "errors to complete validation"});
    return errors;
}

std::vector<field_error> errors_of_part(const detail::compiled_schema& schema, const json::value& part,
                                        object_part kind, const json::value* before)
{
    detail::findings out;
    detail::step_budget budget;
    const detail::schema_node& root = *schema.root;
    detail::value_check(budget).check_part(root, part, kind, {before, &root}, out);
    detail::findings old;
    if (before) detail::check_lists(root, *before, budget, old);
    if (!old.any()) detail::check_lists(root, part, budget, out);
    if (budget.is_spent()) return {too_expensive()};
    return std::move(out).take();
}

result<> refusal_of(const detail::compiled_schema& schema, const json::value& object, std::vector<field_error> errors)
{
    const auto& resource = schema.resource;
    if (errors.empty() && schema.rules.empty()) return {};
    if (errors.empty())
        return failure(cond::misconfigured, "not checked: the CEL rules of the schema of " + resource.display_name() +
                                                ", of which there are " + std::to_string(schema.rules.size()) +
                                                ". cel::object_validator evaluates them");
    std::vector<status_cause> causes;
    for (const auto& e : errors) causes.push_back(e.cause());
    auto status = invalid_status(resource.kind, resource.group, text_in(member_in(object, "metadata"), "name"),
                                 std::move(causes));
    return failure(std::move(status))
        .because("the object does not match the schema of " + resource.display_name() + ' ' + resource.version);
}

/// Collects the errors of defaults.
class default_check
{
public:
    explicit default_check(detail::findings& out) : out_(out) {}

    /// @param has_metadata  Members of an object that the server knows by itself are not unknown.
    void walk(const detail::schema_node& node, const std::string& path, bool has_metadata)
    {
        if (!node.standard.is_null()) {
            const auto at = path + ".default";
            if (!has_metadata && !detail::unknown_members(node, node.standard, false).empty())
                out_.add(detail::invalid_reason, at, detail::go_value(node.standard), "must not have unknown fields");
            detail::value_check(budget_, at).check(node, node.standard, {}, out_);
        }
        if (node.items != nullptr) walk(*node.items, path + ".items", false);
        // As the server, not below additionalProperties.
        for (const auto& [name, schema] : node.properties)
            walk(*schema, path + ".properties[" + name + ']',
                 has_metadata && (name == "kind" || name == "apiVersion" || name == "metadata"));
    }

    [[nodiscard]] bool is_spent() const noexcept { return budget_.is_spent(); }

private:
    detail::findings& out_;
    detail::step_budget budget_;
};

} // namespace

server_status invalid_status(std::string_view kind, std::string_view group, std::string_view name,
                             std::vector<status_cause> causes)
{
    std::string list;
    std::set<std::string> listed;
    for (const auto& cause : causes) {
        auto text = cause.field + ": " + cause.message;
        if (!listed.insert(text).second) continue;
        if (!list.empty()) list += ", ";
        list += text;
    }
    if (listed.size() > 1) list = '[' + list + ']';
    server_status out;
    out.code = 422;
    out.reason = "Invalid";
    out.message = std::string(kind) + (group.empty() ? "" : ".") + std::string(group) + " \"" + std::string(name) +
                  "\" is invalid: " + list;
    out.kind = kind;
    out.group = group;
    out.name = name;
    out.causes = std::move(causes);
    return out;
}

result<object_schema> object_schema::of_schema(const json::value& schema, resource_type resource)
{
    auto compiled = detail::compile_schema(schema, std::move(resource));
    if (!compiled) return compiled.error();
    return object_schema(std::move(*compiled));
}

result<object_schema> object_schema::of_crd(const json::value& definition, std::string_view version)
{
    const auto* spec = member_in(definition, "spec");
    const auto* names = member_in(spec, "names");
    resource_type resource{.group = std::string(text_in(spec, "group")),
                           .version = std::string(version),
                           .plural = std::string(text_in(names, "plural")),
                           .kind = std::string(text_in(names, "kind")),
                           .namespaced = text_in(spec, "scope") != "Cluster"};
    const auto* versions = member_in(spec, "versions");
    if (text_in(definition, "kind") != "CustomResourceDefinition" || !versions || !versions->is_array())
        return failure(cond::invalid, "not a CustomResourceDefinition of apiextensions.k8s.io/v1");
    const auto& all = versions->get_array();
    const auto found = std::ranges::find(all, version, [](const auto& v) { return text_in(v, "name"); });
    const auto title = resource.display_name() + ' ' + std::string(version);
    if (found == all.end()) return failure(cond::not_found, "the definition has no version: " + title);
    const auto* schema = member_in(member_in(*found, "schema"), "openAPIV3Schema");
    if (!schema) return failure(cond::invalid, title + ": schema.openAPIV3Schema is missing");
    auto compiled = detail::compile_schema(*schema, std::move(resource));
    if (!compiled) return compiled.error().because(title);
    (*compiled)->has_status_subresource = member_in(member_in(*found, "subresources"), "status") != nullptr;
    return object_schema(std::move(*compiled));
}

result<> object_schema::check(const json::value& object) const
{
    return refusal_of(*compiled_, object, errors_of(*compiled_, object, nullptr));
}

result<> object_schema::check(const json::value& object, const json::value& before) const
{
    return refusal_of(*compiled_, object, errors_of(*compiled_, object, &before));
}

std::vector<field_error> object_schema::structural_errors(const json::value& object) const
{
    return errors_of(*compiled_, object, nullptr);
}

std::vector<field_error> object_schema::structural_errors(const json::value& object, const json::value& before) const
{
    return errors_of(*compiled_, object, &before);
}

std::vector<field_error> object_schema::structural_errors(const json::value& part, object_part kind) const
{
    return errors_of_part(*compiled_, part, kind, nullptr);
}

std::vector<field_error> object_schema::structural_errors(const json::value& part, object_part kind,
                                                          const json::value& before) const
{
    return errors_of_part(*compiled_, part, kind, &before);
}

std::vector<std::string> object_schema::unknown_fields(const json::value& object) const
{
    return detail::unknown_members(*compiled_->root, object, true);
}

void object_schema::prune(json::value& object) const { detail::prune_members(*compiled_->root, object); }

void object_schema::drop_nulls(json::value& object) const { detail::drop_nulls(*compiled_->root, object); }

result<> object_schema::fill_defaults(json::value& object) const
{
    detail::default_allowance left;
    if (detail::add_defaults(*compiled_->root, object, left)) return {};
    return failure(cond::invalid, "the defaults of " + compiled_->resource.display_name() + " grow beyond " +
                                      std::to_string(detail::max_default_bytes) + " bytes");
}

std::vector<field_error> object_schema::errors_in_defaults(std::string_view path) const
{
    detail::findings out;
    default_check check(out);
    check.walk(*compiled_->root, std::string(path), true);
    if (check.is_spent()) return {too_expensive(std::string(path), "the defaults take")};
    return std::move(out).take();
}

const std::vector<object_schema::rule>& object_schema::rules() const noexcept { return compiled_->rules; }

const resource_type& object_schema::resource() const noexcept { return compiled_->resource; }

bool object_schema::has_status_subresource() const noexcept { return compiled_->has_status_subresource; }

const json::value& object_schema::text() const noexcept { return compiled_->text; }

} // namespace kubecoro
