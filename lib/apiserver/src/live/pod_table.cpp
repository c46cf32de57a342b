#include "live/pod_table.hpp"

#include "objects/conditions.hpp"
#include "text/json_text.hpp"

namespace kubecoro::apiserver::live {
namespace {

phase phase_of(std::string_view text)
{
    if (text == "Running") return phase::running;
    if (text == "Succeeded") return phase::succeeded;
    return text == "Failed" ? phase::failed : phase::pending;
}

} // namespace

const json::value* controller_of(const json::value& body)
{
    if (const auto* owners = array_at(body, "metadata.ownerReferences"))
        for (const auto& owner : *owners)
            if (const auto* flag = find_at(owner, "controller"); flag && flag->is_bool() && flag->get_bool())
                return &owner;
    return nullptr;
}

pod_digest digest_of(const json::value& body)
{
    pod_digest d;
    d.ns = text_at(body, "metadata.namespace");
    d.name = text_at(body, "metadata.name");
    if (const auto* owner = controller_of(body)) d.owner = text_at(*owner, "uid");
    for (const std::string_view label : {"pod-template-hash", "controller-revision-hash"})
        if (const auto text = text_at(body, "metadata.labels." + std::string(label)); !text.empty()) d.revision = text;
    d.node = text_at(body, "spec.nodeName");
    d.created = text_at(body, "metadata.creationTimestamp");
    d.in = phase_of(text_at(body, "status.phase"));
    d.ready = has_condition(body, "Ready");
    d.deleting = find_at(body, "metadata.deletionTimestamp") != nullptr;
    return d;
}

std::string pod_table::put(const std::string& key, pod_digest pod)
{
    auto before = erase(key);
    if (!pod.owner.empty()) by_owner_[pod.owner].insert(key);
    if (pod.node.empty() && !pod.deleting) unbound_.insert(key);
    pods_.insert_or_assign(key, std::move(pod));
    return before;
}

std::string pod_table::erase(const std::string& key)
{
    const auto at = pods_.find(key);
    if (at == pods_.end()) return {};
    auto owner = std::move(at->second.owner);
    if (const auto owned = by_owner_.find(owner); owned != by_owner_.end()) {
        owned->second.erase(key);
        if (owned->second.empty()) by_owner_.erase(owned);
    }
    unbound_.erase(key);
    pods_.erase(at);
    return owner;
}

void pod_table::clear()
{
    pods_.clear();
    by_owner_.clear();
    unbound_.clear();
}

const pod_digest* pod_table::find(const std::string& key) const
{
    const auto at = pods_.find(key);
    return at == pods_.end() ? nullptr : &at->second;
}

std::vector<const pod_digest*> pod_table::of(std::string_view owner_uid) const
{
    std::vector<const pod_digest*> out;
    if (const auto owned = by_owner_.find(owner_uid); owned != by_owner_.end())
        for (const auto& key : owned->second) out.push_back(&pods_.at(key));
    return out;
}

} // namespace kubecoro::apiserver::live
