// Validates how a webhook is reached: a URL or a service.
#include "schema/webhook_validation.hpp"

#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "text/json_text.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::invalid_value;
using errors::required;

void check_url(std::string_view text, const std::string& field, std::vector<status_cause>& causes)
{
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

void check_service(const json::value& service, const std::string& field, std::vector<status_cause>& causes)
{
    for (const std::string_view name : {"name", "namespace"})
        if (text_at(service, name).empty()) causes.push_back(required(field + std::string(name)));
    const auto* port = find_at(service, "port");
    if (const auto number = port ? int_at(service, "port") : 443; !is_port(number))
        causes.push_back(
            invalid_value(field + "port", std::to_string(number), "port is not valid: " + std::string(port_rule)));
    check_service_path(text_at(service, "path"), field + "path", causes);
}

} // namespace

void validate_webhook_client(const json::value& client, const std::string& field, std::vector<status_cause>& causes)
{
    const auto* url = find_at(client, "url");
    const auto* service = find_at(client, "service");
    if ((url == nullptr) == (service == nullptr))
        causes.push_back(required(field, "exactly one of url or service is required"));
    else if (url)
        check_url(text_at(client, "url"), field + ".url", causes);
    else
        check_service(*service, field + ".service.", causes);
}

} // namespace kubecoro::apiserver
