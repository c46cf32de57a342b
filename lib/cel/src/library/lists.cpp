#include "library/format_text.hpp"
#include "library/functions.hpp"
#include "values/compare.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace kubecoro::cel::detail {

namespace {

constexpr std::int64_t longest_range = 1'000'000;

bool is_comparable(const value& of) noexcept
{
    switch (of.type()) {
    case value_type::boolean:
    case value_type::integer:
    case value_type::unsigned_integer:
    case value_type::real:
    case value_type::string:
    case value_type::bytes:
    case value_type::timestamp:
    case value_type::duration:
        return true;
    default:
        return false;
    }
}

value is_sorted(resources&, arguments in)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    const value* before = nullptr;
    for (const auto& item : list_of(in[0]).items()) {
        if (is_error(item)) return item;
        if (!is_comparable(item)) return no_such_overload();
        if (before != nullptr && compare(*before, item) == order::greater) return value(false);
        before = &item;
    }
    return value(true);
}

/// The first item that no other one is before, or behind.
value extreme(arguments in, order better, std::string_view name)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    const value* best = nullptr;
    for (const auto& item : list_of(in[0]).items()) {
        if (is_error(item)) return item;
        if (!is_comparable(item)) return no_such_overload();
        if (best == nullptr || compare(item, *best) == better) best = &item;
    }
    return best != nullptr ? *best : make_error(std::string(name) + " called on empty list");
}

value smallest(resources&, arguments in) { return extreme(in, order::less, "min"); }
value largest(resources&, arguments in) { return extreme(in, order::greater, "max"); }

/// The sum of items, of which the first one decides how they are added, or that of none.
value sum_from(resources& from, arguments in, value total)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    const auto& items = list_of(in[0]).items();
    if (items.empty()) return total;
    total = items.front();
    if (is_error(total)) return total;
    const bool is_number = total.is(value_type::integer) || total.is(value_type::unsigned_integer) ||
                           total.is(value_type::real) || total.is(value_type::duration);
    if (!is_number) return no_such_overload();
    const auto* add = find_function("_+_");
    for (std::size_t i = 1; i < items.size() && !is_error(total); ++i) {
        if (is_error(items[i])) return items[i];
        const std::array pair{std::move(total), items[i]};
        total = add->call(from, pair);
    }
    return total;
}

value sum(resources& from, arguments in) { return sum_from(from, in, value::of_int(0)); }
value sum_of_naturals(resources& from, arguments in) { return sum_from(from, in, value::of_uint(0)); }
value sum_of_reals(resources& from, arguments in) { return sum_from(from, in, value::of_double(0)); }
value sum_of_durations(resources& from, arguments in) { return sum_from(from, in, make_duration(0)); }

value includes(resources&, arguments in)
{
    if (!in[0].is(value_type::list)) return value(is_equal(in[0], in[1]));
    const auto& items = list_of(in[0]).items();
    return value(std::any_of(items.begin(), items.end(), [&in](const value& item) { return is_equal(item, in[1]); }));
}

value slice(resources& from, arguments in)
{
    if (in.size() < 3 || !in[0].is(value_type::list) || !in[1].is(value_type::integer) ||
        !in[2].is(value_type::integer))
        return no_such_overload();
    const auto& items = list_of(in[0]).items();
    const auto start = in[1].as_int();
    const auto end = in[2].as_int();
    const auto refused = [&](const std::string& why) {
        return make_error("cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), " + why);
    };
    if (start < 0 || end < 0) return refused("negative indexes not supported");
    if (start > end) return refused("start index must be less than or equal to end index");
    if (std::cmp_less(items.size(), end)) return refused("list is length " + std::to_string(items.size()));
    return make_list(from, {items.begin() + start, items.begin() + end});
}

bool flatten_into(resources& from, std::vector<value>& out, const value& list, std::int64_t depth)
{
    for (const auto& item : list_of(list).items()) {
        if (item.is(value_type::list) && depth > 0) {
            if (!flatten_into(from, out, item, depth - 1)) return false;
        } else {
            if (!from.take(item_bytes)) return false;
            out.push_back(item);
        }
    }
    return true;
}

value flatten(resources& from, arguments in)
{
    if (!in[0].is(value_type::list) || (in.size() > 1 && !in[1].is(value_type::integer))) return no_such_overload();
    const auto depth = in.size() > 1 ? in[1].as_int() : 1;
    if (depth < 0) return make_error("level must be non-negative");
    std::vector<value> out;
    return flatten_into(from, out, in[0], depth) ? value::of_list(std::move(out)) : make_exhausted();
}

value sort_by_keys(resources& from, const std::vector<value>& items, const std::vector<value>& keys)
{
    if (items.empty()) return value::of_list({});
    for (const auto& key : keys) {
        if (is_error(key)) return key;
        if (!is_comparable(keys.front())) return make_error("list elements must be comparable");
        if (key.type() != keys.front().type()) return make_error("list elements must have the same type");
    }
    std::vector<std::size_t> places(items.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&keys](std::size_t a, std::size_t b) { return compare(keys[a], keys[b]) == order::less; });
    std::vector<value> out;
    for (const auto place : places) out.push_back(items[place]);
    return make_list(from, std::move(out));
}

