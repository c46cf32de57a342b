// CustomResourceDefinitions: serves a new definition at once, and deletes its objects with it.
#include "render/json_text.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <algorithm>
#include <set>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view cleanup = "customresourcecleanup.apiextensions.k8s.io";

json::value condition(std::string_view type, bool met, std::string_view reason, std::string_view message, wall_time now)
{
    return {{"type", type},
            {"status", met ? "True" : "False"},
            {"lastTransitionTime", format_time(now)},
            {"reason", reason},
            {"message", message}};
}

using names_in_use = std::set<std::string, std::less<>>;

/// The names of a definition that are accepted, and why not all of them are.
struct naming
{
    json::object accepted;
    /// Empty when all names are accepted.
    std::string reason = {};
    std::string message = {};
};

naming settle_names(const json::value& crd, const names_in_use& resources, const names_in_use& kinds)
{
    naming out;
    const auto refuse = [&](std::string_view reason, std::string_view name) {
        out.reason = reason;
        out.message = quoted(name) + " is already in use";
    };
    const auto* asked = object_at(crd, "spec.names");
    if (!asked) return out;
    if (const auto* before = object_at(crd, "status.acceptedNames")) out.accepted = *before;
    const auto settle = [&](std::string_view member, const names_in_use& used, std::string_view reason) {
        const auto* name = asked->if_contains(member);
        if (!name || !name->is_string()) return;
        if (used.contains(std::string_view(name->get_string())))
            refuse(reason, name->get_string());
        else
            out.accepted[member] = *name;
    };
    settle("plural", resources, "PluralConflict");
    settle("singular", resources, "SingularConflict");
    const auto* short_names = asked->if_contains("shortNames");
    const std::string* taken = nullptr;
    std::string first_taken;
    if (short_names && short_names->is_array())
        for (const auto& name : short_names->get_array())
            if (!taken && name.is_string() && resources.contains(std::string_view(name.get_string()))) {
                first_taken = name.get_string();
                taken = &first_taken;
            }
    if (taken)
        refuse("ShortNamesConflict", *taken);
    else if (short_names)
        out.accepted["shortNames"] = *short_names;
    else
        out.accepted.erase("shortNames");
    settle("kind", kinds, "KindConflict");
    settle("listKind", kinds, "ListKindConflict");
    if (const auto* categories = asked->if_contains("categories"))
        out.accepted["categories"] = *categories;
    else
        out.accepted.erase("categories");
    return out;
}

void set_condition(json::object& status, json::value made)
{
    auto& conditions = status["conditions"];
    if (!conditions.is_array()) conditions = json::array{};
    for (auto& c : conditions.get_array()) {
        if (text_at(c, "type") != text_at(made, "type")) continue;
        if (text_at(c, "status") == text_at(made, "status"))
            made.get_object()["lastTransitionTime"] = text_at(c, "lastTransitionTime");
        c = std::move(made);
        return;
    }
    conditions.get_array().push_back(std::move(made));
}

} // namespace

