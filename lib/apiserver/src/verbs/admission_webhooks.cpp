// Asks the admission webhooks of the cluster's configurations about writes.
#include "objects/registry.hpp"
#include "objects/status_errors.hpp"
#include "state/resource_store.hpp"
#include "state/scale.hpp"
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"
#include "verbs/exchange.hpp"

#include <kubecoro/admission/detail/admission_ledger.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace asio = boost::asio;

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

/// Configurations could otherwise forbid their own repair.
bool may_be_reviewed(const exchange& x)
{
    return x.request.reviews && x.store->info.group != webhook_group && x.store->info.behaves != builtin::review;
}

/// Whether the object of a request is not one of its resource, but one that its subresource has.
const subresource_info* own_kind(const exchange& x, const std::vector<subresource_info>& all)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == x.route.subresource; });
    return found == all.end() || found->kind.empty() ? nullptr : &*found;
}

std::optional<json::object> labels_of(const json::value* object)
{
    const auto* labels = object ? object_at(*object, "metadata.labels") : nullptr;
    return labels ? *labels : json::object();
}

json::object options_of(const exchange& x, std::string_view operation, bool dry_run)
{
    const std::string_view kind = operation == "CREATE"   ? "CreateOptions"
                                  : operation == "UPDATE" ? "UpdateOptions"
                                                          : "DeleteOptions";
    json::object out{{"kind", kind}, {"apiVersion", "meta.k8s.io/v1"}};
    if (dry_run) out["dryRun"] = json::array{"All"};
    for (const std::string_view name : {"fieldManager", "fieldValidation"})
        if (const auto text = x.target.value(name); !text.empty() && operation != "DELETE") out[name] = text;
    return out;
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
                             .user = described_user(x.user),
                             .options = options_of(x, operation, dry_run)};
    const auto parts = subresources_of(info);
    if (const auto* part = own_kind(x, parts)) {
        out.kind = part->kind;
        out.kind_api_version = part->api_version;
    }
    if (info.custom)
        for (const auto& each : info.versions)
            if (each.name != x.route.version) out.other_versions.push_back(each.name);
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
json::value with_type(const exchange& x, const admission_attributes& about, const json::value& object)
{
    const auto api_version =
        about.kind_api_version.empty() ? x.store->info.api_version(x.route.version) : about.kind_api_version;
    json::object out{{"kind", about.kind}, {"apiVersion", api_version}};
    for (const auto& m : object.get_object()) out.insert_or_assign(m.key(), m.value());
    out["kind"] = about.kind;
    out["apiVersion"] = api_version;
    return out;
}

asio::awaitable<result<json::value>> change_version(std::shared_ptr<const resource_info> info,
                                                    std::shared_ptr<kubecoro::detail::conversion_ledger> by,
                                                    json::value object, std::string version)
{
    while (true) {
        auto made = version_converter(by.get()).in_version(*info, object, version);
        if (made) co_return std::move(*made);
        if (made.error().code != 0) co_return failure(cond::internal, made.error().message);
        co_await by->perform();
    }
}

/// The versions of a custom resource, for webhooks that are asked in another one than that of the request.
kubecoro::detail::version_change version_changes(const exchange& x)
{
    if (x.store->info.versions.size() < 2) return {};
    return [info = std::make_shared<const resource_info>(x.store->info),
            by = x.request.conversions](json::value object, std::string version) {
        return change_version(info, by, std::move(object), std::move(version));
    };
}

std::optional<status_error> as_error(std::optional<server_status> refusal)
{
    if (!refusal) return {};
    status_error out;
    static_cast<server_status&>(out) = *std::move(refusal);
    return out;
}

/// @param before  Null for a new object.
std::optional<status_error> review(const exchange& x, const std::vector<admission_webhook>& webhooks, bool mutating,
                                   const json::value* before, json::value& after, bool dry_run)
{
    const auto about = attributes_of(x, before ? "UPDATE" : "CREATE", after, dry_run);
    const auto old = before ? with_type(x, about, *before) : json::value();
    auto now = with_type(x, about, after);
    auto refusal =
        x.request.reviews->review(mutating, webhooks, about, before ? &old : nullptr, &now, version_changes(x));
    if (refusal || !mutating) return as_error(std::move(refusal));
    for (const std::string_view name : {"kind", "apiVersion"})
        if (!after.get_object().contains(name)) now.get_object().erase(name);
    if (now != after) after = std::move(now);
    return {};
}

/// The webhooks that may have to be asked about a request.
std::vector<admission_webhook> webhooks_for(const exchange& x)
{
    return may_be_reviewed(x) ? webhooks_of(x.state) : std::vector<admission_webhook>{};
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
    auto webhooks = webhooks_for(x);
    const auto parts = subresources_of(x.store->info);
    const auto* part = own_kind(x, parts);
    const bool scales = part && x.route.subresource == "scale";
    if (webhooks.empty() || (part && !scales)) return escalation;
    return [&x, dry_run, scales, escalation = std::move(escalation), webhooks = std::move(webhooks)](
               const json::value* before, json::value& after, bool is_valid) -> std::optional<status_error> {
        if (is_valid && escalation)
            if (auto e = escalation(before, after, is_valid)) return e;
        if (!scales) return review(x, webhooks, !is_valid, before, after, dry_run);
        if (!is_valid || !before) return {};
        const auto old = scale_of(x.store->info, *before);
        auto now = scale_of(x.store->info, after);
        return review(x, webhooks, false, &old, now, dry_run);
    };
}

write_admission scale_checks(exchange& x, bool dry_run)
{
    auto webhooks = x.route.subresource == "scale" ? webhooks_for(x) : std::vector<admission_webhook>{};
    if (webhooks.empty()) return {};
    return [&x, dry_run, webhooks = std::move(webhooks)](const json::value* before, json::value& after, bool) {
        return review(x, webhooks, true, before, after, dry_run);
    };
}

std::optional<status_error> review_part(const exchange& x, json::value& part, bool dry_run)
{
    const auto webhooks = webhooks_for(x);
    if (webhooks.empty()) return {};
    for (const bool mutating : {true, false})
        if (auto e = review(x, webhooks, mutating, nullptr, part, dry_run)) return e;
    return {};
}

std::optional<status_error> review_deletion(const exchange& x, const stored_object& object, std::string_view name,
                                            bool dry_run)
{
    const auto webhooks = webhooks_for(x);
    if (webhooks.empty()) return {};
    const auto read = x.versions().read(x.store->info, object, x.route.version);
    if (!read) return read.error();
    auto about = attributes_of(x, "DELETE", *read, dry_run);
    about.name = name;
    const auto old = with_type(x, about, *read);
    for (const bool mutating : {true, false})
        if (auto e = as_error(x.request.reviews->review(mutating, webhooks, about, &old, nullptr, version_changes(x))))
            return e;
    return {};
}

} // namespace kubecoro::apiserver
