// Names of properties as identifiers of expressions: `foo-bar` is `foo__dash__bar`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::cel::detail {

/// Whether the grammar keeps a word for itself.
[[nodiscard]] bool is_reserved(std::string_view word) noexcept;
/// The identifier of a property. Nothing if it can have none.
[[nodiscard]] std::optional<std::string> escape_name(std::string_view name);
/// The property of an identifier. Nothing if no property has it.
[[nodiscard]] std::optional<std::string> unescape_name(std::string_view identifier);

} // namespace kubecoro::cel::detail
