#include "manifests/manifests_core.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/yaml.hpp>

#include <boost/json/value.hpp>

#include <algorithm>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr int service_port = 443;
constexpr std::string_view label = "app.kubernetes.io/name";

json::object client_config(const hook_place& at, const std::string& path, std::string_view bundle)
{
    json::object out;
    if (at.url.empty())
        out["service"] =
            json::object{{"name", at.service}, {"namespace", at.ns}, {"path", path}, {"port", service_port}};
    else
        out["url"] = at.url + path;
    if (!bundle.empty()) out["caBundle"] = bytes(std::string(bundle)).base64();
    return out;
}

std::string_view operator_of(label_selector::op o)
{
    using enum label_selector::op;
    switch (o) {
    case not_equals:
    case not_in:
        return "NotIn";
    case exists:
        return "Exists";
    case not_exists:
        return "DoesNotExist";
    default:
        return "In";
    }
}

json::object selector_of(const label_selector& s)
{
    json::array all;
    for (const auto& r : s.requirements()) {
        json::object one{{"key", r.key}, {"operator", operator_of(r.operation)}};
        if (!r.values.empty()) one["values"] = json::array(r.values.begin(), r.values.end());
        all.push_back(std::move(one));
    }
    if (all.empty()) return {};
    return {{"matchExpressions", std::move(all)}};
}

json::object rule_of(const hook_entry& h)
{
    json::array operations;
    for (const auto o : h.options.operations) operations.emplace_back(to_string(o));
    const auto resource = h.type.plural + (h.options.subresource.empty() ? "" : "/" + h.options.subresource);
    return {{"apiGroups", {h.type.group}},
            {"apiVersions", {h.type.version}},
            {"operations", std::move(operations)},
            {"resources", {resource}},
            {"scope", h.type.namespaced ? "Namespaced" : "Cluster"}};
}

json::object webhook_of(const hook_entry& h, const hook_place& at, std::string_view bundle)
{
    const auto& o = h.options;
    json::object out{{"name", h.name()},
                     {"admissionReviewVersions", {"v1"}},
                     {"clientConfig", client_config(at, h.path(), bundle)},
                     {"failurePolicy", o.ignore_failures ? "Ignore" : "Fail"},
                     {"matchPolicy", "Equivalent"},
                     {"namespaceSelector", selector_of(o.namespaces)},
                     {"objectSelector", selector_of(o.objects)},
                     {"rules", json::array{rule_of(h)}},
                     {"sideEffects", o.has_side_effects ? "NoneOnDryRun" : "None"},
                     {"timeoutSeconds", o.timeout.count()}};
    if (h.mutates) out["reinvocationPolicy"] = o.reinvoke ? "IfNeeded" : "Never";
    return out;
}

json::object& webhook_named(json::array& all, std::string_view name, bool add)
{
    static thread_local json::object none;
    for (auto& w : all)
        if (text_in(w, "name") == name && w.is_object()) return w.get_object();
    if (!add) return none = json::object();
    return all.emplace_back(json::object{{"name", name}}).get_object();
}

/// The server that a webhook leads to: without its path.
std::string server_of(const json::value& webhook)
{
    const auto* config = member_in(webhook, "clientConfig");
    if (const auto* service = member_in(config, "service"))
        return std::string(text_in(service, "namespace")) + "/" + std::string(text_in(service, "name"));
    const auto url = text_in(config, "url");
    return std::string(url.substr(0, url.rfind('/') + 1));
}

/// Drops webhooks that lead to the program, and that it has no more: a server would refuse each write because of them.
void drop_former(json::array& stored, const json::array& wanted)
{
    if (wanted.empty()) return;
    const auto has = [&](std::string_view name) {
        return std::ranges::any_of(wanted, [&](const auto& w) { return text_in(w, "name") == name; });
    };
    const auto own = server_of(wanted.front());
    for (auto at = stored.begin(); at != stored.end();)
        at = server_of(*at) == own && !has(text_in(*at, "name")) ? stored.erase(at) : at + 1;
}

const json::value* bundle_in(const json::value& webhook)
{
    return member_in(member_in(webhook, "clientConfig"), "caBundle");
}

} // namespace

resource_type configuration_type(bool mutating)
{
    return mutating ? resource_type{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
                                    "MutatingWebhookConfiguration", false}
                    : resource_type{"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
                                    "ValidatingWebhookConfiguration", false};
}

resource_type definition_type()
{
    return {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};
}

std::string definition_name(const resource_type& type) { return type.plural + "." + type.group; }

json::object configuration(bool mutating, const std::vector<hook_entry>& hooks, const hook_place& at,
                           std::string_view bundle)
{
    auto out = new_object(configuration_type(mutating), {"", at.name});
    json::array all;
    for (const auto& h : hooks)
        if (h.mutates == mutating) all.push_back(webhook_of(h, at, bundle));
    out["webhooks"] = std::move(all);
    return out;
}

json::object service_of(const hook_place& at)
{
    auto out = new_object({"", "v1", "services", "Service"}, {at.ns, at.service});
    out["spec"] = json::object{
        {"selector", {{label, at.app}}},
        {"ports", json::array{json::object{{"name", "webhooks"}, {"port", service_port}, {"targetPort", at.port}}}}};
    return out;
}

json::object conversion_of(const hook_place& at, std::string_view bundle)
{
    return {{"strategy", "Webhook"},
            {"webhook",
             {{"clientConfig", client_config(at, conversion_path, bundle)}, {"conversionReviewVersions", {"v1"}}}}};
}

std::string manifest_text(const std::vector<json::object>& objects)
{
    std::string out, patches;
    for (const auto& o : objects) {
        if (text_in(o, "kind") != definition_type().kind)
            out += (out.empty() ? "" : "---\n") + to_yaml(o);
        else
            patches += "# The program writes the conversion of its definition, as this does:\n# kubectl patch crd " +
                       std::string(text_in(*object_in(o, "metadata"), "name")) + " --type=merge --patch '" +
                       written_json(json::object{{"spec", o.at("spec")}}) + "'\n";
    }
    return out + patches;
}

void settle_configuration(json::object& stored, const json::object& wanted, bool bundle_only)
{
    auto& place = stored["webhooks"];
    if (!place.is_array()) place = json::array();
    if (!bundle_only) drop_former(place.get_array(), wanted.at("webhooks").as_array());
    for (const auto& w : wanted.at("webhooks").as_array()) {
        auto& mine = webhook_named(place.get_array(), text_in(w, "name"), !bundle_only);
        if (!bundle_only) {
            for (const auto& m : w.as_object()) mine[m.key()] = m.value();
        } else if (const auto* bundle = bundle_in(w); bundle != nullptr && !mine.empty()) {
            field(mine, "clientConfig", "caBundle") = *bundle;
        }
    }
}

} // namespace kubecoro::detail
