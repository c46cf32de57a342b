// What the API machinery accepts as a label key and a label value.
#pragma once

#include <string_view>

namespace kubecoro::detail {

/// Letters, digits, `-`, `_`, `.`, at most 63, starting and ending with a letter or digit; may be empty.
[[nodiscard]] bool is_label_value(std::string_view text) noexcept;

/// `name` or `prefix/name`; the prefix is a DNS subdomain, the name a label value that is not empty.
[[nodiscard]] bool is_label_key(std::string_view text) noexcept;

} // namespace kubecoro::detail
