#include "schema/name_validation.hpp"

#include "render/json_text.hpp"
#include "render/status_errors.hpp"
#include "state/names.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

/// The name of one object, and the place for what is wrong with it.
struct checked_name
{
    std::string_view name;
    std::vector<status_cause>& causes;

    void refuse(std::string_view why) const
    {
        causes.push_back(errors::invalid_value("metadata.name", quoted(name), why));
    }
    [[nodiscard]] bool contains(std::string_view part) const { return name.find(part) != std::string_view::npos; }
};

/// @param part  The part of the name that has to be a subdomain.
void check_subdomain(const checked_name& n, std::string_view part)
{
    if (part.size() > 253)
        n.refuse("must be no more than 253 characters");
    else if (!is_subdomain(part))
        n.refuse(subdomain_rule);
}

void check_label(const checked_name& n)
{
    if (n.name.size() > 63)
        n.refuse("must be no more than 63 bytes");
    else if (!is_label(n.name))
        n.refuse(is_subdomain(n.name) ? "must not contain dots" : label_rule);
}

/// @return whether the name is a segment of a path.
bool check_path_segment(const checked_name& n)
{
    const auto problems = path_segment_problems(n.name);
    for (const auto& why : problems) n.refuse(why);
    return problems.empty();
}

void check_api_service(const checked_name& n, const json::value& body)
{
    const auto wanted = std::string(text_at(body, "spec.version")) + "." + std::string(text_at(body, "spec.group"));
    if (check_path_segment(n) && n.name != wanted)
        n.refuse("must be `spec.version+\".\"+spec.group`: " + quoted(wanted));
}

/// Empty if the text is no address.
std::string canonical_address(const std::string& text)
{
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    std::array<char, INET6_ADDRSTRLEN> out{};
    for (const int family : {AF_INET, AF_INET6})
        if (inet_pton(family, text.c_str(), bytes.data()) == 1)
            return inet_ntop(family, bytes.data(), out.data(), out.size());
    return {};
}

void check_address(const checked_name& n)
{
    const auto canonical = canonical_address(std::string(n.name));
    if (canonical.empty())
        n.refuse("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    else if (canonical.starts_with("::ffff:") && canonical.find('.') != std::string::npos)
        n.refuse("must not be an IPv4-mapped IPv6 address");
    else if (n.name != canonical)
        n.refuse("must be in canonical form (" + quoted(canonical) + ")");
}

void check_trust_bundle(const checked_name& n, const json::value& body)
{
    std::string prefix(text_at(body, "spec.signerName"));
    if (prefix.empty()) {
        if (n.contains(":"))
            n.refuse("ClusterTrustBundle without signer name must not have \":\" in its name");
        else
            check_subdomain(n, n.name);
        return;
    }
    const auto signer = prefix;
    std::replace(prefix.begin(), prefix.end(), '/', ':');
    prefix += ':';
    if (n.name.starts_with(prefix))
        check_subdomain(n, n.name.substr(prefix.size()));
    else
        n.refuse("ClusterTrustBundle for signerName " + signer + " must be named with prefix " + prefix);
}

} // namespace

std::vector<std::string> path_segment_problems(std::string_view name)
{
    std::vector<std::string> out;
    if (name == "." || name == "..") out.push_back("may not be '" + std::string(name) + "'");
    for (const std::string_view part : {"/", "%"})
        if (name.find(part) != std::string_view::npos) out.push_back("may not contain '" + std::string(part) + "'");
    return out;
}

void validate_name(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    const checked_name n{text_at(body, "metadata.name"), causes};
    switch (info.names) {
    case name_rule::subdomain:
        return check_subdomain(n, n.name);
    case name_rule::label:
        return check_label(n);
    case name_rule::path_segment:
        (void)check_path_segment(n);
        return;
    case name_rule::api_service:
        return check_api_service(n, body);
    case name_rule::ip_address:
        return check_address(n);
    case name_rule::trust_bundle:
        return check_trust_bundle(n, body);
    }
}

} // namespace kubecoro::apiserver
