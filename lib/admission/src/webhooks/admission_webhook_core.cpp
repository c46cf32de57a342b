#include <kubecoro/admission/detail/admission_webhook.hpp>

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/status.hpp>
#include <kubecoro/api/typed_selector.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

std::int64_t number_in(const json::object& o, std::string_view name, std::int64_t otherwise)
{
    const auto* v = o.if_contains(name);
    return v != nullptr && v->is_number() ? v->to_number<std::int64_t>() : otherwise;
}

bool names(const json::object& rule, std::string_view list, std::string_view wanted)
{
    const auto* all = array_in(rule, list);
    return all != nullptr && std::ranges::any_of(*all, [&](const json::value& v) {
               return v == "*" || (v.is_string() && std::string_view(v.get_string()) == wanted);
           });
}

/// "pods", "pods/status", "pods/*", "*/status", "*", "*/*".
bool names_resource(const json::object& rule, const admission_attributes& about)
{
    const auto* all = array_in(rule, "resources");
    return all != nullptr && std::ranges::any_of(*all, [&](const json::value& v) {
               const std::string_view text = v.is_string() ? std::string_view(v.get_string()) : std::string_view();
               const auto slash = text.find('/');
               const auto resource = text.substr(0, slash);
               const auto sub = slash == text.npos ? std::string_view() : text.substr(slash + 1);
               return (resource == "*" || resource == about.plural) && (sub == "*" || sub == about.subresource);
           });
}

bool is_for(const json::object& rule, const admission_attributes& about, std::string_view version)
{
    const auto scope = text_in(rule, "scope");
    const bool in_scope = scope.empty() || scope == "*" || (scope == "Namespaced") == about.namespaced;
    return in_scope && names(rule, "operations", about.operation) && names(rule, "apiGroups", about.group) &&
           names(rule, "apiVersions", version) && names_resource(rule, about);
}

/// An absent selector selects everything, as the server's default does; one that is not valid nothing.
bool selects(const json::object& webhook, std::string_view name, const json::object* labels)
{
    const auto* selector = object_in(webhook, name);
    if (selector == nullptr || selector->empty()) return true;
    const auto read =
        object::from_json(json::object{{"selector", *selector}, {"labels", labels ? *labels : json::object()}});
    if (!read) return false;
    const auto selected = selector_of((*read)["selector"]);
    return selected && selected->matches((*read)["labels"]);
}

const json::object* labels_of(const json::value* o) { return object_in(member_in(o, "metadata"), "labels"); }

json::object kind_of(const admission_attributes& about, std::string_view version)
{
    if (about.kind_api_version.empty()) return {{"group", about.group}, {"version", version}, {"kind", about.kind}};
    const std::string_view own = about.kind_api_version;
    const auto slash = own.find('/');
    return {{"group", slash == own.npos ? std::string_view() : own.substr(0, slash)},
            {"version", own.substr(slash + 1)},
            {"kind", about.kind}};
}

json::object resource_of(const admission_attributes& about, std::string_view version)
{
    return {{"group", about.group}, {"version", version}, {"resource", about.plural}};
}

failure unusable(const std::string& why) { return failure(cond::corrupt, "received invalid webhook response: " + why); }

/// The texts of a list of a response.
std::vector<std::string> texts_in(const json::object& o, std::string_view name)
{
    std::vector<std::string> out;
    if (const auto* all = array_in(o, name))
        for (const auto& v : *all)
            if (v.is_string()) out.emplace_back(v.get_string());
    return out;
}

/// Why patch and its type do not belong together; empty: they do. Older reviews are not held to it.
std::string patch_problem(const admission_webhook& w, const json::object& response)
{
    const bool has_patch = !text_in(response, "patch").empty();
    const auto* type = response.if_contains("patchType");
    const bool has_type = type != nullptr && !type->is_null();
    if (w.review_version == "v1beta1") return {};
    if (!w.mutates && has_patch) return "validating webhook may not return response.patch";
    if (!w.mutates && has_type) return "validating webhook may not return response.patchType";
    if (has_patch && !has_type) return "webhook returned response.patch but not response.patchType";
    if (!has_patch && has_type) return "webhook returned response.patchType but not response.patch";
    if (has_type && text_in(response, "patchType") != "JSONPatch")
        return "unsupported patch type \"" + std::string(text_in(response, "patchType")) + "\"";
    return {};
}

