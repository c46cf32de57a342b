#include "validation/value_check.hpp"
#include <kubecoro/api/detail/go_format.hpp>

#include <cmath>
#include <limits>

namespace kubecoro::detail {

namespace {

/// As Go's conversion on most processors: what does not fit is the smallest integer.
std::int64_t to_integer(double number) noexcept
{
    constexpr double limit = 9223372036854775808.0;
    return number >= -limit && number < limit ? static_cast<std::int64_t>(number)
                                              : std::numeric_limits<std::int64_t>::min();
}

} // namespace

bool is_whole(double number) noexcept
{
    constexpr double limit = 9007199254740991.0;
    if (!std::isfinite(number) || std::abs(number) > limit) return false;
    const double rounded = std::round(number);
    if (number == rounded) return true;
    return rounded != 0 && std::abs(number - rounded) < 1e-9 * std::abs(rounded);
}

bool number_check::is_in_range(double number, bool integer, std::string_view what)
{
    bool fits = true;
    if (node_.type == "integer") {
        const bool small = node_.format == "int32";
        const double limit = small ? 2147483648.0 : 9223372036854775808.0;
        // Integers of 64 bits are in their own range, even those that no double is equal to.
        const bool exact = integer && !small;
        fits = exact || (std::floor(number) == number && number >= -limit && number < limit);
    } else if (node_.type == "number" && node_.format == "float")
        fits = !std::isinf(static_cast<float>(number));
    if (fits) return true;
    std::string words = std::string(what) + " value must be of type " + node_.type;
    words += node_.format.empty() ? std::string(" (default format)") : " with format " + node_.format;
    out_.push_back({false, {}, words + " in " + at_.text()});
    return false;
}

void number_check::add(std::string bad_value, std::string_view words)
{
    out_.push_back({true, std::move(bad_value), at_.text() + " in body should be " + std::string(words)});
}

void number_check::check_multiple(double factor)
{
    const bool as_integer = is_in_range(factor, false, "MultipleOf") && is_go_integer(v_);
    const std::int64_t whole_factor = to_integer(factor);
    const std::string shown = as_integer ? std::to_string(whole_factor) : go_number(factor);
    if (as_integer ? whole_factor <= 0 : factor <= 0) {
        out_.push_back({true, shown, "factor MultipleOf declared for " + at_.text() + " must be positive: " + shown});
        return;
    }
    if (as_integer) {
        if (v_.get_int64() % whole_factor != 0) add(std::to_string(v_.get_int64()), "a multiple of " + shown);
        return;
    }
    const double number = v_.to_number<double>();
    if (!is_whole(factor < 1 ? 1 / factor * number : number / factor)) add(go_number(number), "a multiple of " + shown);
}

void number_check::check_bound(double limit, bool exclusive, bool upper)
{
    const bool as_integer =
        is_in_range(limit, false, upper ? "Maximum boundary" : "Minimum boundary") && is_go_integer(v_);
    const auto is_beyond = [&](auto number, auto bound) {
        return upper ? number > bound || (exclusive && number == bound)
                     : number < bound || (exclusive && number == bound);
    };
    std::string words = upper ? "less than " : "greater than ";
    if (!exclusive) words += "or equal to ";
    if (as_integer) {
        const std::int64_t bound = to_integer(limit);
        if (is_beyond(v_.get_int64(), bound)) add(std::to_string(v_.get_int64()), words + std::to_string(bound));
    } else if (const double number = v_.to_number<double>(); is_beyond(number, limit))
        add(go_number(number), words + go_number(limit));
}

std::vector<number_check::problem> number_check::run()
{
    (void)is_in_range(v_.to_number<double>(), is_go_integer(v_), "Checked");
    if (node_.limits.multiple_of) check_multiple(*node_.limits.multiple_of);
    if (node_.limits.maximum) check_bound(*node_.limits.maximum, node_.limits.exclusive_maximum, true);
    if (node_.limits.minimum) check_bound(*node_.limits.minimum, node_.limits.exclusive_minimum, false);
    return std::move(out_);
}

} // namespace kubecoro::detail
