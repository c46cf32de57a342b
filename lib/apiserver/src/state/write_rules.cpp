#include "state/write_rules.hpp"

#include "objects/status_errors.hpp"
#include "objects/stored_object.hpp"
#include "schema/validation.hpp"
#include "state/managed_fields.hpp"
#include "state/scale.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/merge_problems.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

bool same_at(const json::value& a, const json::value& b, std::string_view path)
{
    const auto* x = find_at(a, path);
    const auto* y = find_at(b, path);
    return x && y ? *x == *y : !x && !y;
}

bool same_but_metadata(const json::value& a, const json::value& b)
{
    const auto rest = [](const json::value& v) {
        json::object o = v.get_object();
        for (const std::string_view key : {"kind", "apiVersion", "metadata"}) o.erase(key);
        return o;
    };
    return rest(a) == rest(b);
}

} // namespace

bool raises_generation(generation_rule rule, const json::value& before, const json::value& after)
{
    switch (rule) {
    case generation_rule::none:
        return false;
    case generation_rule::spec:
        return !same_at(before, after, "spec");
    case generation_rule::spec_and_annotations:
        return !same_at(before, after, "spec") || !same_at(before, after, "metadata.annotations");
    case generation_rule::all_but_metadata:
        return !same_but_metadata(before, after);
    }
    return false;
}

status_error too_large_to_store() { return errors::internal("etcdserver: request is too large"); }

namespace {

/// A schema may ask for kind and apiVersion, which are not kept with the object.
json::value with_type(const resource_info& info, std::string_view version, const json::value& body)
{
    json::value typed = body;
    typed.get_object()["apiVersion"] = info.api_version(version);
    typed.get_object()["kind"] = info.kind;
    return typed;
}

void check_schema(const resource_info& info, std::string_view version, const json::value* before,
                  const json::value& after, std::vector<status_cause>& causes)
{
    const auto* served = info.find_version(version);
    if (!served || !served->compiled) return;
    const auto typed = with_type(info, version, after);
    append_causes(causes, before ? served->compiled->structural_errors(typed, with_type(info, version, *before))
                                 : served->compiled->structural_errors(typed));
}

/// Whether an error stops a kube-apiserver from evaluating rules: it may be of the type that a rule expects.
bool hides_rules(const status_cause& cause)
{
    return cause.reason == "FieldValueNotSupported" || cause.reason == "FieldValueRequired" ||
           cause.reason == "FieldValueTooLong" || cause.reason == "FieldValueTooMany" ||
           cause.reason == "FieldValueTypeInvalid";
}

/// The texts of forgiven errors that fit into a header.
std::vector<std::string> warnings_of(const std::vector<field_error>& forgiven)
{
    std::vector<std::string> out;
    for (const auto& each : forgiven) {
        auto text = (each.field.empty() ? "<nil>" : each.field) + ": " + each.message();
        const bool has_controls = std::any_of(text.begin(), text.end(),
                                              [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
        if (!has_controls) out.push_back(std::move(text));
    }
    return out;
}

/// Evaluates the rules of the schema, if the object is right otherwise.
void check_rules(const write_flags& flags, const resource_info& info, std::string_view version,
                 const json::value* before, const json::value& after, std::vector<status_cause>& causes)
{
    const auto* served = info.find_version(version);
    if (!served || !served->rules) return;
    if (std::any_of(causes.begin(), causes.end(), hides_rules)) {
        const auto said = errors::invalid_value("<nil>", "null",
                                                "some validation rules were not checked because the object was "
                                                "invalid; correct the existing errors to complete validation");
        // The schema says so of its own errors, to which others may have come.
        std::erase_if(causes, [&said](const status_cause& each) { return each.message == said.message; });
        causes.push_back(said);
        return;
    }
    const auto typed = with_type(info, version, after);
    const auto old = before ? with_type(info, version, *before) : json::value();
    auto found = served->rules->check(typed, before ? &old : nullptr);
    for (auto& each : found.errors) {
        if (errors::enough(causes)) break;
        if (each.field.empty()) each.field = "<nil>";
        causes.push_back(each.cause());
    }
    if (flags.warn && causes.empty()) flags.warn(warnings_of(found.warnings));
}

} // namespace

std::optional<status_error> check_object(const write_flags& flags, const resource_info& info, std::string_view version,
                                         const json::value* before, const json::value& after)
{
    std::vector<status_cause> causes;
    validate_metadata(info, after, causes);
    // Their changes have rules of their own: an event of an older client may be changed in the group that would not take it.
    if (!before || info.behaves != builtin::event) validate_kind(info, before, after, causes);
    check_schema(info, version, before, after, causes);
    validate_scaled(info, after, causes);
    if (before) validate_update(info, *before, after, causes);
    check_rules(flags, info, version, before, after, causes);
    if (!causes.empty()) return errors::invalid(info, text_at(after, "metadata.name"), std::move(causes));
    if (stored_size(info, after) > max_stored_bytes) return too_large_to_store();
    if (key_comparisons(after) > most_comparisons) // it grew by patches
        return errors::make(413, "RequestEntityTooLarge", "Request entity too large: an object has too many members");
    return {};
}

void prune_by_schema(const resource_info& info, std::string_view version, json::value& body)
{
    const auto* served = info.find_version(version);
    if (!served || !served->compiled) return;
    served->compiled->prune(body);
    served->compiled->drop_nulls(body);
}

std::optional<status_error> add_schema_defaults(const resource_info& info, std::string_view version, json::value& body)
{
    const auto* served = info.find_version(version);
    if (served && served->compiled && !served->compiled->fill_defaults(body)) return too_large_to_store();
    return {};
}

bool has_typed_rest(const resource_info& info, std::string_view version, std::string_view subresource,
                    const json::value* before, const json::value& body)
{
    if (!info.custom || !info.has_status || (!subresource.empty() && subresource != "status")) return true;
    json::object rest;
    for (const auto& [key, value] : body.get_object()) {
        const bool is_set = key == "metadata" || (key == "status") == (subresource == "status");
        const auto* same = before ? before->get_object().if_contains(key) : nullptr;
        if (!is_set && !value.is_null() && !(same && *same == value)) rest.emplace(key, value);
    }
    if (rest.empty()) return true;
    json::value pruned = std::move(rest);
    prune_by_schema(info, version, pruned);
    return detail::merge_problems(pruned, merge_type_of(info, version), detail::equal_keys::allowed).empty();
}

} // namespace kubecoro::apiserver
