// Answers POST, PUT and PATCH.
#include "objects/finalizers.hpp"
#include "objects/status_errors.hpp"
#include "patch/patch.hpp"
#include "schema/crd_validation.hpp"
#include "schema/validation.hpp"
#include "state/scale.hpp"
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"
#include "verbs/body.hpp"
#include "verbs/exchange.hpp"

#include <kubecoro/api/detail/utf8.hpp>

#include <algorithm>
#include <cmath>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view apply_type = "application/apply-patch+yaml";

std::string_view media_type(const exchange& x)
{
    const auto type = x.request.header("content-type");
    return type.substr(0, type.find(';'));
}

/// Warns of the parts of a definition that have no effect here. Most kinds have none: their text is not parsed for it.
void note_unevaluated(exchange& x, const stored_object& object)
{
    const bool defines = x.store->info.behaves == builtin::custom_resource_definition;
    const bool calls = x.request.reviews && (defines || x.store->info.plural.ends_with("webhookconfigurations"));
    if (!x.route.subresource.empty() || calls || !may_be_unevaluated(x.store->info)) return;
    if (auto warning = unevaluated_parts(x.store->info, to_json(object)); !warning.empty())
        x.warnings.push_back(std::move(warning));
}

/// The object of the request; null if there is none.
stored present(const exchange& x)
{
    const auto found = x.state.get(x.address());
    return found ? *found : nullptr;
}

/// Warns of formats of a definition that are not checked.
void note_formats(exchange& x, const json::value& before, const json::value& after)
{
    const auto known = unrecognized_formats(before);
    for (const auto& format : unrecognized_formats(after))
        if (!std::binary_search(known.begin(), known.end(), format))
            x.warnings.push_back("unrecognized format " + quote(format));
}

/// Warns of what a write adds. @param before  Null for a new object.
void note_additions(exchange& x, const stored& before, const stored_object& after)
{
    const auto& info = x.store->info;
    const bool defines = info.behaves == builtin::custom_resource_definition;
    if (!x.route.subresource.empty() || (!info.custom && !defines)) return;
    const auto old = before ? to_json(*before) : json::value();
    const auto now = to_json(after);
    if (defines) note_formats(x, old, now);
    if (!info.custom) return;
    for (auto& warning : finalizer_warnings(old, now)) x.warnings.push_back(std::move(warning));
}

/// @param before  Null for a new object.
http_response written(exchange& x, const stored& before, const answer<stored>& result, int status)
{
    if (!result) return respond(result.error());
    const auto form = choose_rendering(x, false);
    if (!form) return respond(form.error());
    note_unevaluated(x, **result);
    note_additions(x, before, **result);
    const auto shown = x.versions().shown(x.store->info, *result, x.route.version);
    if (!shown) return respond(shown.error());
    return object_response(render_object(x.store->info, *shown, *form, x.now), form->form, status);
}

} // namespace

http_response answer_create(exchange& x)
{
    if (const auto chosen = choose_media(x); !chosen) return respond(chosen.error());
    const auto flags = read_write_flags(x, "CreateOptions");
    if (!flags) return respond(flags.error());
    auto body = read_object(x);
    if (!body) return respond(body.error());
    return written(x, nullptr, x.state.create(x.address(), std::move(*body), *flags, x.now), 201);
}

http_response answer_update(exchange& x)
{
    if (const auto chosen = choose_media(x); !chosen) return respond(chosen.error());
    const auto flags = read_write_flags(x, "UpdateOptions");
    if (!flags) return respond(flags.error());
    if (x.route.subresource == "scale") return answer_scale_update(x, *flags);
    auto body = read_object(x);
    if (!body) return respond(body.error());
    if (auto e = check_place(x, *body)) return respond(*e);
    const auto existed = present(x);
    if (!existed && x.store->info.create_on_update && x.route.subresource.empty())
        if (auto refused = judge_create(x)) return std::move(*refused);
    return written(x, existed, x.state.update(x.address(), std::move(*body), *flags, x.now), existed ? 200 : 201);
}

