// Quantities, and what they have in common with versions.
#include "library/functions.hpp"
#include "library/versions.hpp"

#include <algorithm>
#include <optional>

namespace kubecoro::cel::detail {

namespace {

const quantity_data* data_of(const value& from)
{
    return static_cast<const quantity_data*>(opaque_of(from, opaque_kind::quantity));
}

const quantity* amount_of(const value& from)
{
    const auto* held = data_of(from);
    return held != nullptr ? &held->amount : nullptr;
}

value make_amount(quantity from, std::optional<int> scale)
{
    return make_opaque(std::make_shared<const quantity_data>(std::move(from), scale));
}

/// The power of ten that Go's fast path of parsing has for a text.
std::optional<int> scale_of(std::string_view text)
{
    const auto parts = kubecoro::detail::split_quantity(text);
    auto whole = parts.whole;
    while (whole.size() > 1 && whole[0] == '0') whole.remove_prefix(1);
    const int places = static_cast<int>(parts.fraction.size());
    const int digits = static_cast<int>(whole.size()) + places;
    if (parts.base == 2) {
        const bool fits = places == 0 && 14 - digits - parts.exponent * 3 / 10 >= 0;
        return fits ? std::optional(0) : std::nullopt;
    }
    const int scale = parts.exponent - places;
    return digits <= 18 && scale >= -9 ? std::optional(scale) : std::nullopt;
}

value parse_amount(resources&, arguments in)
{
    if (!in[0].is(value_type::string)) return no_such_overload();
    auto parsed = quantity::parse(in[0].as_string());
    if (parsed) return make_amount(*std::move(parsed), scale_of(in[0].as_string()));
    return make_error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

value is_amount(resources&, arguments in)
{
    if (!in[0].is(value_type::string)) return no_such_overload();
    return value(static_cast<bool>(quantity::parse(in[0].as_string())));
}

/// Whether Go has it as a whole number of 64 bits. `1000m` is none.
bool is_whole_amount(const quantity_data& of)
{
    return of.scale && *of.scale >= 0 && quantity::of(of.amount.value()) == of.amount;
}

value is_integer(resources&, arguments in)
{
    const auto* held = data_of(in[0]);
    return held != nullptr ? value(is_whole_amount(*held)) : no_such_overload();
}

value as_integer(resources&, arguments in)
{
    const auto* held = data_of(in[0]);
    if (held == nullptr) return no_such_overload();
    return is_whole_amount(*held) ? value::of_int(held->amount.value()) : make_error("cannot convert value to integer");
}

value as_float(resources&, arguments in)
{
    const auto* amount = amount_of(in[0]);
    return amount != nullptr ? value::of_double(amount->as_double()) : no_such_overload();
}

value sign(resources&, arguments in)
{
    const auto* amount = amount_of(in[0]);
    return amount != nullptr ? value::of_int(amount->sign()) : no_such_overload();
}

/// The sum of two quantities, the second of which may be a whole number.
value sum_of(arguments in, bool negated)
{
    const auto* first = data_of(in[0]);
    const auto* second = data_of(in[1]);
    if (first == nullptr || (second == nullptr && !in[1].is(value_type::integer))) return no_such_overload();
    const quantity other = second != nullptr ? second->amount : quantity::of(in[1].as_int());
    const std::optional<int> other_scale = second != nullptr ? second->scale : std::optional(0);
    std::optional<int> scale;
    if (first->scale && other_scale)
        scale = other.is_zero()           ? first->scale
                : first->amount.is_zero() ? other_scale
                                          : std::min(first->scale, other_scale);
    return make_amount(negated ? first->amount - other : first->amount + other, scale);
}

value add(resources&, arguments in) { return sum_of(in, false); }
value subtract(resources&, arguments in) { return sum_of(in, true); }

/// -1, 0 or 1 for two quantities or two versions.
std::optional<int> compared(arguments in)
{
    const auto* a = amount_of(in[0]);
    const auto* b = amount_of(in[1]);
    if (a == nullptr || b == nullptr) return compare_versions(in[0], in[1]);
    return *a < *b ? -1 : *a > *b ? 1 : 0;
}

value is_greater(resources&, arguments in)
{
    const auto found = compared(in);
    return found ? value(*found > 0) : no_such_overload();
}

value is_less(resources&, arguments in)
{
    const auto found = compared(in);
    return found ? value(*found < 0) : no_such_overload();
}

value compare_to(resources&, arguments in)
{
    const auto found = compared(in);
    return found ? value::of_int(*found) : no_such_overload();
}

constexpr function_entry amount_entries[] = {
    {"quantity", parse_amount, call_cost::scan},
    {"isQuantity", is_amount, call_cost::scan},
    {"isInteger", is_integer},
    {"asInteger", as_integer},
    {"asApproximateFloat", as_float},
    {"sign", sign},
    {"add", add},
    {"sub", subtract},
    {"isGreaterThan", is_greater},
    {"isLessThan", is_less},
    {"compareTo", compare_to},
};

} // namespace

function_table amount_functions() { return {amount_entries}; }

} // namespace kubecoro::cel::detail
