#pragma once
// Exact values of numbers that are kept as text, and copies of values of a tape as Boost.JSON values.

#include <kubecoro/api/value_view.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

/// Equal as decimal numbers: 1 == 1.0 == 10e-1, -0 == 0. Text that is not a number equals only the same text.
[[nodiscard]] bool equal_numbers(std::string_view a, std::string_view b) noexcept;

/// The value if the text is a whole number within 64 bits: 1e3 is 1000, 1.5 has none.
[[nodiscard]] std::optional<std::int64_t> integral_value(std::string_view text) noexcept;

/// The nearest double; infinity or zero beyond the range. None if the text is not a number.
[[nodiscard]] std::optional<double> double_value(std::string_view text) noexcept;

/// The decimal text of a 64-bit integer.
struct integer_text
{
    explicit integer_text(std::int64_t value) noexcept;
    [[nodiscard]] std::string_view view() const noexcept { return {buffer, size}; }
    char buffer[24];
    std::size_t size;
};

struct json_copy
{
    boost::json::value value;
    /// Whether every number is a 64-bit integer, which Boost.JSON keeps as it is.
    bool exact;
};

[[nodiscard]] json_copy copy_to_json(const value_view& v);

} // namespace kubecoro::detail
