#include "library/functions.hpp"

namespace kubecoro::cel::detail {

namespace {

bool is_zero(const value& of)
{
    switch (of.type()) {
    case value_type::null:
        return true;
    case value_type::boolean:
        return !of.as_bool();
    case value_type::integer:
    case value_type::duration:
        return of.as_int() == 0;
    case value_type::unsigned_integer:
        return of.as_uint() == 0;
    case value_type::real:
        return of.as_double() == 0;
    case value_type::string:
    case value_type::bytes:
        return of.as_string().empty();
    case value_type::list:
        return list_of(of).items().empty();
    case value_type::map:
        return map_of(of).size() == 0;
    case value_type::timestamp:
        return of.as_int() == first_second && of.nanoseconds() == 0;
    default:
        return false;
    }
}

value none(resources&, arguments) { return make_none(); }
value some(resources&, arguments in) { return make_optional(in[0]); }
value some_unless_zero(resources&, arguments in) { return is_zero(in[0]) ? make_none() : make_optional(in[0]); }

value has_value(resources&, arguments in)
{
    return in[0].is(value_type::optional) ? value(inside(in[0]) != nullptr) : no_such_overload();
}

value value_of(resources&, arguments in)
{
    if (!in[0].is(value_type::optional)) return no_such_overload();
    const auto* item = inside(in[0]);
    return item != nullptr ? *item : make_error("optional.none() dereference");
}

value unwrap(resources& from, arguments in)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    std::vector<value> out;
    for (const auto& item : list_of(in[0]).items()) {
        if (!item.is(value_type::optional)) return no_such_overload();
        if (const auto* held = inside(item)) out.push_back(*held);
    }
    return make_list(from, std::move(out));
}

constexpr function_entry optional_entries[] = {
    {"optional.none", none}, {"optional.of", some}, {"optional.ofNonZeroValue", some_unless_zero},
    {"hasValue", has_value}, {"value", value_of},   {"optional.unwrap", unwrap},
    {"unwrapOpt", unwrap},
};

} // namespace

function_table optional_functions() { return {optional_entries}; }

} // namespace kubecoro::cel::detail
