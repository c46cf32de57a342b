// Texts as Go writes them to JSON, for values that protobuf holds as numbers or bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// RFC 3339 in UTC with whole seconds: `2026-01-31T12:00:00Z`. Years beyond 9999 have more digits.
[[nodiscard]] std::string time_text(std::int64_t seconds);
/// The same with six digits of fraction.
[[nodiscard]] std::string micro_time_text(std::int64_t seconds, std::int32_t nanos);
/// As Go's time.Duration: `1h0m0s`, `1.5s`, `300ms`.
[[nodiscard]] std::string duration_text(std::int64_t nanos);
/// The shortest text that gives the same double. None for NaN and infinities, which JSON cannot express.
[[nodiscard]] std::optional<std::string> real_text(double value);
/// Appends standard base64 with padding.
void append_base64(std::string& out, std::string_view bytes);

/// True if the text is valid UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
/// Appends the text; each byte that belongs to no valid character becomes U+FFFD.
void append_valid_utf8(std::string& out, std::string_view text);

/// The start of Go's time, year 1, which Go treats as "no time".
inline constexpr std::int64_t no_time_seconds = -62135596800;

} // namespace kubecoro::detail
