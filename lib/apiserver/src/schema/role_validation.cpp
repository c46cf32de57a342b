#include "schema/kind_validation.hpp"

#include "objects/label_match.hpp"
#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "text/json_text.hpp"

#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::enough;

constexpr std::string_view group = "rbac.authorization.k8s.io";
constexpr std::string_view group_shown = R"("rbac.authorization.k8s.io")";

bool is_given(const json::value& v, std::string_view list)
{
    const auto* items = array_at(v, list);
    return items && !items->empty();
}

void check_rule(const json::value& rule, bool namespaced, const std::string& at, std::vector<status_cause>& causes)
{
    if (!is_given(rule, "verbs"))
        causes.push_back(errors::required(at + ".verbs", "verbs must contain at least one value"));
    if (is_given(rule, "nonResourceURLs")) {
        const auto refuse = [&](std::string_view why) {
            causes.push_back(
                errors::invalid_value(at + ".nonResourceURLs", to_text(*find_at(rule, "nonResourceURLs")), why));
        };
        if (namespaced) refuse("namespaced rules cannot apply to non-resource URLs");
        if (is_given(rule, "apiGroups") || is_given(rule, "resources") || is_given(rule, "resourceNames"))
            refuse("rules cannot apply to both regular resources and non-resource URLs");
        return;
    }
    if (!is_given(rule, "apiGroups"))
        causes.push_back(errors::required(at + ".apiGroups", "resource rules must supply at least one api group"));
    if (!is_given(rule, "resources"))
        causes.push_back(errors::required(at + ".resources", "resource rules must supply at least one resource"));
}

void check_role_reference(const json::value& body, bool namespaced, std::vector<status_cause>& causes)
{
    const auto stated = text_at(body, "roleRef.apiGroup");
    if (stated != group) causes.push_back(errors::not_supported("roleRef.apiGroup", quote(stated), group_shown));
    const auto kind = text_at(body, "roleRef.kind");
    if (kind != "ClusterRole" && !(namespaced && kind == "Role"))
        causes.push_back(errors::not_supported("roleRef.kind", quote(kind),
                                               namespaced ? R"("Role", "ClusterRole")" : R"("ClusterRole")"));
    const auto name = text_at(body, "roleRef.name");
    if (name.empty()) causes.push_back(errors::required("roleRef.name"));
    for (const auto& why : path_segment_problems(name))
        causes.push_back(errors::invalid_value("roleRef.name", quote(name), why));
}

void check_account(const json::value& subject, bool namespaced, const std::string& at,
                   std::vector<status_cause>& causes)
{
    const auto name = text_at(subject, "name");
    if (!name.empty() && !is_subdomain(name))
        causes.push_back(errors::invalid_value(at + ".name", quote(name), subdomain_rule));
    if (const auto stated = text_at(subject, "apiGroup"); !stated.empty())
        causes.push_back(errors::not_supported(at + ".apiGroup", quote(stated), R"("")"));
    if (!namespaced && text_at(subject, "namespace").empty()) causes.push_back(errors::required(at + ".namespace"));
}

void check_subject(const json::value& subject, bool namespaced, const std::string& at,
                   std::vector<status_cause>& causes)
{
    const auto name = text_at(subject, "name");
    const auto kind = text_at(subject, "kind");
    if (name.empty()) causes.push_back(errors::required(at + ".name"));
    if (kind == "ServiceAccount") return check_account(subject, namespaced, at, causes);
    if (kind != "User" && kind != "Group") {
        causes.push_back(errors::not_supported(at + ".kind", quote(kind), R"("ServiceAccount", "User", "Group")"));
        return;
    }
    if (name.empty())
        causes.push_back(errors::invalid_value(
            at + ".name", quote(name), kind == "User" ? "user name cannot be empty" : "group name cannot be empty"));
    if (const auto stated = text_at(subject, "apiGroup"); stated != group)
        causes.push_back(errors::not_supported(at + ".apiGroup", quote(stated), group_shown));
}

} // namespace

void validate_role(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    const auto* rules = array_at(body, "rules");
    for (std::size_t i = 0; rules && i < rules->size() && !enough(causes); ++i)
        check_rule((*rules)[i], info.namespaced, "rules[" + std::to_string(i) + "]", causes);
    if (!object_at(body, "aggregationRule")) return;
    const std::string path = "aggregationRule.clusterRoleSelectors";
    if (!is_given(body, path))
        causes.push_back(
            errors::required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    const auto* selectors = array_at(body, path);
    for (std::size_t i = 0; selectors && i < selectors->size() && !enough(causes); ++i) {
        const auto at = path + "[" + std::to_string(i) + "]";
        validate_selector(&(*selectors)[i], at, causes);
        // Go prints the selector that it could not make.
        if (!label_match::of((*selectors)[i]))
            causes.push_back(errors::invalid_value(at, "null", "invalid label selector."));
    }
}

void validate_role_binding(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    check_role_reference(body, info.namespaced, causes);
    const auto* subjects = array_at(body, "subjects");
    for (std::size_t i = 0; subjects && i < subjects->size() && !enough(causes); ++i)
        check_subject((*subjects)[i], info.namespaced, "subjects[" + std::to_string(i) + "]", causes);
}

void validate_role_binding_update(const json::value& before, const json::value& after,
                                  std::vector<status_cause>& causes)
{
    for (const std::string_view member : {"roleRef.apiGroup", "roleRef.kind", "roleRef.name"}) {
        if (text_at(before, member) == text_at(after, member)) continue;
        const auto* reference = find_at(after, "roleRef");
        causes.push_back(
            errors::invalid_value("roleRef", reference ? to_text(*reference) : "{}", "cannot change roleRef"));
        return;
    }
}

} // namespace kubecoro::apiserver
