#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include "schema/validation.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/client/manifests.hpp>

namespace kubecoro::apiserver {
namespace {

std::string describe(const json::value& object)
{
    std::string out(text_at(object, "kind"));
    out += " \"";
    if (const auto ns = text_at(object, "metadata.namespace"); !ns.empty()) out += std::string(ns) + "/";
    return out + std::string(text_at(object, "metadata.name")) + "\"";
}

std::shared_ptr<resource_store> find_kind(const cluster_state_core& state, const json::value& object)
{
    const auto api_version = text_at(object, "apiVersion");
    for (const auto& store : state.resources())
        for (const auto& v : store->info.versions)
            if (store->info.kind == text_at(object, "kind") && store->info.api_version(v.name) == api_version)
                return store;
    return nullptr;
}

failure refusal(const json::value& object, const status_error& e)
{
    return failure(static_cast<const server_status&>(e)).because("cannot load " + describe(object));
}

json::value version_text(const stored_object& object)
{
    return json::value(std::string_view(std::to_string(object.version)));
}

answer<stored> write_object(cluster_state_core& state, const std::shared_ptr<resource_store>& store, json::value body,
                            wall_time now)
{
    object_address at{store};
    at.version = std::string(group_version::parse(text_at(body, "apiVersion")).version);
    at.name = text_at(body, "metadata.name");
    if (auto e = check_types(store->info, at.version, body)) return *e;
    auto& object = body.get_object();
    for (const std::string_view key : {"kind", "apiVersion"}) object.erase(key);
    auto& metadata = object_member(object, "metadata");
    metadata.erase("resourceVersion");
    if (store->info.namespaced) {
        at.ns = text_at(body, "metadata.namespace");
        if (at.ns.empty()) at.ns = "default";
        const object_address home{state.find("namespaces"), "v1", "", at.ns};
        if (!state.get(home))
            (void)state.create(home, json::value{{"metadata", {{"name", std::string_view(at.ns)}}}}, {}, now);
    } else {
        metadata.erase("namespace");
    }
    const auto existing = state.get(at);
    if (!existing) return state.create(at, std::move(body), {.dry_run = false, .keep_status = true}, now);
    for (const std::string_view key : {"uid", "deletionTimestamp"}) metadata.erase(key);
    metadata["resourceVersion"] = version_text(**existing);
    // A service keeps its address: the Service kubernetes of another cluster has another one.
    if (store->info.behaves == builtin::service)
        for (const std::string_view key : {"clusterIP", "clusterIPs"}) object_member(object, "spec").erase(key);
    const auto* given = store->info.has_status ? find_at(body, "status") : nullptr;
    const json::value status = given ? *given : json::value(nullptr);
    auto updated = state.update(at, std::move(body), {}, now);
    if (!updated || status.is_null() || store->info.behaves == builtin::custom_resource_definition) return updated;
    at.subresource = "status";
    const json::object metadata_again{{"resourceVersion", version_text(**updated)}};
    return state.update(at, json::object{{"metadata", metadata_again}, {"status", status}}, {}, now);
}

} // namespace

result<std::size_t> apply_manifests(cluster_state_core& state, std::vector<json::value> objects, wall_time now,
                                    std::vector<std::string>* warnings)
{
    order_manifests(objects);
    std::size_t count = 0;
    for (auto& object : objects) {
        const auto store = find_kind(state, object);
        if (!store)
            return failure(cond::invalid, "cannot load " + describe(object) + ": no resource of kind " +
                                              std::string(text_at(object, "kind")) + " in " +
                                              std::string(text_at(object, "apiVersion")));
        const auto written = write_object(state, store, object, now);
        if (!written) return refusal(object, written.error());
        if (auto warning = unevaluated_parts(store->info, object); warnings && !warning.empty())
            warnings->push_back(describe(object) + ": " + warning);
        ++count;
    }
    return count;
}

} // namespace kubecoro::apiserver
