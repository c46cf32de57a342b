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

bool is_for(const json::object& rule, const admission_attributes& about)
{
    const auto scope = text_in(rule, "scope");
    const bool in_scope = scope.empty() || scope == "*" || (scope == "Namespaced") == about.namespaced;
    return in_scope && names(rule, "operations", about.operation) && names(rule, "apiGroups", about.group) &&
           names(rule, "apiVersions", about.version) && names_resource(rule, about);
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

json::object kind_of(const admission_attributes& about)
{
    return {{"group", about.group}, {"version", about.version}, {"kind", about.kind}};
}

json::object resource_of(const admission_attributes& about)
{
    return {{"group", about.group}, {"version", about.version}, {"resource", about.plural}};
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

result<json::array> patch_in(const json::object& response)
{
    const auto text = text_in(response, "patch");
    if (text.empty()) return json::array();
    if (text_in(response, "patchType") != "JSONPatch")
        return unusable("webhook returned response.patch but not response.patchType");
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
                       .timeout = std::chrono::seconds(number_in(w, "timeoutSeconds", 10))});
    }
    return out;
}

bool is_asked(const admission_webhook& w, const admission_attributes& about, const json::value* now,
              const json::value* before)
{
    const auto* rules = array_in(w.text, "rules");
    const bool fits = rules != nullptr && std::ranges::any_of(*rules, [&](const json::value& r) {
                          return r.is_object() && is_for(r.get_object(), about);
                      });
    if (!fits) return false;
    const auto* labels = about.namespace_labels ? &*about.namespace_labels : nullptr;
    if (labels != nullptr && !selects(w.text, "namespaceSelector", labels)) return false;
    return (now != nullptr && selects(w.text, "objectSelector", labels_of(now))) ||
           (before != nullptr && selects(w.text, "objectSelector", labels_of(before)));
}

std::string review_of(std::string_view uid, const admission_attributes& about, const json::value* now,
                      const json::value* before)
{
    json::object request{{"uid", uid},
                         {"kind", kind_of(about)},
                         {"resource", resource_of(about)},
                         {"requestKind", kind_of(about)},
                         {"requestResource", resource_of(about)}};
    if (!about.subresource.empty()) request["subResource"] = request["requestSubResource"] = about.subresource;
    if (!about.name.empty()) request["name"] = about.name;
    if (!about.ns.empty()) request["namespace"] = about.ns;
    request["operation"] = about.operation;
    request["userInfo"] = about.user;
    request["object"] = now != nullptr ? *now : json::value();
    request["oldObject"] = before != nullptr ? *before : json::value();
    request["dryRun"] = about.dry_run;
    return written_json(json::object{
        {"kind", "AdmissionReview"}, {"apiVersion", "admission.k8s.io/v1"}, {"request", std::move(request)}});
}

result<admission_answer> read_answer(std::string_view body, std::string_view uid)
{
    const auto parsed = object::parse(body);
    if (!parsed) return unusable("no JSON object");
    const auto all = parsed->to_json();
    if (text_in(all, "kind") != "AdmissionReview" || text_in(all, "apiVersion") != "admission.k8s.io/v1")
        return unusable("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got " +
                        std::string(text_in(all, "apiVersion")) + ", Kind=" + std::string(text_in(all, "kind")));
    const auto* response = object_in(all, "response");
    if (response == nullptr) return unusable("webhook response was absent");
    if (text_in(*response, "uid") != uid)
        return unusable("expected response.uid=\"" + std::string(uid) + "\", got \"" +
                        std::string(text_in(*response, "uid")) + "\"");
    admission_answer out;
    out.allowed = is_true_in(*response, "allowed");
    out.warnings = texts_in(*response, "warnings");
    if (!out.allowed) out.status = read_status((*parsed)["response"]["status"]);
    auto patch = patch_in(*response);
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

server_status failed_call(const admission_webhook& w, std::string_view why)
{
    server_status out;
    out.code = 500;
    out.reason = "InternalError";
    const auto problem = "failed calling webhook \"" + w.name + "\": " + std::string(why);
    out.message = "Internal error occurred: " + problem;
    out.causes.push_back({{}, problem, {}});
    return out;
}

} // namespace kubecoro::detail
