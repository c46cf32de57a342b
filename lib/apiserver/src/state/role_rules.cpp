#include "state/role_rules.hpp"

#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

/// Whether a reference, to a role or a subject, is to this kind of this group; a reference without a group means it.
bool refers_to(const json::value& reference, std::string_view kind, std::string_view of_group)
{
    const auto stated = text_at(reference, "apiGroup");
    return text_at(reference, "kind") == kind && (stated.empty() || stated == of_group);
}

} // namespace

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

namespace {

std::vector<std::string> texts_at(const json::value& v, std::string_view member)
{
    std::vector<std::string> out;
    if (const auto* texts = array_at(v, member))
        for (const auto& t : *texts) out.push_back(scalar_text(t));
    return out;
}

bool has(const std::vector<std::string>& texts, std::string_view wanted)
{
    return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

bool has_or_all(const std::vector<std::string>& texts, std::string_view wanted)
{
    return has(texts, "*") || has(texts, wanted);
}

bool has_resource(const std::vector<std::string>& resources, const access_request& asked)
{
    if (asked.subresource.empty()) return has_or_all(resources, asked.resource);
    return has_or_all(resources, asked.resource + "/" + asked.subresource) || has(resources, "*/" + asked.subresource);
}

bool has_path(const std::vector<std::string>& paths, std::string_view path)
{
    return std::any_of(paths.begin(), paths.end(), [&](std::string_view p) {
        return p == path || (p.ends_with('*') && path.starts_with(p.substr(0, p.size() - 1)));
    });
}

bool has_one_of(const stored_object& object, const std::vector<std::string_view>& labels)
{
    return std::any_of(object.labels.begin(), object.labels.end(), [&](const auto& label) {
        return label.second == "true" && std::find(labels.begin(), labels.end(), label.first) != labels.end();
    });
}

/// Returns the parsed form of the stored object from `known`, or parses it.
template<class Known, class Read>
auto& value_of(Known& known, const stored& object, const Read& read)
{
    auto& entry = known[object->key];
    if (entry.from != object) entry = {object, read(*object)};
    return entry.value;
}

/// Forgets deleted objects, once they are as many as the others.
template<class Known>
void forget_deleted(Known& known, const resource_store& store)
{
    if (known.size() <= 2 * store.objects().size() + 16) return;
    std::erase_if(known, [&](const auto& entry) { return !store.find(entry.first); });
}

} // namespace

bool role_rule::allows(const access_request& asked) const
{
    if (!has_or_all(verbs, asked.verb)) return false;
    if (asked.resource.empty()) return has_path(paths, asked.path);
    return has_or_all(groups, asked.group) && has_resource(resources, asked) &&
           (names.empty() || has(names, asked.name));
}

std::vector<role_rule> rules_in(const json::value& role)
{
    std::vector<role_rule> out;
    if (const auto* rules = array_at(role, "rules"))
        for (const auto& r : *rules)
            out.push_back({texts_at(r, "verbs"), texts_at(r, "apiGroups"), texts_at(r, "resources"),
                           texts_at(r, "resourceNames"), texts_at(r, "nonResourceURLs")});
    return out;
}

role_rules::role_rules(const cluster_state_core& state)
    : stored_roles_(state.find(role_group, "roles")),
      stored_cluster_roles_(state.find(role_group, "clusterroles")),
      bindings_(state.find(role_group, "rolebindings")),
      cluster_bindings_(state.find(role_group, "clusterrolebindings"))
{
}

template<class Visit>
bool role_rules::visit_role(bool is_cluster_role, std::string_view key, const Visit& visit, bool& existed)
{
    const auto visit_stored = [&](const stored& object) {
        const auto parse = [](const stored_object& o) { return rules_in(to_json(o)); };
        const auto& rules = value_of(is_cluster_role ? cluster_roles_ : roles_, object, parse);
        return std::any_of(rules.begin(), rules.end(), visit);
    };
    const auto found = (is_cluster_role ? stored_cluster_roles_ : stored_roles_)->find(key);
    const auto* standard = found || !is_cluster_role || key.empty() ? nullptr : find_default_role(key.substr(1));
    existed = found || standard;
    if (found) return visit_stored(found);
    if (!standard) return false;
    if (std::any_of(standard->rules.begin(), standard->rules.end(), visit)) return true;
    if (standard->aggregates.empty()) return false;
    for (const auto& [at, object] : stored_cluster_roles_->objects())
        if (has_one_of(*object, standard->aggregates) && visit_stored(object)) return true;
    return false;
}

template<class Visit>
bool role_rules::visit_rules(const user_info& user, std::string_view ns, const Visit& visit)
{
    forget_deleted(roles_, *stored_roles_);
    forget_deleted(cluster_roles_, *stored_cluster_roles_);
    const auto visit_bound = [&](const role_binding& b) {
        [[maybe_unused]] bool existed = false;
        return visit_role(b.to_cluster_role, b.role, visit, existed);
    };
    if (cluster_bindings_.visit(user, {}, visit_bound)) return true;
    return !ns.empty() && bindings_.visit(user, ns, visit_bound);
}

bool role_rules::allow(const user_info& user, const access_request& asked)
{
    return visit_rules(user, asked.resource.empty() ? std::string_view{} : std::string_view(asked.ns),
                       [&](const role_rule& rule) { return rule.allows(asked); });
}

std::vector<const role_rule*> role_rules::of(const user_info& user, std::string_view ns)
{
    std::vector<const role_rule*> out;
    visit_rules(user, ns, [&](const role_rule& rule) {
        out.push_back(&rule);
        return false;
    });
    return out;
}

std::optional<std::vector<const role_rule*>> role_rules::of_role(std::string_view ns, std::string_view name)
{
    std::vector<const role_rule*> out;
    bool existed = false;
    const auto take = [&](const role_rule& rule) {
        out.push_back(&rule);
        return false;
    };
    visit_role(ns.empty(), storage_key(ns, name), take, existed);
    if (!existed) return {};
    return out;
}

} // namespace kubecoro::apiserver