namespace {

enum class patch_format
{
    json,
    merge,
    strategic
};

answer<patch_format> choose_format(const exchange& x)
{
    const auto type = media_type(x);
    if (type == "application/json-patch+json") return patch_format::json;
    if (type == "application/merge-patch+json") return patch_format::merge;
    if (type == "application/strategic-merge-patch+json" && !x.store->info.custom) return patch_format::strategic;
    if (type == "application/strategic-merge-patch+json")
        return errors::make(415, "UnsupportedMediaType",
                            "the body of the request was in an unknown format - accepted media types include: "
                            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    auto e = errors::make(415, "UnsupportedMediaType", "415: Unsupported Media Type");
    e.empty_details = true;
    return e;
}

/// Bytes of an object in a refusal.
constexpr std::size_t longest_shown = 16 * 1024;

/// Refuses an object that a patch has made, and that is none of its kind. @param shown  The object, or the patch.
status_error unfit(const json::value& shown, const std::string& why)
{
    auto text = to_text(shown);
    if (text.size() > longest_shown) text = detail::valid_utf8(text.substr(0, longest_shown)) + " ...";
    return errors::invalid("", "", "", {errors::invalid_value("patch", quote(text), why)});
}

status_error no_map(patch_format format, const json::value& patch)
{
    const std::string begin = format == patch_format::merge ? "error decoding patch: " : "";
    return errors::bad_request(begin + "json: cannot unmarshal " + std::string(go_kind(patch)) +
                               " into Go value of type map[string]interface {}");
}

std::optional<status_error> apply_operations(json::value& doc, const json::value& patch)
{
    if (patch.is_null()) return {};
    const auto no_type = [](const json::value& v, std::string_view wanted) {
        return errors::bad_request("error decoding patch: json: cannot unmarshal " + std::string(go_kind(v)) +
                                   " into Go value of type " + std::string(wanted));
    };
    const auto* operations = patch.if_array();
    if (!operations) return no_type(patch, "[]handlers.jsonPatchOp");
    for (const auto& each : *operations)
        if (!each.is_object() && !each.is_null()) return no_type(each, "handlers.jsonPatchOp");
    if (operations->size() > 10'000)
        return errors::make(413, "RequestEntityTooLarge",
                            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got " +
                                std::to_string(operations->size()));
    if (!apply_json_patch(doc, *operations)) return errors::unsupported_patch_body();
    return {};
}

std::optional<status_error> apply_patch(const exchange& x, patch_format format, json::value& doc,
                                        std::vector<std::string>& duplicates)
{
    const bool strategic = format == patch_format::strategic;
    // A JSON patch is a list of operations; duplicate members in it are not fields of the object.
    auto patch = read_document(x, format == patch_format::json ? nullptr : &duplicates);
    if (!patch) return errors::bad_request((strategic ? "" : "error decoding patch: ") + patch.error());
    if (format == patch_format::json) {
        if (auto e = apply_operations(doc, *patch)) return e;
    } else if (patch->is_null() && !strategic) {
        return errors::bad_request("Invalid JSON Patch");
    } else if (!patch->is_null() && !patch->is_object()) {
        return no_map(format, *patch);
    } else if (format == patch_format::merge) {
        apply_merge_patch(doc, *patch);
    } else if (patch->is_object()) {
        const std::string api_version(text_at(doc, "apiVersion"));
        const std::string kind(text_at(doc, "kind"));
        if (auto e = apply_strategic_merge(doc.get_object(), patch->get_object(), api_version, kind)) return e;
        for (const auto& [member, own] : {std::pair("apiVersion", &api_version), std::pair("kind", &kind)}) {
            auto& stated = doc.get_object()[member];
            if (!stated.is_null() && !stated.is_string())
                return unfit(*patch, "cannot convert " + std::string(go_kind(stated)) + " to string");
            stated = std::string_view(*own); // Go's type is that of the resource, whatever the patch says
        }
    }
    if (!doc.is_object()) return errors::unsupported_patch_body();
    return {};
}

/// Checks what a patch has made as if it had been sent. @return the refusal.
std::optional<status_error> check_patched(exchange& x, json::value& doc, const std::vector<std::string>& duplicates)
{
    const auto& info = x.store->info;
    // Go decodes nothing of an object without a version, not even its name.
    const auto* version = find_at(doc, "apiVersion");
    const bool has_version = version && !version->is_null() && *version != "";
    if (!has_version && !info.custom) return errors::other_name("", x.route.name);
    if (auto fault = find_type_fault(x, doc)) return fault->verdict ? *fault->verdict : unfit(doc, fault->why);
    fill_null_texts(info, doc);
    if (auto e = check_types(info, x.route.version, doc)) {
        const auto begin = in_version(info.kind, x.route.version, info) + ": ";
        return e->message.starts_with(begin) ? unfit(doc, e->message.substr(begin.size())) : *e;
    }
    const auto why = settle_doubtful_fields(x, doc, duplicates);
    return why.empty() ? std::nullopt : std::optional(unfit(doc, why));
}

} // namespace

namespace {

/// A configuration is read as YAML, in which 10.0 is the integer 10.
void take_whole_numbers(json::value& v)
{
    constexpr double largest = 9.2e18;
    if (auto* items = v.if_array())
        for (auto& item : *items) take_whole_numbers(item);
    else if (auto* members = v.if_object())
        for (auto& member : *members) take_whole_numbers(member.value());
    else if (const auto* number = v.if_double();
             number && std::trunc(*number) == *number && std::abs(*number) < largest)
        v = static_cast<std::int64_t>(*number);
}

answer<json::value> read_configuration(const exchange& x, std::vector<std::string>& duplicates)
{
    auto config = read_document(x, &duplicates);
    if (!config) return errors::bad_request("error decoding YAML: " + config.error());
    if (!config->is_object())
        return errors::bad_request("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot "
                                   "unmarshal " +
                                   std::string(config->is_array() ? "array" : "scalar") +
                                   " into Go value of type map[string]interface {}");
    take_whole_numbers(*config);
    return std::move(*config);
}

/// Fields that occur twice are refused or reported.
std::optional<status_error> check_duplicates(exchange& x, const std::vector<std::string>& duplicates)
{
    if (duplicates.empty()) return {};
    if (x.target.value("fieldValidation") == "Strict")
        return errors::bad_request(
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  " +
            duplicates.front());
    warn_of(x, {duplicates.front()});
    return {};
}

http_response answer_apply(exchange& x, write_flags flags)
{
    if (x.target.value("fieldManager").empty())
        return respond(
            errors::invalid_options("PatchOptions", {errors::required("fieldManager", "is required for apply patch")}));
    flags.force = x.target.flag("force");
    std::vector<std::string> duplicates;
    auto config = read_configuration(x, duplicates);
    if (!config) return respond(config.error());
    if (auto e = check_duplicates(x, duplicates)) return respond(*e);
    if (x.route.subresource == "scale") return answer_scale_apply(x, std::move(*config), flags);
    const auto existed = present(x);
    if (x.route.subresource.empty() && !existed)
        if (auto refused = judge_create(x)) return std::move(*refused);
    const auto done = x.state.apply(x.address(), std::move(*config), flags, x.now);
    if (!done) return respond(done.error());
    return written(x, existed, done->object, done->created ? 201 : 200);
}

} // namespace

http_response answer_patch(exchange& x)
{
    if (const auto chosen = choose_media(x); !chosen) return respond(chosen.error());
    const auto flags = read_write_flags(x, "PatchOptions");
    if (!flags) return respond(flags.error());
    if (media_type(x) == apply_type) return answer_apply(x, *flags);
    const auto format = choose_format(x);
    if (!format) return respond(format.error());
    if (x.target.has("force"))
        return respond(errors::invalid_options(
            "PatchOptions", {errors::forbidden_field("force", "may not be specified for non-apply patch")}));
    const auto current = x.state.get(x.address());
    if (!current) return respond(current.error());

    const auto& info = x.store->info;
    const bool scale = x.route.subresource == "scale";
    auto read =
        scale ? answer<json::value>(scale_of(info, **current)) : x.versions().read(info, **current, x.route.version);
    if (!read) return respond(read.error());
    auto& doc = *read;
    if (!scale) doc.get_object()["apiVersion"] = std::string_view(info.api_version(x.route.version));
    std::vector<std::string> duplicates;
    if (auto e = apply_patch(x, *format, doc, duplicates)) return respond(*e);
    if (!scale) {
        if (auto e = check_patched(x, doc, duplicates)) return respond(*e);
    } else if (info.custom && !find_at(doc, "spec.replicas") && !find_at(to_json(**current), info.scale_spec)) {
        return respond(
            errors::bad_request("the spec replicas field " + quote("." + info.scale_spec) + " cannot be empty"));
    }
    if (auto e = check_place(x, doc)) return respond(*e);
    if (const auto uid = text_at(doc, "metadata.uid"); !scale && !uid.empty() && uid != (*current)->uid)
        return respond(errors::invalid(info, x.route.name,
                                       {errors::invalid_value("metadata.uid", quote(uid), "field is immutable")}));
    auto& metadata = object_member(doc.get_object(), "metadata");
    default_member(metadata, "resourceVersion", json::value(std::string_view(std::to_string((*current)->version))));
    if (scale) {
        if (auto e = check_builtin_types("autoscaling/v1", "Scale", doc)) return respond(*e);
        return write_scale(x, std::move(doc), *flags);
    }
    for (const std::string_view key : {"kind", "apiVersion"}) doc.get_object().erase(key);
    return written(x, *current, x.state.update(x.address(), std::move(doc), *flags, x.now), 200);
}

} // namespace kubecoro::apiserver
