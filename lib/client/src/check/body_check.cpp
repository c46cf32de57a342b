#include "check/body_check.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/merge_problems.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/detail/strict_decoding.hpp>
#include <kubecoro/client/client_options.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace kubecoro::detail {

schema_list::schema_list() = default;
schema_list::schema_list(std::initializer_list<object_schema> all) : all_(all) {}
schema_list::schema_list(std::vector<object_schema> all) : all_(std::move(all)) {}
schema_list::~schema_list() = default;
schema_list::schema_list(const schema_list&) = default;
schema_list::schema_list(schema_list&&) noexcept = default;
schema_list& schema_list::operator=(const schema_list&) = default;
schema_list& schema_list::operator=(schema_list&&) noexcept = default;

namespace json = boost::json;

namespace {

// That of decode_limits.
constexpr std::size_t max_depth = 200;

bool is_of_status(const field_error& e)
{
    return e.field == "status" || e.field.starts_with("status.") || e.field.starts_with("status[");
}

/// A copy in which each whole number is one that fits everywhere.
// NOLINTNEXTLINE(misc-no-recursion): bounded by max_depth
json::value with_small_numbers(json::value v)
{
    if (auto* object = v.if_object())
        for (auto& [key, member] : *object) member = with_small_numbers(std::move(member));
    if (auto* array = v.if_array())
        for (auto& item : *array) item = with_small_numbers(std::move(item));
    const auto* real = v.if_double();
    if (v.is_int64() || v.is_uint64() || (real != nullptr && std::trunc(*real) == *real)) return 0;
    return v;
}

/// Checks one body; each step returns the failure that it finds.
class body_checker
{
public:
    body_checker(const checked_body& what, const known_schema& schema, std::string_view present)
        : what_(what), schema_(schema), present_(parsed(present))
    {
        const auto& table = schema.built_in;
        kind_ = table ? std::string(builtin_schemas::text(table->kind)) : schema.custom->resource().kind;
        if (kind_.empty()) kind_ = what.resource.kind;
    }

    result<std::string> check(std::string text, bool fill_defaults)
    {
        const auto body = parsed(text);
        if (!body.is_object()) return failure(cond::invalid, "the body is not a JSON object");
        if (auto sound = check_names(body, duplicate_fields(text, max_depth)); !sound) return sound.error();
        if (auto sound = check_types(body); !sound) return sound.error();
        if (!schema_.custom) return text;
        if (what_.role != body_role::object) return passed(check_part(body), std::move(text));
        return check_object(body, std::move(text), fill_defaults);
    }

private:
    /// Null for what is no JSON.
    static json::value parsed(std::string_view text)
    {
        json::parse_options limits;
        limits.max_depth = max_depth;
        boost::system::error_code broken;
        auto out = json::parse(text, broken, {}, limits);
        return broken ? json::value() : out;
    }

    static result<std::string> passed(result<> checked, std::string text)
    {
        if (!checked) return checked.error();
        return text;
    }

    [[nodiscard]] failure refusal(std::string_view why) const
    {
        return failure(undecodable(kind_, what_.resource.version, why));
    }

    [[nodiscard]] result<> check_names(const json::value& body, const std::vector<std::string>& duplicates) const
    {
        if (what_.role == body_role::applied) return check_applied_names(body, duplicates);
        const auto why = strict_problem(duplicates, unknown_fields(body));
        if (!why.empty()) return refusal(why);
        return {};
    }

    [[nodiscard]] result<> check_applied_names(const json::value& body,
                                               const std::vector<std::string>& duplicates) const
    {
        server_status refused;
        refused.code = 400;
        refused.reason = "BadRequest";
        if (!duplicates.empty()) {
            refused.message = "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  "
                              "duplicate field \"" +
                              duplicates.front() + '"';
            return failure(std::move(refused));
        }
        const auto api_version = text_in(body, "apiVersion");
        const auto type = schema_.built_in
                              ? merge_type::of_kind(builtin_schemas::text(schema_.built_in->api_version), kind_)
                              : std::optional(merge_type::of_custom(schema_.custom->text()));
        auto problems = type ? merge_problems(body, *type) : std::vector<std::string>{};
        if (problems.empty()) return {};
        refused.message =
            typed_patch_problem(body, merge_type_text(api_version, text_in(body, "kind")), std::move(problems));
        return failure(std::move(refused));
    }

