#include "schema/crd_validation.hpp"

#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "schema/webhook_validation.hpp"
#include "text/json_text.hpp"

#include <set>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::forbidden_field;
using errors::invalid_value;
using errors::required;

constexpr std::string_view client_field = "spec.conversion.webhookClientConfig";
constexpr std::string_view versions_field = "spec.conversion.conversionReviewVersions";

void check_client(const json::value* client, std::vector<status_cause>& causes)
{
    if (!client || !client->is_object()) {
        causes.push_back(required(std::string(client_field), "required when strategy is set to Webhook"));
        return;
    }
    validate_webhook_client(*client, std::string(client_field), causes);
}

void check_review_versions(const json::array& versions, std::vector<status_cause>& causes)
{
    if (versions.empty()) {
        causes.push_back(required(std::string(versions_field)));
        return;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < versions.size() && !errors::enough(causes); ++i) {
        const auto name = scalar_text(versions[i]);
        const auto field = std::string(versions_field) + "[" + std::to_string(i) + "]";
        if (!seen.insert(name).second)
            causes.push_back(invalid_value(field, quote(name), "duplicate version"));
        else if (const auto problem = dns_1035_problem(name); !problem.empty())
            causes.push_back(invalid_value(field, quote(name), problem));
    }
    if (!seen.contains("v1") && !seen.contains("v1beta1"))
        causes.push_back(
            invalid_value(std::string(versions_field), to_text(versions), "must include at least one of v1, v1beta1"));
}

} // namespace

void validate_crd_conversion(const json::value& crd, std::vector<status_cause>& causes)
{
    const auto* conversion = find_at(crd, "spec.conversion");
    if (!conversion || !conversion->is_object()) return;
    const auto strategy = text_at(*conversion, "strategy");
    if (strategy.empty())
        causes.push_back(required("spec.conversion.strategy"));
    else if (strategy != "None" && strategy != "Webhook")
        causes.push_back(errors::not_supported("spec.conversion.strategy", quote(strategy), R"("None", "Webhook")"));
    static const json::array none;
    const auto* client = find_at(*conversion, "webhook.clientConfig");
    const auto* found = array_at(*conversion, "webhook.conversionReviewVersions");
    const auto& versions = found ? *found : none;
    if (strategy == "Webhook") {
        check_client(client, causes);
        check_review_versions(versions, causes);
        return;
    }
    constexpr std::string_view why = "should not be set when strategy is not set to Webhook";
    if (client) causes.push_back(forbidden_field(std::string(client_field), why));
    if (!versions.empty()) causes.push_back(forbidden_field(std::string(versions_field), why));
}

} // namespace kubecoro::apiserver