void cluster_state_core::settle_crd(const stored& crd, wall_time now)
{
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    auto body = to_json(*crd);
    const auto served = find(crd->name);
    names_in_use resources, kinds;
    for (const auto& [key, other] : stores_) {
        if (other == served || other->info.group != text_at(body, "spec.group")) continue;
        const auto& taken = other->info;
        resources.insert({taken.plural, taken.singular});
        resources.insert(taken.short_names.begin(), taken.short_names.end());
        kinds.insert({taken.kind, taken.list_kind});
    }
    // Definitions that still wait keep those of their names that were accepted.
    for (const auto& each : unestablished(text_at(body, "spec.group"))) {
        if (each->name == crd->name) continue;
        const auto other = to_json(*each);
        const auto* taken = object_at(other, "status.acceptedNames");
        if (!taken) continue;
        const json::value held(*taken);
        for (const char* member : {"plural", "singular"}) resources.emplace(text_at(held, member));
        for (const char* member : {"kind", "listKind"}) kinds.emplace(text_at(held, member));
        if (const auto* list = array_at(held, "shortNames"))
            for (const auto& name : *list) resources.emplace(scalar_text(name));
    }
    const naming names = settle_names(body, resources, kinds);
    const bool accepted = names.reason.empty();
    const std::string_view initial = "the initial names have been accepted";
    const auto before = body;
    auto& status = object_member(body.get_object(), "status");
    status["acceptedNames"] = names.accepted;
    set_condition(status, condition("NamesAccepted", accepted, accepted ? "NoConflicts" : names.reason,
                                    accepted ? "no conflicts found" : names.message, now));
    if (!served)
        set_condition(status, condition("Established", false, accepted ? "Installing" : "NotAccepted",
                                        accepted ? initial : "not all names are accepted", now));
    const auto settled = body == before ? crd : commit(*definitions, crd, body);
    if (served) {
        auto info = resource_of_crd(body);
        // Conflicting names keep their previous values. Stored objects keep the text of the version they were written
        // in; only the prefix differs between versions.
        info.singular = accepted ? info.singular : served->info.singular;
        info.list_kind = accepted ? info.list_kind : served->info.list_kind;
        info.short_names = accepted ? info.short_names : served->info.short_names;
        info.storage_version = served->info.storage_version;
        info.selectable_revision = served->info.selectable_revision + (info.selectable != served->info.selectable);
        served->info = std::move(info);
        ++discovery_version_;
        return;
    }
    if (!accepted) return;
    body = to_json(*settled);
    set_condition(object_member(body.get_object(), "status"),
                  condition("Established", true, "InitialNamesAccepted", initial, now));
    commit(*definitions, settled, body);
    add_resource(resource_of_crd(body));
}

std::vector<stored> cluster_state_core::unestablished(std::string_view group) const
{
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    std::vector<stored> waiting;
    for (const auto& [key, crd] : definitions->objects()) {
        const std::string_view name = crd->name;
        if (!crd->deleting && name.substr(name.find('.') + 1) == group && !find(name)) waiting.push_back(crd);
    }
    return waiting;
}

void cluster_state_core::settle_group(std::string_view group, wall_time now)
{
    for (const auto& crd : unestablished(group)) settle_crd(crd, now);
}

delete_result cluster_state_core::remove_crd(resource_store& store, const stored& current, wall_time now)
{
    if (current->deleting) return {current, false};
    auto body = to_json(*current);
    auto& metadata = object_member(body.get_object(), "metadata");
    metadata["deletionTimestamp"] = format_time(now);
    auto& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers = json::array{};
    finalizers.get_array().push_back(json::value(cleanup));
    auto& conditions = object_member(body.get_object(), "status")["conditions"];
    if (!conditions.is_array()) conditions = json::array{};
    conditions.get_array().push_back(
        condition("Terminating", true, "InstanceDeletionPending",
                  "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now));
    auto marked = commit(store, current, body);

    if (const auto instances = find(marked->name); instances && instances->info.custom) {
        std::vector<stored> doomed;
        for (const auto& [key, object] : instances->objects()) doomed.push_back(object);
        sweep(*instances, doomed, now);
    }
    finish_crd(marked->name, now);
    return {marked, false};
}

void cluster_state_core::finish_crd(std::string_view name, wall_time now)
{
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    const auto crd = definitions->find(storage_key("", name));
    if (!crd || !crd->deleting) return;
    if (const auto instances = find(name); instances && !instances->objects().empty()) return;
    auto body = to_json(*crd);
    auto& metadata = object_member(body.get_object(), "metadata");
    auto* finalizers = metadata["finalizers"].if_array();
    if (!finalizers) return;
    const auto ours = std::find(finalizers->begin(), finalizers->end(), json::value(cleanup));
    if (ours == finalizers->end()) return;
    if (finalizers->size() == 1) {
        erase(*definitions, crd, now);
        return;
    }
    finalizers->erase(ours);
    commit(*definitions, crd, body);
}

} // namespace kubecoro::apiserver