value sort(resources& from, arguments in)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    return sort_by_keys(from, list_of(in[0]).items(), list_of(in[0]).items());
}

value sort_by(resources& from, arguments in)
{
    if (!in[0].is(value_type::list) || !in[1].is(value_type::list)) return no_such_overload();
    return sort_by_keys(from, list_of(in[0]).items(), list_of(in[1]).items());
}

value range(resources& from, arguments in)
{
    if (!in[0].is(value_type::integer)) return no_such_overload();
    const auto size = in[0].as_int();
    if (size < 0) return make_error("lists.range: size must be non-negative, got " + std::to_string(size));
    if (size > longest_range)
        return make_error("lists.range: size " + std::to_string(size) + " exceeds maximum allowed (" +
                          std::to_string(longest_range) + ")");
    if (!from.take(item_bytes * static_cast<std::uint64_t>(size + 1))) return make_exhausted();
    std::vector<value> out;
    for (std::int64_t i = 0; i < size; ++i) out.push_back(value::of_int(i));
    return value::of_list(std::move(out));
}

value distinct(resources& from, arguments in)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    std::vector<value> out;
    for (const auto& item : list_of(in[0]).items()) {
        if (is_error(item)) return item;
        if (std::none_of(out.begin(), out.end(), [&item](const value& each) { return is_equal(item, each); }))
            out.push_back(item);
    }
    return make_list(from, std::move(out));
}

value first(resources&, arguments in)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    const auto& items = list_of(in[0]).items();
    return items.empty() ? make_none() : make_optional(items.front());
}

value last(resources&, arguments in)
{
    if (!in[0].is(value_type::list)) return no_such_overload();
    const auto& items = list_of(in[0]).items();
    return items.empty() ? make_none() : make_optional(items.back());
}

constexpr function_entry list_entries[] = {
    {"isSorted", is_sorted, call_cost::traverse},
    {"sum", sum, call_cost::traverse},
    {"@sum_uint", sum_of_naturals, call_cost::traverse},
    {"@sum_double", sum_of_reals, call_cost::traverse},
    {"@sum_google.protobuf.Duration", sum_of_durations, call_cost::traverse},
    {"min", smallest, call_cost::traverse},
    {"max", largest, call_cost::traverse},
    {"includes", includes, call_cost::traverse},
    {"slice", slice, call_cost::make_list},
    {"flatten", flatten, call_cost::flatten},
    {"sort", sort, call_cost::distinct},
    {"@sortByAssociatedKeys", sort_by, call_cost::sort_by},
    {"lists.range", range, call_cost::make_list},
    {"distinct", distinct, call_cost::distinct},
    {"first", first},
    {"last", last},
};

bool has_all(const std::vector<value>& items, const std::vector<value>& wanted)
{
    return std::all_of(wanted.begin(), wanted.end(), [&items](const value& each) {
        return std::any_of(items.begin(), items.end(), [&each](const value& item) { return is_equal(item, each); });
    });
}

bool are_lists(arguments in) noexcept { return in[0].is(value_type::list) && in[1].is(value_type::list); }

value set_contains(resources&, arguments in)
{
    return are_lists(in) ? value(has_all(list_of(in[0]).items(), list_of(in[1]).items())) : no_such_overload();
}

value set_equivalent(resources&, arguments in)
{
    if (!are_lists(in)) return no_such_overload();
    const auto& a = list_of(in[0]).items();
    const auto& b = list_of(in[1]).items();
    return value(has_all(a, b) && has_all(b, a));
}

value set_intersects(resources&, arguments in)
{
    if (!are_lists(in)) return no_such_overload();
    const auto& wanted = list_of(in[1]).items();
    return value(std::any_of(wanted.begin(), wanted.end(),
                             [&in](const value& each) { return has_all(list_of(in[0]).items(), {each}); }));
}

constexpr function_entry set_entries[] = {
    {"sets.contains", set_contains, call_cost::sets},
    {"sets.equivalent", set_equivalent, call_cost::sets_equivalent},
    {"sets.intersects", set_intersects, call_cost::sets},
};

} // namespace

value list_index(resources&, arguments in)
{
    const auto& items = list_of(in[0]).items();
    const auto found =
        std::find_if(items.begin(), items.end(), [&in](const value& item) { return is_equal(item, in[1]); });
    return value::of_int(found == items.end() ? -1 : found - items.begin());
}

value last_list_index(resources&, arguments in)
{
    const auto& items = list_of(in[0]).items();
    const auto found =
        std::find_if(items.rbegin(), items.rend(), [&in](const value& item) { return is_equal(item, in[1]); });
    return value::of_int(items.rend() - found - 1);
}

value reversed_list(resources& from, arguments in)
{
    const auto& items = list_of(in[0]).items();
    return make_list(from, {items.rbegin(), items.rend()});
}

function_table list_functions() { return {list_entries}; }
function_table set_functions() { return {set_entries}; }

} // namespace kubecoro::cel::detail
