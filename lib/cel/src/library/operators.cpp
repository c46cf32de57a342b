#include "library/functions.hpp"
#include "values/compare.hpp"

#include <kubecoro/base/hash.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace kubecoro::cel::detail {

namespace {

bool both(arguments from, value_type type) noexcept { return from[0].is(type) && from[1].is(type); }

value integer_overflow() { return make_error("integer overflow"); }
value natural_overflow() { return make_error("unsigned integer overflow"); }
value duration_overflow() { return make_error("duration overflow"); }
value timestamp_overflow() { return make_error("timestamp overflow"); }

constexpr std::int64_t second_length = 1'000'000'000;

/// A point in time some nanoseconds later.
value later(const value& time, std::int64_t nanoseconds)
{
    std::int64_t seconds = time.as_int() + nanoseconds / second_length;
    std::int64_t rest = time.nanoseconds() + nanoseconds % second_length;
    if (rest < 0 || rest >= second_length) {
        seconds += rest < 0 ? -1 : 1;
        rest += rest < 0 ? second_length : -second_length;
    }
    if (seconds < first_second || seconds > last_second) return timestamp_overflow();
    return value::made(value_type::timestamp, seconds, static_cast<std::int32_t>(rest), time.as_string(), time.held());
}

value negated_length(std::int64_t nanoseconds)
{
    return nanoseconds == std::numeric_limits<std::int64_t>::min() ? duration_overflow() : make_duration(-nanoseconds);
}

/// The sum of two lists: a set does not repeat items, and a list with keys replaces items in place.
value add_lists(resources& from, const value& a, const value& b)
{
    const auto& left = list_of(a);
    const auto& right = list_of(b).items();
    if (!from.take(item_bytes * (left.items().size() + right.size()))) return make_exhausted();
    std::vector<value> out = left.items();
    const auto order = left.schema != nullptr ? left.schema->order : list_order::atomic;
    if (order == list_order::atomic) {
        out.insert(out.end(), right.begin(), right.end());
        return value::of_list(std::move(out));
    }
    std::unordered_map<std::string, std::size_t, kubecoro::detail::text_hash> places;
    for (std::size_t i = 0; i < out.size(); ++i) places.emplace(list_identity(out[i], *left.schema), i);
    for (const auto& item : right) {
        const auto [place, is_new] = places.emplace(list_identity(item, *left.schema), out.size());
        if (is_new)
            out.push_back(item);
        else if (order == list_order::map)
            out[place->second] = item;
    }
    return value::made(value_type::list, 0, 0, {}, std::make_shared<const list_data>(std::move(out), left.schema));
}

value add_values(resources& from, arguments in)
{
    const value& a = in[0];
    const value& b = in[1];
    if (both(in, value_type::integer)) {
        std::int64_t out = 0;
        return __builtin_add_overflow(a.as_int(), b.as_int(), &out) ? integer_overflow() : value::of_int(out);
    }
    if (both(in, value_type::unsigned_integer)) {
        std::uint64_t out = 0;
        return __builtin_add_overflow(a.as_uint(), b.as_uint(), &out) ? natural_overflow() : value::of_uint(out);
    }
    if (both(in, value_type::real)) return value::of_double(a.as_double() + b.as_double());
    if (both(in, value_type::list)) return add_lists(from, a, b);
    if (both(in, value_type::duration)) {
        std::int64_t out = 0;
        return __builtin_add_overflow(a.as_int(), b.as_int(), &out) ? duration_overflow() : make_duration(out);
    }
    if (a.is(value_type::timestamp) && b.is(value_type::duration)) return later(a, b.as_int());
    if (a.is(value_type::duration) && b.is(value_type::timestamp)) return later(b, a.as_int());
    if (!both(in, value_type::string) && !both(in, value_type::bytes)) return no_such_overload();
    if (!from.take(item_bytes + a.as_string().size() + b.as_string().size())) return make_exhausted();
    std::string out(a.as_string());
    out += b.as_string();
    return a.is(value_type::bytes) ? make_bytes(std::move(out)) : value(std::move(out));
}

value subtract_values(resources&, arguments in)
{
    const value& a = in[0];
    const value& b = in[1];
    if (both(in, value_type::integer)) {
        std::int64_t out = 0;
        return __builtin_sub_overflow(a.as_int(), b.as_int(), &out) ? integer_overflow() : value::of_int(out);
    }
    if (both(in, value_type::unsigned_integer))
        return a.as_uint() < b.as_uint() ? natural_overflow() : value::of_uint(a.as_uint() - b.as_uint());
    if (both(in, value_type::real)) return value::of_double(a.as_double() - b.as_double());
    std::int64_t out = 0;
    if (both(in, value_type::duration))
        return __builtin_sub_overflow(a.as_int(), b.as_int(), &out) ? duration_overflow() : make_duration(out);
    if (a.is(value_type::timestamp) && b.is(value_type::duration)) {
        const value negated = negated_length(b.as_int());
        return is_error(negated) ? negated : later(a, negated.as_int());
    }
    if (both(in, value_type::timestamp)) {
        const std::int64_t rest = a.nanoseconds() - b.nanoseconds();
        if (__builtin_mul_overflow(a.as_int() - b.as_int(), second_length, &out) ||
            __builtin_add_overflow(out, rest, &out))
            return duration_overflow();
        return make_duration(out);
    }
    return no_such_overload();
}

value multiply(resources&, arguments in)
{
    if (both(in, value_type::integer)) {
        std::int64_t out = 0;
        return __builtin_mul_overflow(in[0].as_int(), in[1].as_int(), &out) ? integer_overflow() : value::of_int(out);
    }
    if (both(in, value_type::unsigned_integer)) {
        std::uint64_t out = 0;
        return __builtin_mul_overflow(in[0].as_uint(), in[1].as_uint(), &out) ? natural_overflow()
                                                                              : value::of_uint(out);
    }
    if (both(in, value_type::real)) return value::of_double(in[0].as_double() * in[1].as_double());
    return no_such_overload();
}

bool is_smallest_by_minus_one(arguments in) noexcept
{
    return in[0].as_int() == std::numeric_limits<std::int64_t>::min() && in[1].as_int() == -1;
}

value divide(resources&, arguments in)
{
    if (both(in, value_type::integer)) {
        if (in[1].as_int() == 0) return make_error("division by zero");
        return is_smallest_by_minus_one(in) ? integer_overflow() : value::of_int(in[0].as_int() / in[1].as_int());
    }
    if (both(in, value_type::unsigned_integer))
        return in[1].as_uint() == 0 ? make_error("division by zero")
                                    : value::of_uint(in[0].as_uint() / in[1].as_uint());
    if (both(in, value_type::real)) return value::of_double(in[0].as_double() / in[1].as_double());
    return no_such_overload();
}

value modulo(resources&, arguments in)
{
    if (both(in, value_type::integer)) {
        if (in[1].as_int() == 0) return make_error("modulus by zero");
        return is_smallest_by_minus_one(in) ? integer_overflow() : value::of_int(in[0].as_int() % in[1].as_int());
    }
    if (both(in, value_type::unsigned_integer))
        return in[1].as_uint() == 0 ? make_error("modulus by zero") : value::of_uint(in[0].as_uint() % in[1].as_uint());
    return no_such_overload();
}

value negate(resources&, arguments in)
{
    if (in[0].is(value_type::integer)) {
        if (in[0].as_int() == std::numeric_limits<std::int64_t>::min()) return integer_overflow();
        return value::of_int(-in[0].as_int());
    }
    if (in[0].is(value_type::real)) return value::of_double(-in[0].as_double());
    if (in[0].is(value_type::duration)) return negated_length(in[0].as_int());
    return no_such_overload();
}

value logical_not(resources&, arguments in)
{
    return in[0].is(value_type::boolean) ? value(!in[0].as_bool()) : no_such_overload();
}

value by_order(arguments in, order first, order second_order)
{
    const order found = compare(in[0], in[1]);
    if (found == order::none) return no_such_overload();
    if (found == order::unordered) return make_error("NaN values cannot be ordered");
    return value(found == first || found == second_order);
}

value less(resources&, arguments in) { return by_order(in, order::less, order::less); }
value less_or_equal(resources&, arguments in) { return by_order(in, order::less, order::equal); }
value greater(resources&, arguments in) { return by_order(in, order::greater, order::greater); }
value greater_or_equal(resources&, arguments in) { return by_order(in, order::greater, order::equal); }
value equals(resources&, arguments in) { return equal(in[0], in[1]); }

value differs(resources&, arguments in)
{
    value same = equal(in[0], in[1]);
    return is_error(same) ? same : value(!same.as_bool());
}

value contains_value(resources&, arguments in)
{
    if (in[1].is(value_type::map)) {
        const auto* found = map_of(in[1]).find(in[0]);
        if (found != nullptr && is_error(*found)) return *found;
        return value(found != nullptr);
    }
    if (!in[1].is(value_type::list)) return no_such_overload();
    value failed;
    for (const auto& item : list_of(in[1]).items()) {
        value same = equal(in[0], item);
        if (same.as_bool()) return same;
        if (is_error(same) && !is_error(failed)) failed = std::move(same);
    }
    return is_error(failed) ? failed : value(false);
}

value index(resources&, arguments in) { return item_at(in[0], in[1]); }
value optional_index(resources&, arguments in) { return optional_item_at(in[0], in[1]); }

std::string key_text(const value& key)
{
    if (key.is(value_type::string)) return std::string(key.as_string());
    std::string out = key.to_text();
    if (key.is(value_type::unsigned_integer)) out.pop_back();
    return out;
}

/// The position that a number names in a list. Doubles count if they are whole.
value list_position(const value& key)
{
    if (key.is(value_type::integer)) return key;
    if (key.is(value_type::unsigned_integer) && std::in_range<std::int64_t>(key.as_uint()))
        return value::of_int(static_cast<std::int64_t>(key.as_uint()));
    if (key.is(value_type::real) && key.as_double() == std::floor(key.as_double()) && std::abs(key.as_double()) < 9e15)
        return value::of_int(static_cast<std::int64_t>(key.as_double()));
    return make_error("unsupported index type '" + std::string(type_name(key)) + "' in list");
}

bool may_be_key(const value& key)
{
    return key.is(value_type::boolean) || key.is(value_type::integer) || key.is(value_type::unsigned_integer) ||
           key.is(value_type::real) || key.is(value_type::string);
}

constexpr function_entry operator_entries[] = {
    {"_+_", add_values, call_cost::concatenate},
    {"_-_", subtract_values},
    {"_*_", multiply},
    {"_/_", divide},
    {"_%_", modulo},
    {"-_", negate},
    {"!_", logical_not},
    {"_<_", less, call_cost::compare},
    {"_<=_", less_or_equal, call_cost::compare},
    {"_>_", greater, call_cost::compare},
    {"_>=_", greater_or_equal, call_cost::compare},
    {"_==_", equals, call_cost::equality},
    {"_!=_", differs, call_cost::equality},
    {"@in", contains_value, call_cost::membership},
    {"_[_]", index},
    {"_[?_]", optional_index},
};

} // namespace

