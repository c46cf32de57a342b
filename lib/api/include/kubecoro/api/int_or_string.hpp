#pragma once

#include <kubecoro/base/result.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace kubecoro {

/// How a share of a whole becomes a whole number.
enum class rounding
{
    up,
    down
};

/** A number of 32 bits or a text, such as a port (`8080`, `"http"`) or a share of replicas (`1`, `"25%"`).

    The two stay apart, as in JSON: the text `"80"` is not the number 80, nor equal to it. A regular value. Distinct
    objects may be used from distinct threads; const access to one from several. */
class int_or_string
{
public:
    /// The number 0.
    int_or_string() = default;
    /// A number, of a type whose values all fit.
    template<std::integral T>
        requires(std::numeric_limits<T>::digits <= 31 && !std::same_as<T, bool> && !std::same_as<T, char> &&
                 !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> && !std::same_as<T, char16_t>)
    int_or_string(T number) : value_(static_cast<std::int32_t>(number))
    {
    }
    /// A text, also if it is that of a number.
    int_or_string(std::string text) : value_(std::move(text)) {}
    /// A text.
    int_or_string(std::string_view text) : value_(std::string(text)) {}
    /// A text.
    int_or_string(const char* text) : value_(std::string(text)) {}
    int_or_string(std::nullptr_t) = delete;

    /// The number if the text is that of one of 32 bits, else the text: for text that a person wrote.
    [[nodiscard]] static int_or_string parse(std::string_view text);

    /// Whether it is a number.
    [[nodiscard]] bool is_number() const noexcept { return value_.index() == 0; }
    /// Null if it is a text. Valid until the object changes, as if_text().
    [[nodiscard]] const std::int32_t* if_number() const noexcept { return std::get_if<std::int32_t>(&value_); }
    /// Null if it is a number.
    [[nodiscard]] const std::string* if_text() const noexcept { return std::get_if<std::string>(&value_); }
    /// The number or the text, in characters.
    [[nodiscard]] std::string to_string() const;

    /** The number, or a percentage of the total: `"25%"` of 10 is 3 when rounding up, 2 when rounding down.

        Percentages may be negative or above 100, and so may the result.
        Errors: cond::invalid, with the text, if it is no whole number with a percent sign; or if the result is beyond
        64 bits. */
    [[nodiscard]] result<std::int64_t> scaled(std::int64_t total, rounding how) const;

    friend bool operator==(const int_or_string&, const int_or_string&) = default;
    /// Writes the number or the text.
    friend std::ostream& operator<<(std::ostream& out, const int_or_string& v);

private:
    std::variant<std::int32_t, std::string> value_;
};

} // namespace kubecoro
