#include <kubecoro/apiserver/manifests.hpp>

#include "render/json_text.hpp"
#include "render/yaml_text.hpp"
#include "schema/validation.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/api/resource.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

void unfold(json::value document, std::vector<json::value>& out)
{
    const auto* items = array_at(document, "items");
    if (items && text_at(document, "kind").ends_with("List")) {
        for (const auto& item : *items) unfold(item, out);
        return;
    }
    out.push_back(std::move(document));
}

/// CustomResourceDefinitions first, then namespaces, then the rest.
int rank(const json::value& object)
{
    const auto kind = text_at(object, "kind");
    const auto group = group_version::parse(text_at(object, "apiVersion")).group;
    if (kind == "CustomResourceDefinition" && group == "apiextensions.k8s.io") return 0;
    return kind == "Namespace" && group.empty() ? 1 : 2;
}

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
    metadata.erase("uid");
    metadata["resourceVersion"] = version_text(**existing);
    const auto* given = store->info.has_status ? find_at(body, "status") : nullptr;
    const json::value status = given ? *given : json::value(nullptr);
    auto updated = state.update(at, std::move(body), {}, now);
    if (!updated || status.is_null() || store->info.behaves == builtin::custom_resource_definition) return updated;
    at.subresource = "status";
    const json::object metadata_again{{"resourceVersion", version_text(**updated)}};
    return state.update(at, json::object{{"metadata", metadata_again}, {"status", status}}, {}, now);
}

} // namespace

result<std::vector<json::value>> load_manifests(std::string_view text, std::string_view name)
{
    auto documents = parse_yaml_all(text); // JSON is YAML.
    if (!documents) return failure(cond::invalid, std::string(name) + ": " + documents.error());
    std::vector<json::value> objects;
    for (std::size_t i = 0; i < documents->size(); ++i) {
        const auto first = objects.size();
        unfold(std::move((*documents)[i]), objects);
        for (auto at = first; at < objects.size(); ++at)
            if (text_at(objects[at], "kind").empty() || text_at(objects[at], "apiVersion").empty())
                return failure(cond::invalid, std::string(name) + ", document " + std::to_string(i + 1) +
                                                  ": an object without kind or apiVersion");
    }
    return objects;
}

result<std::size_t> apply_manifests(cluster_state_core& state, std::vector<json::value> objects, wall_time now)
{
    std::stable_sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    std::size_t count = 0;
    for (auto& object : objects) {
        const auto store = find_kind(state, object);
        if (!store)
            return failure(cond::invalid, "cannot load " + describe(object) + ": no resource of kind " +
                                              std::string(text_at(object, "kind")) + " in " +
                                              std::string(text_at(object, "apiVersion")));
        const auto written = write_object(state, store, object, now);
        if (!written) return refusal(object, written.error());
        ++count;
    }
    return count;
}

} // namespace kubecoro::apiserver