result<json::array> patch_in(const admission_webhook& w, const json::object& response)
{
    if (auto why = patch_problem(w, response); !why.empty()) return unusable(why);
    const auto text = text_in(response, "patch");
    if (text.empty() || !w.mutates) return json::array();
    const auto decoded = bytes::from_base64(text);
    if (!decoded) return unusable("response.patch is no base64");
    boost::system::error_code ec;
    auto parsed = json::parse(decoded->data, ec);
    if (ec || !parsed.is_array()) return unusable("response.patch is no JSON patch");
    return std::move(parsed.get_array());
}

} // namespace

std::string webhook_place::shown() const
{
    if (!url.empty()) return url;
    return "https://" + service + "." + ns + ".svc:" + std::to_string(port) + (path.empty() ? "/" : path);
}

webhook_place webhook_place_of(const json::object& client)
{
    webhook_place out;
    out.url = text_in(client, "url");
    if (const auto* service = object_in(client, "service")) {
        out.service = text_in(*service, "name");
        out.ns = text_in(*service, "namespace");
        out.path = text_in(*service, "path");
        out.port = number_in(*service, "port", out.port);
    }
    auto bundle = bytes::from_base64(text_in(client, "caBundle"));
    if (bundle) out.bundle = std::move(bundle->data);
    return out;
}

namespace {

std::string review_version_of(const json::object& webhook)
{
    const auto* versions = array_in(webhook, "admissionReviewVersions");
    if (versions == nullptr) return {};
    const auto known =
        std::ranges::find_if(*versions, [](const json::value& v) { return v == "v1" || v == "v1beta1"; });
    return known == versions->end() ? std::string() : std::string(known->get_string());
}

} // namespace

std::vector<admission_webhook> webhooks_of(const json::value& configuration, bool mutating)
{
    std::vector<admission_webhook> out;
    const auto* all = array_in(configuration, "webhooks");
    if (all == nullptr) return out;
    for (const auto& v : *all) {
        if (!v.is_object()) continue;
        const auto& w = v.get_object();
        const auto effects = text_in(w, "sideEffects");
        const auto* client = object_in(w, "clientConfig");
        out.push_back({.name = std::string(text_in(w, "name")),
                       .mutates = mutating,
                       .place = client != nullptr ? webhook_place_of(*client) : webhook_place{},
                       .text = w,
                       .ignores_failures = text_in(w, "failurePolicy") == "Ignore",
                       .reinvoked = text_in(w, "reinvocationPolicy") == "IfNeeded",
                       .without_effects = effects == "None" || effects == "NoneOnDryRun",
                       .equivalent = text_in(w, "matchPolicy") != "Exact",
                       .review_version = review_version_of(w),
                       .timeout = std::chrono::seconds(number_in(w, "timeoutSeconds", 10))});
    }
    return out;
}

namespace {

/// The first version of a rule that names one: that of the request, or an equivalent one.
std::optional<std::string> named_version(const admission_webhook& w, const admission_attributes& about)
{
    const auto* rules = array_in(w.text, "rules");
    if (rules == nullptr) return {};
    const auto any_names = [&](std::string_view version) {
        return std::ranges::any_of(
            *rules, [&](const json::value& r) { return r.is_object() && is_for(r.get_object(), about, version); });
    };
    if (any_names(about.version)) return about.version;
    if (!w.equivalent) return {};
    for (const auto& r : *rules)
        for (const auto& other : about.other_versions)
            if (r.is_object() && is_for(r.get_object(), about, other)) return other;
    return {};
}

} // namespace

