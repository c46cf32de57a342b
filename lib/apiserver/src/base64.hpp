// Bytes as text (RFC 4648).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// With padding.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// As a part of a URL: other digits, no padding.
[[nodiscard]] std::string encode_base64url(std::string_view bytes);

/// The bytes go to `out`. @return the position of the first character that does not belong, or npos.
[[nodiscard]] std::size_t decode_base64url(std::string_view text, std::string& out);

} // namespace kubecoro::apiserver
