// Compression of answers.
#pragma once

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Whether gzip saves packets.
[[nodiscard]] bool is_worth_compressing(std::string_view body) noexcept;
[[nodiscard]] std::string gzip(std::string_view plain);
/// Whether a client's Accept-Encoding permits gzip.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

} // namespace kubecoro::detail
