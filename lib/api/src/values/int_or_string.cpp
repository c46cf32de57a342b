#include "values/refused.hpp"

#include <kubecoro/api/int_or_string.hpp>

#include <charconv>
#include <optional>
#include <ostream>
#include <system_error>

namespace kubecoro {
namespace {

/// A decimal number with an optional sign, as Go reads it. None beyond the type's range.
template<class T>
std::optional<T> whole_number(std::string_view text) noexcept
{
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return std::nullopt;
    }
    T out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return out;
}

std::int64_t divide(std::int64_t number, std::int64_t by, rounding how) noexcept
{
    const std::int64_t rest = number % by;
    if (rest == 0) return number / by;
    const bool positive = rest > 0;
    return number / by + (how == rounding::up ? (positive ? 1 : 0) : (positive ? 0 : -1));
}

} // namespace

int_or_string int_or_string::parse(std::string_view text)
{
    const auto number = whole_number<std::int32_t>(text);
    return number ? int_or_string(*number) : int_or_string(text);
}

std::string int_or_string::to_string() const
{
    const auto* text = if_text();
    return text ? *text : std::to_string(std::get<std::int32_t>(value_));
}

result<std::int64_t> int_or_string::scaled(std::int64_t total, rounding how) const
{
    if (const auto* number = if_number()) return *number;
    const std::string_view text = std::get<std::string>(value_);
    const auto percent =
        text.ends_with('%') ? whole_number<std::int64_t>(text.substr(0, text.size() - 1)) : std::nullopt;
    if (!percent) return detail::refused("a percentage such as 25%", text);
    std::int64_t hundredths = 0;
    if (__builtin_mul_overflow(*percent, total, &hundredths))
        return detail::refused("a percentage of " + std::to_string(total) + " within 64 bits", text);
    return divide(hundredths, 100, how);
}

std::ostream& operator<<(std::ostream& out, const int_or_string& v) { return out << v.to_string(); }

} // namespace kubecoro
