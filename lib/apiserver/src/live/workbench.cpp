// The means of the controllers of a live cluster, and the controller of nodes, which needs nothing else.
#include "live/workbench.hpp"

#include "objects/conditions.hpp"
#include "state/admission.hpp"
#include "text/json_text.hpp"

namespace kubecoro::apiserver::live {
namespace {

object_address address_of(const cluster_state_core& state, std::string_view resource, std::string_view ns,
                          std::string_view name, std::string_view subresource = {})
{
    object_address at{state.find(resource)};
    at.version = at.store->info.storage_version;
    at.ns = ns;
    at.name = name;
    at.subresource = subresource;
    return at;
}

} // namespace

bool workbench::create(std::string_view resource, std::string_view ns, json::value body) const
{
    if (writes == 0) return false;
    --writes;
    return state.create(address_of(state, resource, ns, {}), std::move(body), {}, now).has_value();
}

void workbench::remove(std::string_view resource, std::string_view ns, std::string_view name) const
{
    if (writes == 0) return again(now);
    --writes;
    (void)state.remove(address_of(state, resource, ns, name), {}, now); // it may be gone already
}

void workbench::update(std::string_view resource, json::value body, std::string_view subresource) const
{
    if (writes == 0) return again(now);
    --writes;
    const auto at =
        address_of(state, resource, text_at(body, "metadata.namespace"), text_at(body, "metadata.name"), subresource);
    // A refusal leaves the object as it is until its next change.
    (void)state.update(at, std::move(body), {}, now);
}

void workbench::set_status(std::string_view resource, json::value body, json::object status) const
{
    const auto* before = object_at(body, "status");
    if (before && *before == status) return;
    body.get_object()["status"] = std::move(status);
    update(resource, std::move(body), "status");
}

void workbench::create_pods(std::int64_t count, const json::value& owner,
                            const std::function<json::value()>& made) const
{
    for (; count > 0 && writes > 0; --count)
        if (!create("pods", text_at(owner, "metadata.namespace"), made())) return; // a template that is refused
    if (count > 0) again(now);
}

void workbench::remove_pods(std::string_view ns, const std::vector<std::string>& names) const
{
    for (const auto& name : names) remove("pods", ns, name);
}

json::value owner_reference(const json::value& owner)
{
    return {{"apiVersion", text_at(owner, "apiVersion")},
            {"kind", text_at(owner, "kind")},
            {"name", text_at(owner, "metadata.name")},
            {"uid", text_at(owner, "metadata.uid")},
            {"controller", true},
            {"blockOwnerDeletion", true}};
}

json::value pod_of(const json::value& owner, const json::value& pod_template)
{
    json::object metadata;
    for (const std::string_view member : {"labels", "annotations"})
        if (const auto* given = object_at(pod_template, "metadata." + std::string(member))) metadata[member] = *given;
    metadata["generateName"] = std::string(text_at(owner, "metadata.name")) + "-";
    metadata["ownerReferences"] = json::array{owner_reference(owner)};
    const auto* spec = find_at(pod_template, "spec");
    return {{"metadata", std::move(metadata)}, {"spec", spec ? *spec : json::value(json::object{})}};
}

std::string template_hash(const json::value& pod_template)
{
    static constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
    std::uint64_t h = 0xcbf29ce484222325;
    for (const char c : to_text(pod_template)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::string out;
    for (int i = 0; i < 10; ++i, h /= letters.size()) out += letters[h % letters.size()];
    return out;
}

std::string uid_of(const json::value& body) { return std::string(text_at(body, "metadata.uid")); }

/// A node has the taint that it was created with until it is ready, and again while it is not.
void run_node(const workbench& w, const json::value& node)
{
    auto next = node;
    if (set_not_ready_taint(next, !has_condition(node, "Ready"))) w.update("nodes", std::move(next));
}

} // namespace kubecoro::apiserver::live