std::optional<std::string> version_for(const admission_webhook& w, const admission_attributes& about,
                                       const json::value* now, const json::value* before)
{
    auto version = named_version(w, about);
    if (!version) return {};
    const auto* labels = about.namespace_labels ? &*about.namespace_labels : nullptr;
    if (labels != nullptr && !selects(w.text, "namespaceSelector", labels)) return {};
    const bool selected = (now != nullptr && selects(w.text, "objectSelector", labels_of(now))) ||
                          (before != nullptr && selects(w.text, "objectSelector", labels_of(before)));
    return selected ? version : std::nullopt;
}

json::object review_request(std::string_view uid, const admission_attributes& about, std::string_view version,
                            const json::value* now, const json::value* before)
{
    json::object request{{"uid", uid},
                         {"kind", kind_of(about, version)},
                         {"resource", resource_of(about, version)},
                         {"requestKind", kind_of(about, about.version)},
                         {"requestResource", resource_of(about, about.version)}};
    if (!about.subresource.empty()) request["subResource"] = request["requestSubResource"] = about.subresource;
    if (!about.name.empty()) request["name"] = about.name;
    if (!about.ns.empty()) request["namespace"] = about.ns;
    request["operation"] = about.operation;
    request["userInfo"] = about.user;
    request["object"] = now != nullptr ? *now : json::value();
    request["oldObject"] = before != nullptr ? *before : json::value();
    request["dryRun"] = about.dry_run;
    request["options"] = about.options;
    return request;
}

std::string review_of(const admission_webhook& w, json::object request)
{
    return written_json(json::object{{"kind", "AdmissionReview"},
                                     {"apiVersion", "admission.k8s.io/" + w.review_version},
                                     {"request", std::move(request)}});
}

result<admission_answer> read_answer(const admission_webhook& w, std::string_view body, std::string_view uid)
{
    const bool strict = w.review_version == "v1";
    const auto parsed = object::parse(body);
    if (!parsed) return unusable("no JSON object");
    const auto all = parsed->to_json();
    if (strict && (text_in(all, "kind") != "AdmissionReview" || text_in(all, "apiVersion") != "admission.k8s.io/v1"))
        return unusable("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got " +
                        std::string(text_in(all, "apiVersion")) + ", Kind=" + std::string(text_in(all, "kind")));
    const auto* response = object_in(all, "response");
    if (response == nullptr) return unusable("webhook response was absent");
    if (strict && text_in(*response, "uid") != uid)
        return unusable("expected response.uid=\"" + std::string(uid) + "\", got \"" +
                        std::string(text_in(*response, "uid")) + "\"");
    admission_answer out;
    out.allowed = is_true_in(*response, "allowed");
    out.warnings = texts_in(*response, "warnings");
    if (!out.allowed) out.status = read_status((*parsed)["response"]["status"]);
    auto patch = patch_in(w, *response);
    if (!patch) return patch.error();
    out.patch = *std::move(patch);
    return out;
}

server_status denied_by(const admission_webhook& w, server_status status)
{
    constexpr int least = 400;
    const auto by = "admission webhook \"" + w.name + "\" denied the request";
    if (status.code < least) status.code = least;
    if (!status.message.empty())
        status.message = by + ": " + status.message;
    else if (!status.reason.empty())
        status.message = by + ": " + status.reason;
    else
        status.message = by + " without explanation";
    return status;
}

server_status internal_error(std::string_view why)
{
    server_status out;
    out.code = 500;
    out.reason = "InternalError";
    out.message = "Internal error occurred: " + std::string(why);
    out.causes.push_back({{}, std::string(why), {}});
    return out;
}

server_status failed_call(const admission_webhook& w, std::string_view why)
{
    return internal_error("failed calling webhook \"" + w.name + "\": " + std::string(why));
}

server_status forbidden_by(const admission_attributes& about, std::string_view why)
{
    server_status out;
    out.code = 403;
    out.reason = "Forbidden";
    out.kind = about.plural;
    out.group = about.group;
    out.name = about.name;
    out.message = about.plural + (about.group.empty() ? "" : "." + about.group) + " \"" + about.name +
                  "\" is forbidden: " + std::string(why);
    return out;
}

} // namespace kubecoro::detail
