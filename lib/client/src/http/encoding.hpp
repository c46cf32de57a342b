#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Standard base64 with padding.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// Empty unless the text is standard base64 with padding; line breaks are skipped.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

} // namespace kubecoro::detail
