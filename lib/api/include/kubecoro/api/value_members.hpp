// Quantities, times, durations, and numbers or texts as fields of typed views.
#pragma once

#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/api/view.hpp>

#include <optional>
#include <string_view>

namespace kubecoro {

/// A number of 32 bits or a text, read in place. Borrowed, as view.
class int_or_string_view
{
public:
    int_or_string_view() noexcept = default;
    /// @param at  The value; may be absent.
    explicit int_or_string_view(value_view at) noexcept : at_(at) {}

    /// Whether it is there, as either of the two.
    explicit operator bool() const noexcept { return at_.is_string() || number().has_value(); }
    /// The number; none if it is a text or missing.
    [[nodiscard]] std::optional<std::int32_t> number() const noexcept
    {
        return detail::view_reader<std::int32_t>::find(at_);
    }
    /// The text; empty if it is a number or missing.
    [[nodiscard]] std::string_view text() const noexcept { return at_.as_string(); }
    /// A copy, which may allocate; the number 0 if it is missing.
    [[nodiscard]] int_or_string value() const
    {
        return at_.is_string() ? int_or_string(at_.as_string()) : int_or_string(number().value_or(0));
    }

private:
    value_view at_;
};

namespace detail {

/// Values that JSON has as text: none if the text is not one.
template<class T>
struct text_reader : item_reader<T>
{
    [[nodiscard]] static std::optional<T> find(value_view v)
    {
        if (!v.is_string()) return {};
        auto parsed = T::parse(v.as_string());
        if (!parsed) return {};
        return std::move(*parsed);
    }
};

template<>
struct view_reader<quantity> : item_reader<quantity>
{
    /// As in Go, the JSON may also be a number.
    [[nodiscard]] static std::optional<quantity> find(value_view v);
};
template<>
struct view_reader<timestamp> : text_reader<timestamp>
{
};
template<>
struct view_reader<micro_timestamp> : text_reader<micro_timestamp>
{
};
template<>
struct view_reader<go_duration> : text_reader<go_duration>
{
};
template<>
struct view_reader<int_or_string_view> : item_reader<int_or_string_view>
{
    [[nodiscard]] static int_or_string_view read(value_view v) noexcept { return int_or_string_view(v); }
};

} // namespace detail

} // namespace kubecoro
