#include "schema/crd_validation.hpp"

#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "text/json_text.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

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

void check_url(std::string_view text, std::vector<status_cause>& causes)
{
    const auto field = std::string(client_field) + ".url";
    const std::string form = "; desired format: https://host[/path]";
    const auto url = boost::urls::parse_uri_reference({text.data(), text.size()});
    if (!url) {
        causes.push_back(required(field, "url must be a valid URL" + form));
        return;
    }
    const auto add = [&](const auto& shown, const std::string& why) {
        causes.push_back(invalid_value(field, quote(std::string_view(shown.data(), shown.size())), why));
    };
    if (url->scheme() != "https") add(url->scheme(), "'https' is the only allowed URL scheme" + form);
    if (url->encoded_host().empty()) add(url->encoded_host(), "host must be specified" + form);
    if (url->has_userinfo()) add(url->encoded_userinfo(), "user information is not permitted in the URL");
    if (url->has_fragment()) add(url->encoded_fragment(), "fragments are not permitted in the URL");
    if (url->has_query()) add(url->encoded_query(), "query parameters are not permitted in the URL");
}

void check_service_path(std::string_view path, const std::string& field, std::vector<status_cause>& causes)
{
    if (path.empty() || path == "/") return;
    const auto shown = quote(path);
    if (path == "//") {
        causes.push_back(invalid_value(field, shown, "segment[0] may not be empty"));
        return;
    }
    if (path.front() != '/') causes.push_back(invalid_value(field, shown, "must start with a '/'"));
    auto rest = path.substr(1);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    for (std::size_t i = 0; !errors::enough(causes); ++i) {
        const auto end = rest.find('/');
        const auto segment = rest.substr(0, end);
        const auto at = "segment[" + std::to_string(i) + "]";
        if (segment.empty())
            causes.push_back(invalid_value(field, shown, at + " may not be empty"));
        else if (!is_subdomain(segment))
            causes.push_back(invalid_value(field, shown, at + ": " + std::string(subdomain_rule)));
        if (end == rest.npos) return;
        rest.remove_prefix(end + 1);
    }
}

void check_service(const json::value& service, std::vector<status_cause>& causes)
{
    const auto field = std::string(client_field) + ".service.";
    for (const std::string_view name : {"name", "namespace"})
        if (text_at(service, name).empty()) causes.push_back(required(field + std::string(name)));
    const auto* port = find_at(service, "port");
    if (const auto number = port ? int_at(service, "port") : 443; !is_port(number))
        causes.push_back(
            invalid_value(field + "port", std::to_string(number), "port is not valid: " + std::string(port_rule)));
    check_service_path(text_at(service, "path"), field + "path", causes);
}

void check_client(const json::value* client, std::vector<status_cause>& causes)
{
    if (!client || !client->is_object()) {
        causes.push_back(required(std::string(client_field), "required when strategy is set to Webhook"));
        return;
    }
    const auto* url = find_at(*client, "url");
    const auto* service = find_at(*client, "service");
    if ((url == nullptr) == (service == nullptr))
        causes.push_back(required(std::string(client_field), "exactly one of url or service is required"));
    else if (url)
        check_url(text_at(*client, "url"), causes);
    else
        check_service(*service, causes);
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
