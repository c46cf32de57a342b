#include "schema/webhook_validation.hpp"

#include "schema/match_conditions.hpp"
#include "schema/name_validation.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/label_rules.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::invalid_value;
using errors::not_supported;
using errors::required;

const json::array& list_at(const json::value& v, std::string_view path)
{
    static const json::array none;
    const auto* found = array_at(v, path);
    return found ? *found : none;
}

std::string indexed(const std::string& field, std::size_t i) { return field + "[" + std::to_string(i) + "]"; }

void check_full_name(std::string_view name, const std::string& field, std::vector<status_cause>& causes)
{
    constexpr std::size_t longest = 253;
    if (name.empty())
        causes.push_back(required(field));
    else if (name.size() > longest)
        causes.push_back(invalid_value(field, quote(name), "must be no more than 253 characters"));
    else if (!is_subdomain(name))
        causes.push_back(invalid_value(field, quote(name), subdomain_rule));
    else if (std::count(name.begin(), name.end(), '.') < 2)
        causes.push_back(
            invalid_value(field, quote(name), "should be a domain with at least three segments separated by dots"));
}

/// Checks a list in which "*" stands alone. @param others  Its other items, in words.
void check_wildcard(const json::array& items, const std::string& field, std::string_view others,
                    std::vector<status_cause>& causes)
{
    if (items.empty()) causes.push_back(required(field));
    if (items.size() > 1 && std::find(items.begin(), items.end(), json::value("*")) != items.end())
        causes.push_back(
            invalid_value(field, to_text(items), "if '*' is present, must not specify other " + std::string(others)));
}

void check_resources(const json::array& resources, const std::string& field, std::vector<status_cause>& causes)
{
    if (resources.empty()) causes.push_back(required(field));
    std::set<std::string, std::less<>> all_of, all_with;
    bool plain = false;
    const auto has = [&](std::string_view text) {
        return std::find(resources.begin(), resources.end(), json::value(text)) != resources.end();
    };
    for (std::size_t i = 0; i < resources.size() && !errors::enough(causes); ++i) {
        const auto text = scalar_text(resources[i]);
        if (text.empty()) {
            causes.push_back(required(indexed(field, i)));
            continue;
        }
        const auto slash = text.find('/');
        if (slash == text.npos) {
            plain = plain || text != "*";
            continue;
        }
        const auto resource = text.substr(0, slash), sub = text.substr(slash + 1);
        const auto refuse = [&](const std::string& wide) {
            causes.push_back(invalid_value(indexed(field, i), quote(text),
                                           "if '" + wide + "' is present, must not specify " + text));
        };
        if (all_of.contains(resource)) refuse(resource + "/*");
        if (all_with.contains(sub)) refuse("*/" + sub);
        if (sub == "*") all_of.insert(resource);
        if (resource == "*") all_with.insert(sub);
    }
    if (resources.size() > 1 && has("*/*"))
        causes.push_back(
            invalid_value(field, to_text(resources), "if '*/*' is present, must not specify other resources"));
    if (plain && has("*"))
        causes.push_back(invalid_value(field, to_text(resources),
                                       "if '*' is present, must not specify other resources without subresources"));
}

void check_rule(const json::value& rule, const std::string& field, std::vector<status_cause>& causes)
{
    const auto& operations = list_at(rule, "operations");
    check_wildcard(operations, field + ".operations", "operations", causes);
    constexpr std::string_view known = R"("*", "CONNECT", "CREATE", "DELETE", "UPDATE")";
    for (std::size_t i = 0; i < operations.size() && !errors::enough(causes); ++i)
        if (const auto shown = quote(scalar_text(operations[i])); known.find(shown) == known.npos)
            causes.push_back(not_supported(indexed(field + ".operations", i), shown, known));
    check_wildcard(list_at(rule, "apiGroups"), field + ".apiGroups", "API groups", causes);
    const auto& versions = list_at(rule, "apiVersions");
    check_wildcard(versions, field + ".apiVersions", "API versions", causes);
    for (std::size_t i = 0; i < versions.size() && !errors::enough(causes); ++i)
        if (versions[i] == "") causes.push_back(required(indexed(field + ".apiVersions", i)));
    check_resources(list_at(rule, "resources"), field + ".resources", causes);
    constexpr std::string_view scopes = R"("*", "Cluster", "Namespaced")";
    if (const auto* scope = find_at(rule, "scope"); scope && scopes.find(quote(scalar_text(*scope))) == scopes.npos)
        causes.push_back(not_supported(field + ".scope", quote(scalar_text(*scope)), scopes));
}

void check_text(const json::value& webhook, std::string_view member, std::string_view known, const std::string& field,
                std::vector<status_cause>& causes)
{
    const auto* v = find_at(webhook, member);
    if (v && known.find(quote(scalar_text(*v))) == known.npos)
        causes.push_back(not_supported(field + "." + std::string(member), quote(scalar_text(*v)), known));
}