    [[nodiscard]] std::vector<std::string> unknown_fields(const json::value& body) const
    {
        const auto meant =
            what_.role == body_role::strategic_patch ? members_are::fields_and_directives : members_are::fields;
        if (schema_.built_in) return unknown_builtin_fields(*schema_.built_in, body, meant);
        auto out = unknown_metadata_fields(body);
        auto more = schema_.custom->unknown_fields(body);
        out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        return out;
    }

    [[nodiscard]] result<> check_types(const json::value& body) const
    {
        if (!schema_.built_in) return {};
        auto typed = protobuf_message(*schema_.built_in, body.get_object());
        // Servers convert these in another way than they read objects: 2.0 is whole, and a number that is too large wraps.
        const bool converts = what_.role == body_role::applied || what_.role == body_role::strategic_patch;
        if (!typed && converts) typed = protobuf_message(*schema_.built_in, with_small_numbers(body).get_object());
        if (!typed) return refusal("json: " + typed.error().message());
        return {};
    }

    [[nodiscard]] result<> check_part(const json::value& body) const
    {
        const auto part = what_.role == body_role::applied ? object_part::applied : object_part::merge_patch;
        const auto& schema = *schema_.custom;
        return outcome(body, present_.is_object() ? schema.structural_errors(body, part, present_)
                                                  : schema.structural_errors(body, part));
    }

    [[nodiscard]] result<std::string> check_object(const json::value& body, std::string text, bool fill_defaults) const
    {
        auto settled = body;
        const auto& schema = *schema_.custom;
        schema.drop_nulls(settled);
        if (auto filled = schema.fill_defaults(settled); !filled) return filled.error();
        auto filled_text = fill_defaults && !what_.is_status ? json::serialize(settled) : std::move(text);
        if (!what_.is_status && schema.has_status_subresource()) settled.get_object().erase("status");
        return passed(outcome(body, present_.is_object() ? schema.structural_errors(settled, present_)
                                                         : schema.structural_errors(settled)),
                      std::move(filled_text));
    }

    [[nodiscard]] result<> outcome(const json::value& body, std::vector<field_error> errors) const
    {
        // The server takes the rest from the object that it has.
        if (what_.is_status) std::erase_if(errors, [](const auto& e) { return !is_of_status(e); });
        if (what_.role != body_role::object && !what_.is_status && schema_.custom->has_status_subresource())
            std::erase_if(errors, is_of_status);
        if (errors.empty()) return {};
        std::vector<status_cause> causes;
        std::ranges::transform(errors, std::back_inserter(causes), [](const auto& e) { return e.cause(); });
        return failure(invalid_status(kind_, what_.resource.group, text_in(member_in(body, "metadata"), "name"),
                                      std::move(causes)));
    }

    const checked_body& what_;
    const known_schema& schema_;
    json::value present_;
    std::string kind_;
};

} // namespace

std::optional<checked_body> body_to_check(const resource_type& resource, std::string_view subresource, body_role role)
{
    if (!subresource.empty() && subresource != "status") return std::nullopt;
    return checked_body{resource, role, !subresource.empty()};
}

std::optional<checked_body> patch_to_check(const resource_type& resource, std::string_view subresource, patch_kind kind)
{
    switch (kind) {
    case patch_kind::merge:
        return body_to_check(resource, subresource, body_role::merge_patch);
    case patch_kind::strategic_merge:
        return body_to_check(resource, subresource, body_role::strategic_patch);
    case patch_kind::apply:
        return body_to_check(resource, subresource, body_role::applied);
    case patch_kind::json:
        break;
    }
    return std::nullopt;
}

result<std::string> check_body(const checked_body& what, const known_schema& schema, std::string text,
                               bool fill_defaults, std::string_view present)
{
    return body_checker(what, schema, present).check(std::move(text), fill_defaults);
}

bool may_be_forgiven(const checked_body& what, const known_schema& schema, const failure& why)
{
    // Names and duplicates are a 400, of which nothing is forgiven.
    return !what.is_new && schema.custom && why.status() != nullptr && why.status()->code == 422;
}

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
