// Asks the admission webhooks of the cluster's configurations about writes.
#include "objects/registry.hpp"
#include "objects/status_errors.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"
#include "verbs/exchange.hpp"

#include <kubecoro/admission/detail/admission_ledger.hpp>

#include <utility>
#include <vector>

namespace kubecoro::apiserver {
namespace {

using kubecoro::detail::admission_attributes;
using kubecoro::detail::admission_webhook;

constexpr std::string_view webhook_group = "admissionregistration.k8s.io";

/// In the order of the configurations' names.
std::vector<admission_webhook> webhooks_of(const cluster_state_core& state)
{
    std::vector<admission_webhook> out;
    for (const bool mutating : {true, false}) {
        const auto store =
            state.find(webhook_group, mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations");
        if (!store) continue;
        for (const auto& [key, object] : store->objects())
            for (auto& each : kubecoro::detail::webhooks_of(to_json(*object), mutating)) out.push_back(std::move(each));
    }
    return out;
}

/// Configurations could otherwise forbid their own repair. Other subresources than the status have objects of other kinds.
bool may_be_reviewed(const exchange& x)
{
    const bool known = x.route.subresource.empty() || x.route.subresource == "status";
    return x.request.reviews && known && x.store->info.group != webhook_group &&
           x.store->info.behaves != builtin::review;
}

std::optional<json::object> labels_of(const json::value* object)
{
    const auto* labels = object ? object_at(*object, "metadata.labels") : nullptr;
    return labels ? *labels : json::object();
}

admission_attributes attributes_of(const exchange& x, std::string_view operation, const json::value& object,
                                   bool dry_run)
{
    const auto& info = x.store->info;
    admission_attributes out{.operation = operation,
                             .group = info.group,
                             .version = x.route.version,
                             .plural = info.plural,
                             .kind = info.kind,
                             .subresource = x.route.subresource,
                             .namespaced = info.namespaced,
                             .ns = x.route.ns,
                             .name = std::string(text_at(object, "metadata.name")),
                             .dry_run = dry_run,
                             .user = described_user(x.user)};
    if (info.behaves == builtin::namespace_) {
        out.namespace_labels = labels_of(&object);
    } else if (info.namespaced) {
        const auto found = x.state.find("", "namespaces")->find(storage_key("", x.route.ns));
        const auto ns = found ? to_json(*found) : json::value();
        out.namespace_labels = labels_of(&ns);
    }
    return out;
}

/// The object with kind and apiVersion, which webhooks read.
json::value with_type(const exchange& x, const json::value& object)
{
    json::object out{{"kind", x.store->info.kind}, {"apiVersion", x.store->info.api_version(x.route.version)}};
    for (const auto& m : object.get_object()) out.insert_or_assign(m.key(), m.value());
    out["kind"] = x.store->info.kind;
    out["apiVersion"] = x.store->info.api_version(x.route.version);
    return out;
}

std::optional<status_error> as_error(std::optional<server_status> refusal)
{
    if (!refusal) return {};
    status_error out;
    static_cast<server_status&>(out) = *std::move(refusal);
    return out;
}

std::optional<status_error> review(const exchange& x, const std::vector<admission_webhook>& webhooks, bool mutating,
                                   const json::value* before, json::value& after, bool dry_run)
{
    const auto about = attributes_of(x, before ? "UPDATE" : "CREATE", after, dry_run);
    const auto old = before ? with_type(x, *before) : json::value();
    auto now = with_type(x, after);
    auto refusal = x.request.reviews->review(mutating, webhooks, about, before ? &old : nullptr, &now);
    if (refusal || !mutating) return as_error(std::move(refusal));
    for (const std::string_view name : {"kind", "apiVersion"})
        if (!after.get_object().contains(name)) now.get_object().erase(name);
    if (now != after) after = std::move(now);
    return {};
}

} // namespace

json::object described_user(const user_info& user)
{
    json::object out{{"username", std::string_view(user.name)}};
    if (!user.uid.empty()) out["uid"] = std::string_view(user.uid);
    if (!user.groups.empty()) out["groups"] = to_array(user.groups);
    json::object extra;
    for (const auto& [key, values] : user.extra) extra[key] = to_array(values);
    if (!extra.empty()) out["extra"] = std::move(extra);
    return out;
}

write_admission write_checks(exchange& x, bool dry_run)
{
    auto escalation = escalation_check(x);
    if (!may_be_reviewed(x)) return escalation;
    auto webhooks = webhooks_of(x.state);
    if (webhooks.empty()) return escalation;
    return [&x, dry_run, escalation = std::move(escalation), webhooks = std::move(webhooks)](
               const json::value* before, json::value& after, bool is_valid) -> std::optional<status_error> {
        if (is_valid && escalation)
            if (auto e = escalation(before, after, is_valid)) return e;
        return review(x, webhooks, !is_valid, before, after, dry_run);
    };
}

std::optional<status_error> review_deletion(exchange& x, bool dry_run)
{
    if (!may_be_reviewed(x)) return {};
    const auto webhooks = webhooks_of(x.state);
    const auto found = x.state.get(x.address());
    if (webhooks.empty() || !found) return {};
    const auto read = x.versions().read(x.store->info, **found, x.route.version);
    if (!read) return read.error();
    const auto old = with_type(x, *read);
    for (const bool mutating : {true, false}) {
        const auto about = attributes_of(x, "DELETE", old, dry_run);
        if (auto e = as_error(x.request.reviews->review(mutating, webhooks, about, &old, nullptr))) return e;
    }
    return {};
}

} // namespace kubecoro::apiserver
