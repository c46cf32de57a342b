// Kubernetes' rules for names, and its messages for names that violate them.
#pragma once

#include <kubecoro/api/detail/label_rules.hpp>

#include <algorithm>
#include <string_view>

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

} // namespace kubecoro::apiserver
