#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Standard base64 with padding.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// Nothing unless the text is standard base64 with padding; line ends in it are passed over.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

} // namespace kubecoro::detail
