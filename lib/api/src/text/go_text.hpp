// Texts as Go writes them to JSON, for values that protobuf holds as numbers or bytes.
#pragma once

#include <kubecoro/api/detail/utf8.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Writes times. Those of an object, and of the objects around it, are of a few days, whose dates are kept.
class time_texts
{
public:
    /// RFC 3339 in UTC with whole seconds: `2026-01-31T12:00:00Z`. Years beyond 9999 have more digits. Valid until the
    /// next call.
    [[nodiscard]] std::string_view time(std::int64_t seconds);
    /// The same with six digits of fraction.
    [[nodiscard]] std::string_view micro_time(std::int64_t seconds, std::int32_t nanos);

private:
    struct date
    {
        std::int64_t day = 0;
        /// Ends with a T; empty: there is none.
        std::string text;
    };

    /// Writes date and time without zone.
    void write_seconds(std::int64_t seconds);
    [[nodiscard]] const std::string& date_text(std::int64_t day);

    /// Begins with the date of `day_`.
    std::string text_;
    std::int64_t day_ = 0;
    std::size_t date_size_ = 0;
    std::array<date, 8> dates_;
};
/// As Go's time.Duration: `1h0m0s`, `1.5s`, `300ms`.
[[nodiscard]] std::string duration_text(std::int64_t nanos);
/// The shortest text that gives the same double. None for NaN and infinities, which JSON cannot express.
[[nodiscard]] std::optional<std::string> real_text(double value);
/// Appends standard base64 with padding.
void append_base64(std::string& out, std::string_view bytes);

/// The start of Go's time, year 1, which Go treats as "no time".
inline constexpr std::int64_t no_time_seconds = -62135596800;

} // namespace kubecoro::detail
