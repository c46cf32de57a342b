// Bytes as text (RFC 4648).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// With padding.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// How many bytes a text stands for; of one that is no base64, about.
[[nodiscard]] std::size_t decoded_base64_size(std::string_view text);
/// The position at which Go's decoder gives up, or npos when it is base64 with padding. Line ends are skipped.
[[nodiscard]] std::size_t bad_base64_at(std::string_view text);

/// As a part of a URL: other digits, no padding.
[[nodiscard]] std::string encode_base64url(std::string_view bytes);

/// The bytes go to `out`. @return the position of the first character that does not belong, or npos.
[[nodiscard]] std::size_t decode_base64url(std::string_view text, std::string& out);

} // namespace kubecoro::apiserver