value item_at(const value& container, const value& key)
{
    if (container.is(value_type::map)) {
        const auto* found = map_of(container).find(key);
        return found != nullptr ? *found : make_error("no such key: " + key_text(key));
    }
    if (container.is(value_type::list)) {
        value position = list_position(key);
        if (is_error(position)) return position;
        const auto& items = list_of(container).items();
        if (position.as_int() < 0 || std::cmp_greater_equal(position.as_int(), items.size()))
            return make_error("index out of bounds: " + std::to_string(position.as_int()));
        return items[static_cast<std::size_t>(position.as_int())];
    }
    if (container.is(value_type::optional)) return optional_item_at(container, key);
    return no_such_overload();
}

value optional_item_at(const value& container, const value& key)
{
    if (container.is(value_type::optional)) {
        const auto* item = inside(container);
        return item != nullptr ? optional_item_at(*item, key) : container;
    }
    if (container.is(value_type::map)) {
        const auto* found = map_of(container).find(key);
        if (found == nullptr) return may_be_key(key) ? make_none() : make_error("invalid qualifier type");
        return is_error(*found) ? *found : make_optional(*found);
    }
    if (!container.is(value_type::list)) return make_none();
    value item = item_at(container, key);
    if (!is_error(item)) return make_optional(std::move(item));
    return item.as_string().starts_with("index out of bounds") ? make_none() : item;
}

function_table operator_functions() { return {operator_entries}; }

} // namespace kubecoro::cel::detail
