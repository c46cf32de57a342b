#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

/// A point in time since 1970, UTC.
struct go_time
{
    std::int64_t seconds = 0;
    /// Nanoseconds within the second; not negative.
    std::int32_t nanos = 0;
};

/// Reads RFC 3339 with any fraction and offset, as Go does: an hour may have one digit, a comma is a point. Digits of the
/// fraction beyond nanoseconds are ignored.
[[nodiscard]] std::optional<go_time> read_time(std::string_view text) noexcept;
/// The same with a fraction of six digits, without which Go reads no MicroTime.
[[nodiscard]] std::optional<go_time> read_micro_time(std::string_view text) noexcept;

/// The pattern by which schemas of custom resources tell times with microseconds from others.
inline constexpr std::string_view micro_time_pattern =
    R"(^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}(Z|[+-][0-9]{2}:[0-9]{2})$)";

} // namespace kubecoro::detail
