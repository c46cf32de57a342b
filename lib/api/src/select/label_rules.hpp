// The API machinery's rules for label keys and label values.
#pragma once

#include <string_view>

namespace kubecoro::detail {

/// Letters, digits, `-`, `_`, `.`, at most 63 characters, starting and ending with a letter or digit; may be empty.
[[nodiscard]] bool is_label_value(std::string_view text) noexcept;

/// `name` or `prefix/name`; the prefix is a DNS subdomain, the name a non-empty label value.
[[nodiscard]] bool is_label_key(std::string_view text) noexcept;

} // namespace kubecoro::detail
