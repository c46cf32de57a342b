#include "state/role_rules.hpp"

#include "render/json_text.hpp"

#include <algorithm>
#include <map>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view group = "rbac.authorization.k8s.io";

/// The ClusterRoles that a cluster begins with and that manifests of operators bind, by their storage keys.
const std::map<std::string, std::vector<role_rule>>& first_roles()
{
    static const std::map<std::string, std::vector<role_rule>> all{
        {storage_key("", "cluster-admin"), {{{"*"}, {"*"}, {"*"}, {}, {"*"}}}},
        {storage_key("", "system:auth-delegator"),
         {{{"create"}, {"authentication.k8s.io"}, {"tokenreviews"}, {}, {}},
          {{"create"}, {"authorization.k8s.io"}, {"subjectaccessreviews"}, {}, {}}}}};
    return all;
}

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

/// Whether a reference is to this kind of this group; a reference without a group means it.
bool refers_to(const json::value& reference, std::string_view kind, std::string_view of_group)
{
    const auto stated = text_at(reference, "apiGroup");
    return text_at(reference, "kind") == kind && (stated.empty() || stated == of_group);
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

role_rules::role_rules(const cluster_state_core& state)
    : stored_roles_(state.find(group, "roles")),
      stored_cluster_roles_(state.find(group, "clusterroles")),
      stored_bindings_(state.find(group, "rolebindings")),
      stored_cluster_bindings_(state.find(group, "clusterrolebindings"))
{
}

role_rules::binding role_rules::binding_in(const stored_object& object)
{
    const auto body = to_json(object);
    binding out;
    if (const auto* subjects = array_at(body, "subjects"))
        for (const auto& s : *subjects) {
            std::string name(text_at(s, "name"));
            const auto stated = text_at(s, "namespace");
            const std::string ns(stated.empty() ? std::string_view(object.ns) : stated);
            if (refers_to(s, "ServiceAccount", "") && !ns.empty())
                out.subjects.push_back({false, "system:serviceaccount:" + ns + ":" + name});
            if (refers_to(s, "User", group)) out.subjects.push_back({false, name});
            if (refers_to(s, "Group", group)) out.subjects.push_back({true, name});
        }
    const auto* const reference = find_at(body, "roleRef");
    if (!reference) return out;
    out.to_cluster_role = refers_to(*reference, "ClusterRole", group);
    if (out.to_cluster_role || refers_to(*reference, "Role", group))
        out.role = storage_key(out.to_cluster_role ? "" : object.ns, text_at(*reference, "name"));
    return out;
}

role_rules::role role_rules::role_in(const stored_object& object)
{
    const auto body = to_json(object);
    role out;
    if (const auto* rules = array_at(body, "rules"))
        for (const auto& r : *rules)
            out.push_back({texts_at(r, "verbs"), texts_at(r, "apiGroups"), texts_at(r, "resources"),
                           texts_at(r, "resourceNames"), texts_at(r, "nonResourceURLs")});
    return out;
}

bool role_rules::applies(const binding& b, const asker& who)
{
    return std::any_of(b.subjects.begin(), b.subjects.end(), [&](const subject& s) {
        return s.is_group ? std::binary_search(who.groups.begin(), who.groups.end(), s.name) : s.name == who.name;
    });
}

const role_rules::role& role_rules::rules_of(const binding& b)
{
    static const role none;
    const auto found = (b.to_cluster_role ? stored_cluster_roles_ : stored_roles_)->find(b.role);
    if (found) return value_of(b.to_cluster_role ? cluster_roles_ : roles_, found, role_in);
    const auto first = first_roles().find(b.role);
    return b.to_cluster_role && first != first_roles().end() ? first->second : none;
}

template<class Visit>
bool role_rules::visit_rules(const resource_store& bindings, const std::pair<std::string, std::string>& range,
                             read_by_key<binding>& known, const asker& who, const Visit& visit)
{
    const auto& objects = bindings.objects();
    const auto end = objects.lower_bound(range.second);
    for (auto at = objects.lower_bound(range.first); at != end; ++at) {
        const auto& b = value_of(known, at->second, binding_in);
        if (!applies(b, who)) continue;
        for (const auto& rule : rules_of(b))
            if (visit(rule)) return true;
    }
    return false;
}

template<class Visit>
bool role_rules::visit_rules(const user_info& user, std::string_view ns, const Visit& visit)
{
    forget_deleted(roles_, *stored_roles_);
    forget_deleted(cluster_roles_, *stored_cluster_roles_);
    forget_deleted(bindings_, *stored_bindings_);
    forget_deleted(cluster_bindings_, *stored_cluster_bindings_);
    asker who{user.name, {user.groups.begin(), user.groups.end()}};
    std::sort(who.groups.begin(), who.groups.end());
    if (visit_rules(*stored_cluster_bindings_, key_range({}), cluster_bindings_, who, visit)) return true;
    return !ns.empty() && visit_rules(*stored_bindings_, key_range(ns), bindings_, who, visit);
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

} // namespace kubecoro::apiserver
