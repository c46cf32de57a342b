// Checks names of objects and ports, and labels with their selectors.
#include "schema/name_validation.hpp"

#include "text/json_text.hpp"

#include <arpa/inet.h>

#include <array>

namespace kubecoro::apiserver {
namespace {

/// A name, or the beginning of generated ones, and the place for what is wrong with it.
struct checked_name
{
    std::string_view name;
    std::vector<status_cause>& causes;
    /// It is metadata.generateName.
    bool is_prefix = false;

    void refuse(std::string_view why) const
    {
        causes.push_back(
            errors::invalid_value(is_prefix ? "metadata.generateName" : "metadata.name", quote(name), why));
    }
    [[nodiscard]] bool contains(std::string_view part) const { return name.find(part) != std::string_view::npos; }
};

/// A prefix may end with a dash: something follows it. As a kube-apiserver masks it, with the character before.
std::string masked(const checked_name& n, std::string_view part)
{
    const bool dash = n.is_prefix && part.size() > 1 && part.ends_with('-');
    return dash ? std::string(part.substr(0, part.size() - 2)) + 'a' : std::string(part);
}

/// @param part  The part of the name that has to be a subdomain.
void check_subdomain(const checked_name& n, std::string_view part)
{
    const auto text = masked(n, part);
    if (text.size() > 253)
        n.refuse("must be no more than 253 characters");
    else if (!is_subdomain(text))
        n.refuse(subdomain_rule);
}

void check_label(const checked_name& n)
{
    const auto text = masked(n, n.name);
    if (text.size() > 63)
        n.refuse("must be no more than 63 bytes");
    else if (!is_label(text))
        n.refuse(is_subdomain(text) ? "must not contain dots" : label_rule);
}

/// @return whether the name is a segment of a path.
bool check_path_segment(const checked_name& n)
{
    // Dots alone do not remain alone.
    const auto problems = path_segment_problems(n.is_prefix ? std::string(n.name) + 'a' : std::string(n.name));
    for (const auto& why : problems) n.refuse(why);
    return problems.empty();
}

void check_api_service(const checked_name& n, const json::value& body)
{
    const auto wanted = std::string(text_at(body, "spec.version")) + "." + std::string(text_at(body, "spec.group"));
    if (check_path_segment(n) && n.name != wanted)
        n.refuse("must be `spec.version+\".\"+spec.group`: " + quote(wanted));
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
        n.refuse("must be in canonical form (" + quote(canonical) + ")");
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

namespace {

void check_name(const resource_info& info, const json::value& body, const checked_name& n)
{
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

} // namespace

void validate_name(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    const auto prefix = text_at(body, "metadata.generateName");
    if (!prefix.empty()) check_name(info, body, {prefix, causes, true});
    const auto name = text_at(body, "metadata.name");
    if (name.empty())
        causes.push_back(errors::required("metadata.name", "name or generateName is required"));
    else
        check_name(info, body, {name, causes});
}

std::vector<std::string> port_name_problems(std::string_view name)
{
    constexpr std::size_t longest = 15;
    std::vector<std::string> out;
    const bool right = std::all_of(name.begin(), name.end(), [](char c) { return lower_alnum(c) || c == '-'; });
    if (name.size() > longest) out.emplace_back("must be no more than 15 characters");
    if (!right || name.empty())
        out.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
        out.emplace_back("must contain at least one letter (a-z)");
    if (name.find("--") != name.npos) out.emplace_back("must not contain consecutive hyphens");
    if (name.starts_with('-') || name.ends_with('-')) out.emplace_back("must not begin or end with a hyphen");
    return out;
}

void validate_port(const json::value* port, const std::string& field, std::vector<status_cause>& causes)
{
    if (port && port->is_string()) {
        const std::string_view name = port->get_string();
        for (const auto& why : port_name_problems(name))
            causes.push_back(errors::invalid_value(field, quote(name), why));
    } else if (const auto number = port && port->is_number() ? port->to_number<std::int64_t>() : 0; !is_port(number)) {
        causes.push_back(errors::invalid_value(field, std::to_string(number), port_rule));
    }
}

namespace {

using errors::enough;
using errors::invalid_value;

void check_key(std::string_view key, const std::string& path, std::vector<status_cause>& causes)
{
    for (const auto& why : detail::label_key_problems(key)) causes.push_back(invalid_value(path, quote(key), why));
}

void check_value(std::string_view value, const std::string& path, std::vector<status_cause>& causes)
{
    for (const auto& why : detail::label_value_problems(value))
        causes.push_back(invalid_value(path, quote(value), why));
}

void check_expression(const json::value& expression, const std::string& path, std::vector<status_cause>& causes)
{
    static const json::array none;
    const auto* stated = array_at(expression, "values");
    const auto& values = stated ? *stated : none;
    const auto operation = text_at(expression, "operator");
    if (operation == "In" || operation == "NotIn") {
        if (values.empty())
            causes.push_back(
                errors::required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operation == "Exists" || operation == "DoesNotExist") {
        if (!values.empty())
            causes.push_back(errors::forbidden_field(
                path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else {
        causes.push_back(invalid_value(path + ".operator", quote(operation), "not a valid selector operator"));
    }
    check_key(text_at(expression, "key"), path + ".key", causes);
    for (std::size_t i = 0; i < values.size() && !enough(causes); ++i)
        check_value(scalar_text(values[i]), path + ".values[" + std::to_string(i) + "]", causes);
}

} // namespace

void validate_labels(const json::object& labels, const std::string& field, std::vector<status_cause>& causes)
{
    for (const auto& [key, value] : labels) {
        if (enough(causes)) return;
        check_key(key, field, causes);
        if (value.is_string()) check_value(value.get_string(), field, causes);
    }
}

void validate_selector(const json::value* selector, const std::string& path, std::vector<status_cause>& causes)
{
    if (!selector || !selector->is_object()) return;
    if (const auto* labels = object_at(*selector, "matchLabels"))
        validate_labels(*labels, path + ".matchLabels", causes);
    const auto* expressions = array_at(*selector, "matchExpressions");
    for (std::size_t i = 0; expressions && i < expressions->size() && !enough(causes); ++i)
        check_expression((*expressions)[i], path + ".matchExpressions[" + std::to_string(i) + "]", causes);
}

} // namespace kubecoro::apiserver
