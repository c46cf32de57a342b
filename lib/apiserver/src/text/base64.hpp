// Base64 encoding and decoding (RFC 4648).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// Returns the decoded size of a base64 text; approximate for invalid text.
[[nodiscard]] std::size_t decoded_base64_size(std::string_view text);
/// Returns the position at which Go's decoder fails; npos for valid base64 with padding. Line ends are skipped.
[[nodiscard]] std::size_t bad_base64_at(std::string_view text);

/// Encodes with the URL-safe alphabet and without padding.
[[nodiscard]] std::string encode_base64url(std::string_view bytes);

/// Appends the decoded bytes to `out`. @return the position of the first invalid character, or npos.
[[nodiscard]] std::size_t decode_base64url(std::string_view text, std::string& out);

} // namespace kubecoro::apiserver
