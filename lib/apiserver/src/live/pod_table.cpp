#include "live/pod_table.hpp"

namespace kubecoro::apiserver::live {

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
