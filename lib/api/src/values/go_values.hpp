// Reads texts that Go writes to JSON for values that protobuf holds as numbers or bytes.
#pragma once

#include <kubecoro/api/detail/time_text.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Reads a time.Duration in nanoseconds as Go's time.ParseDuration does: `1h0m0s`, `-1.5s`, `300ms`.
[[nodiscard]] std::optional<std::int64_t> read_duration(std::string_view text) noexcept;
/// True if the text is a quantity as people and programs write them: `1`, `-0.5`, `100m`, `1.5Gi`, `2E`, `1e3`. Go reads
/// more forms, such as `.5`.
[[nodiscard]] bool is_plain_quantity(std::string_view text) noexcept;
/// The text that Go writes for a quantity that it has read: the same if it is in canonical form, or nearly. None if it is no
/// quantity.
[[nodiscard]] std::optional<std::string> go_quantity(std::string_view text);
/// Appends the bytes of standard base64 with padding; line ends are skipped. False if it is none.
[[nodiscard]] bool append_decoded_base64(std::string& out, std::string_view text);

} // namespace kubecoro::detail
