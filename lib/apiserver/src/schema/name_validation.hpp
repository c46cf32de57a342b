// Kubernetes' rules for names, labels, keys and ports, and its messages for those that violate them.
#pragma once

#include "objects/registry.hpp"
#include "objects/status_errors.hpp"

#include <kubecoro/api/detail/label_rules.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

inline bool lower_alnum(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
inline bool alnum(char c) noexcept { return lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

inline bool is_label(std::string_view text)
{
    return !text.empty() && lower_alnum(text.front()) && lower_alnum(text.back()) &&
           std::all_of(text.begin(), text.end(), [](char c) { return lower_alnum(c) || c == '-'; });
}

inline bool is_subdomain(std::string_view text)
{
    while (true) {
        const auto dot = text.find('.');
        if (!is_label(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

using detail::subdomain_rule;
inline constexpr std::string_view label_rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/// Checks metadata.generateName, if there is one, and metadata.name by the rule of the resource.
void validate_name(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// The reasons why a name is no segment of a path; none if it is one.
[[nodiscard]] std::vector<std::string> path_segment_problems(std::string_view name);

/// Why a text is no label of RFC 1035; empty if it is one.
[[nodiscard]] inline std::string dns_1035_problem(std::string_view text)
{
    constexpr std::size_t longest = 63;
    const bool right = is_label(text) && text.front() > '9';
    std::string out = text.size() > longest ? "must be no more than 63 characters" : "";
    if (!right)
        out += std::string(out.empty() ? "" : ",") +
               "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
               "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
               "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    return out;
}

/// Why a text is no key; none if it is one.
[[nodiscard]] inline std::vector<std::string> config_key_problems(std::string_view key)
{
    constexpr std::size_t longest = 253;
    std::vector<std::string> out;
    const bool right = !key.empty() && std::all_of(key.begin(), key.end(),
                                                   [](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; });
    if (key.size() > longest) out.emplace_back("must be no more than 253 characters");
    if (!right)
        out.emplace_back(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
            "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
    if (key == ".")
        out.emplace_back("must not be '.'");
    else if (key == "..")
        out.emplace_back("must not be '..'");
    else if (key.starts_with(".."))
        out.emplace_back("must not start with '..'");
    return out;
}

inline constexpr std::string_view port_rule = "must be between 1 and 65535, inclusive";

[[nodiscard]] inline bool is_port(std::int64_t number) noexcept { return number >= 1 && number <= 65'535; }

/// Why a text is no name of a port; none if it is one.
[[nodiscard]] std::vector<std::string> port_name_problems(std::string_view name);
/// Checks a number or name. @param port  Null: absent, which counts as 0.
void validate_port(const boost::json::value* port, const std::string& field, std::vector<status_cause>& causes);

/// Checks keys and values. @param field  Named for each of them.
void validate_labels(const boost::json::object& labels, const std::string& field, std::vector<status_cause>& causes);

/// Checks labels and expressions of a selector, as a kube-apiserver does before it stores one. @param selector  May be null.
void validate_selector(const boost::json::value* selector, const std::string& path, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
