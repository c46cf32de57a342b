#include "state/role_bindings.hpp"

#include "text/json_text.hpp"

namespace kubecoro::apiserver {

bool refers_to(const json::value& reference, std::string_view kind, std::string_view of_group)
{
    const auto stated = text_at(reference, "apiGroup");
    return text_at(reference, "kind") == kind && (stated.empty() || stated == of_group);
}

role_binding role_binding_in(const stored_object& object)
{
    const auto body = to_json(object);
    role_binding out;
    if (const auto* subjects = array_at(body, "subjects"))
        for (const auto& s : *subjects) {
            std::string name(text_at(s, "name"));
            const auto stated = text_at(s, "namespace");
            const std::string ns(stated.empty() ? std::string_view(object.ns) : stated);
            if (refers_to(s, "ServiceAccount", "") && !ns.empty())
                out.subjects.push_back({false, "system:serviceaccount:" + ns + ":" + name});
            if (refers_to(s, "User", role_group)) out.subjects.push_back({false, name});
            if (refers_to(s, "Group", role_group)) out.subjects.push_back({true, name});
        }
    const auto* const reference = find_at(body, "roleRef");
    if (!reference) return out;
    out.to_cluster_role = refers_to(*reference, "ClusterRole", role_group);
    if (out.to_cluster_role || refers_to(*reference, "Role", role_group))
        out.role = storage_key(out.to_cluster_role ? "" : object.ns, text_at(*reference, "name"));
    return out;
}

void role_bindings::clear()
{
    by_subject_.clear();
    read_.clear();
}

void role_bindings::put(const stored& object)
{
    const auto at = read_.insert_or_assign(object->key, role_binding_in(*object)).first;
    for (const auto& s : at->second.subjects) by_subject_[s].emplace(at->first, &at->second);
}

void role_bindings::erase(const std::string& key)
{
    const auto at = read_.find(key);
    if (at == read_.end()) return;
    for (const auto& s : at->second.subjects) {
        const auto named = by_subject_.find(s);
        if (named == by_subject_.end()) continue; // stated twice
        named->second.erase(key);
        if (named->second.empty()) by_subject_.erase(named);
    }
    read_.erase(at);
}

} // namespace kubecoro::apiserver
