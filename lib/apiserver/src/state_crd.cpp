// CustomResourceDefinitions: a new one is served at once, a deleted one takes its objects with it.
#include "json_text.hpp"
#include "resource_store.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <algorithm>

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

json::value accepted_names(const json::value& crd)
{
    const auto* names = find_at(crd, "spec.names");
    return names ? *names : json::value(json::object{});
}

} // namespace

void cluster_state_core::publish_crd(const stored& crd, wall_time now)
{
    const auto definitions = find("apiextensions.k8s.io", "customresourcedefinitions");
    auto body = to_json(*crd);
    auto& status = object_member(body.get_object(), "status");
    constexpr std::string_view accepted = "the initial names have been accepted";
    const auto names = condition("NamesAccepted", true, "NoConflicts", "no conflicts found", now);
    status["conditions"] = json::array{names, condition("Established", false, "Installing", accepted, now)};
    status["acceptedNames"] = accepted_names(body);
    const auto installing = commit(*definitions, crd, body);

    body = to_json(*installing);
    object_member(body.get_object(), "status")["conditions"] =
        json::array{names, condition("Established", true, "InitialNamesAccepted", accepted, now)};
    commit(*definitions, installing, body);
    add_resource(resource_of_crd(body));
}

void cluster_state_core::refresh_crd(const stored& crd)
{
    const auto store = find(crd->name);
    if (!store || !store->info.custom) return;
    const auto storage = store->info.storage_version;
    store->info = resource_of_crd(to_json(*crd));
    // Objects keep the text of the version they were written in; only the prefix differs between versions.
    if (store->info.storage_version != storage) store->info.storage_version = storage;
    ++discovery_version_;
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
