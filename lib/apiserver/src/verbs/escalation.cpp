#include "verbs/authorization.hpp"

#include "objects/status_errors.hpp"
#include "state/role_rules.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view group = "rbac.authorization.k8s.io";

using rule_pointers = std::vector<const role_rule*>;

rule_pointers pointers_to(const std::vector<role_rule>& rules)
{
    rule_pointers out;
    out.reserve(rules.size());
    for (const auto& rule : rules) out.push_back(&rule);
    return out;
}

/// The rights that the server's rules give, and those of everybody.
std::vector<role_rule> rules_of_server(const access_summary& allowed)
{
    std::vector<role_rule> out;
    for (const auto& rule : allowed.allowed) out.push_back(as_role_rule(rule));
    for (const auto& [verb, path] : allowed.paths) {
        out.push_back({{verb}, {}, {}, {}, {path}});
        if (path != "/") out.back().paths.push_back(path + "/*");
    }
    return out;
}

/// The rights that the user of the exchange lacks in its namespace.
missing_rights missing_for(const exchange& x, const rule_pointers& wanted)
{
    const auto& access = x.access.access();
    const auto allowed = access.summarize(x.user, x.route.ns);
    const auto of_server = rules_of_server(allowed);
    auto held = pointers_to(of_server);
    for (const auto* rule : x.access.roles().of(x.user, x.route.ns)) held.push_back(rule);
    forbids_request forbids;
    if (allowed.incomplete)
        forbids = [&](const access_request& asked) { return !access.verdict(x.user, asked).value_or(true); };
    return find_missing(held, wanted, x.route.ns, forbids);
}

std::optional<status_error> refuse(const exchange& x, std::string_view name, const missing_rights& missing)
{
    std::string why = "user " + quote(x.user.name) + " (groups=" + quoted_list(x.user.groups) +
                      ") is attempting to grant RBAC permissions not currently held:";
    for (const auto& rule : missing.rules) why += "\n" + rule;
    if (missing.too_many) why += "\ntoo many rules to compare";
    return errors::forbidden(x.store->info, name, why);
}

/// Whether a change is one that a garbage collector makes, which has no rights of its own.
bool is_for_collector(const json::value* before, const json::value& after)
{
    if (!before) return false;
    const auto rest = [](json::value v) {
        auto& metadata = object_member(v.get_object(), "metadata");
        for (const std::string_view member : {"ownerReferences", "finalizers"}) metadata.erase(member);
        return v;
    };
    return rest(*before) == rest(after);
}

bool is_aggregated(const json::value* role)
{
    const auto* selectors = role ? array_at(*role, "aggregationRule.clusterRoleSelectors") : nullptr;
    return selectors && !selectors->empty();
}

std::optional<status_error> check_role(exchange& x, const json::value* before, const json::value& after)
{
    const auto& at = x.route;
    if (x.access.allows(x.user,
                        {.verb = "escalate", .group = at.group, .resource = at.plural, .ns = at.ns, .name = at.name}))
        return {};
    if (is_for_collector(before, after)) return {};
    const auto name = text_at(after, "metadata.name");
    const auto rules = rules_in(after);
    if (const auto missing = missing_for(x, pointers_to(rules)); missing.any()) return refuse(x, name, missing);
    if (is_aggregated(before) || is_aggregated(&after)) {
        static const std::vector<role_rule> everything{{{"*"}, {"*"}, {"*"}, {}, {}}, {{"*"}, {}, {}, {}, {"*"}}};
        if (missing_for(x, pointers_to(everything)).any())
            return errors::forbidden(x.store->info, name,
                                     "must have cluster-admin privileges to use the aggregationRule");
    }
    return {};
}

std::optional<status_error> check_binding(exchange& x, const json::value* before, const json::value& after)
{
    if (is_for_collector(before, after)) return {};
    const bool of_cluster = text_at(after, "roleRef.kind") == "ClusterRole";
    const std::string plural = of_cluster ? "clusterroles" : "roles";
    const std::string role(text_at(after, "roleRef.name"));
    if (x.access.allows(
            x.user, {.verb = "bind", .group = std::string(group), .resource = plural, .ns = x.route.ns, .name = role}))
        return {};
    const auto rules = x.access.roles().of_role(of_cluster ? std::string_view{} : std::string_view(x.route.ns), role);
    if (!rules) return errors::not_found(x.state.find(group, plural)->info, role);
    if (const auto missing = missing_for(x, *rules); missing.any())
        return refuse(x, text_at(after, "metadata.name"), missing);
    return {};
}

} // namespace

write_admission escalation_check(exchange& x)
{
    const auto behaves = x.store->info.behaves;
    if (behaves != builtin::role && behaves != builtin::role_binding) return {};
    const auto& groups = x.user.groups;
    if (std::find(groups.begin(), groups.end(), "system:masters") != groups.end()) return {};
    return [&x, behaves](const json::value* before, const json::value& after, bool is_valid) {
        if (!is_valid) return std::optional<status_error>();
        return behaves == builtin::role ? check_role(x, before, after) : check_binding(x, before, after);
    };
}

} // namespace kubecoro::apiserver
