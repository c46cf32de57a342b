#include "validation/findings.hpp"
#include "validation/go_print.hpp"
#include "validation/schema_node.hpp"
#include "validation/settle.hpp"
#include "validation/structure_check.hpp"
#include "validation/value_check.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/pattern_problem.hpp>

#include <algorithm>
#include <set>
#include <utility>

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
    if (errors.empty()) return {};
    const auto& resource = schema.resource;
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

std::string detail::pattern_problem(std::string_view text) { return pattern(text).problem(); }

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

std::vector<field_error> object_schema::errors(const json::value& object) const
{
    return errors_of(*compiled_, object, nullptr);
}

std::vector<field_error> object_schema::errors(const json::value& object, const json::value& before) const
{
    return errors_of(*compiled_, object, &before);
}

std::vector<field_error> object_schema::errors(const json::value& part, object_part kind) const
{
    return errors_of_part(*compiled_, part, kind, nullptr);
}

std::vector<field_error> object_schema::errors(const json::value& part, object_part kind,
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

const std::vector<unevaluated_rule>& object_schema::rules() const noexcept { return compiled_->rules; }

const resource_type& object_schema::resource() const noexcept { return compiled_->resource; }

bool object_schema::has_status_subresource() const noexcept { return compiled_->has_status_subresource; }

const json::value& object_schema::text() const noexcept { return compiled_->text; }

} // namespace kubecoro
