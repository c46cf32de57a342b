// Compresses long responses while they are sent, as kube-apiserver does.
#pragma once

#include <kubecoro/apiserver/detail/http_types.hpp>

#include <string_view>

namespace kubecoro::apiserver {

/// True if `gzip` is one of the encodings, without parameters: kube-apiserver ignores "gzip;q=1" and "*".
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding) noexcept;

/// Longer bodies are compressed.
inline constexpr std::size_t largest_plain_body = 128 * 1024;

/** Replaces a body of more than 128 KiB by its gzip stream, and sets Content-Encoding and Vary.

    Nothing is compressed here: each part is when it is taken, in memory that does not depend on the body. */
void compress_long(http_response& r);

} // namespace kubecoro::apiserver
