// The API machinery's rules for label keys and label values, and its words for what violates them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The rule of a DNS subdomain, in the words of a kube-apiserver.
inline constexpr std::string_view subdomain_rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Letters, digits, `-`, `_`, `.`, at most 63 characters, starting and ending with a letter or digit; may be empty.
[[nodiscard]] bool is_label_value(std::string_view text) noexcept;

/// `name` or `prefix/name`; the prefix is a DNS subdomain, the name a non-empty label value.
[[nodiscard]] bool is_label_key(std::string_view text) noexcept;

/// All that is wrong with a label value, each in the server's words. Empty if it is one.
[[nodiscard]] std::vector<std::string> label_value_problems(std::string_view text);

/// The same for a label key.
[[nodiscard]] std::vector<std::string> label_key_problems(std::string_view text);

} // namespace kubecoro::detail