void check_review_versions(const json::array& versions, const std::string& field, std::vector<status_cause>& causes)
{
    if (versions.empty()) {
        causes.push_back(required(field, "must specify one of v1, v1beta1"));
        return;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < versions.size() && !errors::enough(causes); ++i) {
        const auto name = scalar_text(versions[i]);
        if (!seen.insert(name).second)
            causes.push_back(invalid_value(indexed(field, i), quote(name), "duplicate version"));
        else if (const auto problem = dns_1035_problem(name); !problem.empty())
            causes.push_back(invalid_value(indexed(field, i), quote(name), problem));
    }
    if (!seen.contains("v1") && !seen.contains("v1beta1"))
        causes.push_back(invalid_value(field, to_text(versions), "must include at least one of v1, v1beta1"));
}

void check_condition(const json::value& condition, const std::string& field, std::vector<status_cause>& causes)
{
    constexpr std::string_view blanks = " \t\n\v\f\r";
    auto expression = text_at(condition, "expression");
    expression.remove_prefix(std::min(expression.find_first_not_of(blanks), expression.size()));
    expression = expression.substr(0, expression.find_last_not_of(blanks) + 1);
    const auto name = text_at(condition, "name");
    if (expression.empty())
        causes.push_back(required(field + ".expression"));
    else if (const auto why = condition_problem(std::string(expression)); !why.empty())
        causes.push_back(invalid_value(field + ".expression", quote(expression), why));
    if (name.empty()) causes.push_back(required(field + ".name"));
    if (!name.empty())
        for (const auto& why : detail::label_key_problems(name))
            causes.push_back(invalid_value(field + ".name", quote(name), why));
}

void check_conditions(const json::array& conditions, const std::string& field, std::vector<status_cause>& causes)
{
    constexpr std::size_t most = 64;
    if (conditions.size() > most) causes.push_back(errors::too_many(field, conditions.size(), most));
    std::set<std::string, std::less<>> names;
    for (std::size_t i = 0; i < conditions.size() && !errors::enough(causes); ++i) {
        check_condition(conditions[i], indexed(field, i), causes);
        const auto name = text_at(conditions[i], "name");
        if (!name.empty() && !names.emplace(name).second)
            causes.push_back(errors::duplicate(indexed(field, i) + ".name", quote(name)));
    }
}

void check_webhook(const json::value& webhook, const std::string& field, std::vector<status_cause>& causes)
{
    check_full_name(text_at(webhook, "name"), field + ".name", causes);
    const auto& rules = list_at(webhook, "rules");
    for (std::size_t i = 0; i < rules.size() && !errors::enough(causes); ++i)
        check_rule(rules[i], indexed(field + ".rules", i), causes);
    check_text(webhook, "failurePolicy", R"("Fail", "Ignore")", field, causes);
    check_text(webhook, "matchPolicy", R"("Equivalent", "Exact")", field, causes);
    if (!find_at(webhook, "sideEffects"))
        causes.push_back(required(field + ".sideEffects", "must specify one of None, NoneOnDryRun"));
    check_text(webhook, "sideEffects", R"("None", "NoneOnDryRun")", field, causes);
    constexpr std::int64_t longest = 30;
    if (const auto seconds = int_at(webhook, "timeoutSeconds", 1); seconds < 1 || seconds > longest)
        causes.push_back(invalid_value(field + ".timeoutSeconds", std::to_string(seconds),
                                       "the timeout value must be between 1 and 30 seconds"));
    for (const char* member : {"namespaceSelector", "objectSelector"})
        validate_selector(find_at(webhook, member), field + "." + member, causes);
    check_text(webhook, "reinvocationPolicy", R"("IfNeeded", "Never")", field, causes);
    static const json::value nowhere = json::object();
    const auto* client = find_at(webhook, "clientConfig");
    validate_webhook_client(client ? *client : nowhere, field + ".clientConfig", causes);
    check_conditions(list_at(webhook, "matchConditions"), field + ".matchConditions", causes);
    check_review_versions(list_at(webhook, "admissionReviewVersions"), field + ".admissionReviewVersions", causes);
}

} // namespace

void validate_webhooks(const json::value& configuration, std::vector<status_cause>& causes)
{
    const auto& webhooks = list_at(configuration, "webhooks");
    std::set<std::string, std::less<>> names;
    for (std::size_t i = 0; i < webhooks.size() && !errors::enough(causes); ++i) {
        const auto field = indexed("webhooks", i);
        check_webhook(webhooks[i], field, causes);
        const auto name = text_at(webhooks[i], "name");
        if (!name.empty() && !names.emplace(name).second)
            causes.push_back(errors::duplicate(field + ".name", quote(name)));
    }
}

} // namespace kubecoro::apiserver
