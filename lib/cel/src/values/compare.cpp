#include "values/compare.hpp"

#include "text/escaping.hpp"
#include "values/make.hpp"

#include <kubecoro/base/hash.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace kubecoro::cel::detail {

namespace {

template<class T>
order order_of(const T& a, const T& b) noexcept
{
    return a < b ? order::less : b < a ? order::greater : order::equal;
}

order reversed(order of) noexcept
{
    return of == order::less ? order::greater : of == order::greater ? order::less : of;
}

bool is_number(const value& of) noexcept
{
    return of.is(value_type::integer) || of.is(value_type::unsigned_integer) || of.is(value_type::real);
}

order compare_real_int(double a, std::int64_t b) noexcept
{
    if (std::isnan(a)) return order::unordered;
    if (a < -0x1p63) return order::less;
    if (a > 0x1p63) return order::greater;
    return order_of(a, static_cast<double>(b));
}

order compare_real_uint(double a, std::uint64_t b) noexcept
{
    if (std::isnan(a)) return order::unordered;
    if (a < 0) return order::less;
    if (a > 0x1p64) return order::greater;
    return order_of(a, static_cast<double>(b));
}

order compare_numbers(const value& a, const value& b) noexcept
{
    if (a.is(value_type::real)) {
        if (b.is(value_type::integer)) return compare_real_int(a.as_double(), b.as_int());
        if (b.is(value_type::unsigned_integer)) return compare_real_uint(a.as_double(), b.as_uint());
        if (std::isnan(a.as_double()) || std::isnan(b.as_double())) return order::unordered;
        return order_of(a.as_double(), b.as_double());
    }
    if (b.is(value_type::real)) return reversed(compare_numbers(b, a));
    if (a.is(value_type::integer)) {
        if (b.is(value_type::integer)) return order_of(a.as_int(), b.as_int());
        return std::cmp_less(a.as_int(), b.as_uint())      ? order::less
               : std::cmp_greater(a.as_int(), b.as_uint()) ? order::greater
                                                           : order::equal;
    }
    if (b.is(value_type::integer)) return reversed(compare_numbers(b, a));
    return order_of(a.as_uint(), b.as_uint());
}

value equal_in_order(const std::vector<value>& a, const std::vector<value>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        if (auto same = equal(a[i], b[i]); !same.as_bool()) return same;
    return value(true);
}

using indexed_items = std::unordered_map<std::string, const value*, kubecoro::detail::text_hash>;

indexed_items index_items(const std::vector<value>& items, const schema_node& schema)
{
    indexed_items out;
    for (const auto& item : items) out.emplace(list_identity(item, schema), &item);
    return out;
}

/// Equality of lists whose items differ by a key, or by themselves: their order does not count.
value equal_by_identity(const list_data& a, const list_data& b)
{
    const auto left = index_items(a.items(), *a.schema);
    std::unordered_set<std::string, kubecoro::detail::text_hash> seen;
    for (const auto& item : b.items()) {
        auto identity = list_identity(item, *a.schema);
        const auto found = left.find(identity);
        if (found == left.end()) return value(false);
        if (auto same = equal(*found->second, item); !same.as_bool()) return same;
        seen.insert(std::move(identity));
    }
    return value(seen.size() == left.size());
}

value equal_lists(const list_data& a, const list_data& b)
{
    const auto& left = a.items();
    const auto& right = b.items();
    if (left.size() != right.size()) return value(false);
    if (a.schema != nullptr && a.schema->order != list_order::atomic) return equal_by_identity(a, b);
    return equal_in_order(left, right);
}

boost::json::value json_of(const source& from) { return from.json != nullptr ? *from.json : from.view.to_json(); }

/// Whether members that expressions cannot see are the same where both maps have them.
bool equal_hidden(const map_data& a, const map_data& b)
{
    const std::map<std::string_view, source> others(b.hidden().begin(), b.hidden().end());
    return std::ranges::all_of(a.hidden(), [&others](const auto& member) {
        const auto found = others.find(member.first);
        return found == others.end() || json_of(member.second) == json_of(found->second);
    });
}

value equal_maps(const map_data& a, const map_data& b)
{
    if (a.size() != b.size()) return value(false);
    for (const auto& entry : a.entries()) {
        const auto* other = b.find(entry.key);
        if (other == nullptr) return value(false);
        if (auto same = equal(entry.item, *other); !same.as_bool()) return same;
    }
    return value(equal_hidden(a, b));
}

bool equal_opaque(const opaque_data& a, const opaque_data& b)
{
    const auto as = [&]<class T>(const T*, auto compared) {
        return compared(static_cast<const T&>(a), static_cast<const T&>(b));
    };
    switch (a.kind) {
    case opaque_kind::ip:
    case opaque_kind::cidr:
        return as(static_cast<const ip_data*>(nullptr),
                  [](const auto& x, const auto& y) { return x.address == y.address && x.prefix == y.prefix; });
    case opaque_kind::url:
        return as(static_cast<const url_data*>(nullptr), [](const auto& x, const auto& y) { return x.text == y.text; });
    case opaque_kind::quantity:
        return as(static_cast<const quantity_data*>(nullptr),
                  [](const auto& x, const auto& y) { return x.amount == y.amount; });
    case opaque_kind::semver:
        return as(static_cast<const semver_data*>(nullptr),
                  [](const auto& x, const auto& y) { return x.numbers == y.numbers && x.prerelease == y.prerelease; });
    case opaque_kind::format:
        return as(static_cast<const format_data*>(nullptr),
                  [](const auto& x, const auto& y) { return x.index == y.index; });
    case opaque_kind::preserved:
        return as(static_cast<const preserved_data*>(nullptr),
                  [](const auto& x, const auto& y) { return json_of(x.from) == json_of(y.from); });
    }
    return false;
}

value equal_optionals(const value& a, const value& b)
{
    const auto* left = inside(a);
    const auto* right = inside(b);
    if (left == nullptr || right == nullptr) return value(left == right);
    return equal(*left, *right);
}

} // namespace

value equal(const value& a, const value& b)
{
    if (is_error(a)) return a;
    if (is_error(b)) return b;
    if (is_number(a) && is_number(b)) return value(compare_numbers(a, b) == order::equal);
    if (a.type() != b.type())
        return a.is(value_type::opaque) && !b.is(value_type::null) ? no_such_overload() : value(false);
    switch (a.type()) {
    case value_type::null:
        return value(true);
    case value_type::boolean:
        return value(a.as_bool() == b.as_bool());
    case value_type::list:
        return equal_lists(list_of(a), list_of(b));
    case value_type::map:
        return equal_maps(map_of(a), map_of(b));
    case value_type::timestamp:
    case value_type::duration:
        return value(a.as_int() == b.as_int() && a.nanoseconds() == b.nanoseconds());
    case value_type::optional:
        return equal_optionals(a, b);
    case value_type::opaque: {
        const auto& left = static_cast<const opaque_data&>(*a.held());
        const auto& right = static_cast<const opaque_data&>(*b.held());
        return left.kind == right.kind ? value(equal_opaque(left, right)) : no_such_overload();
    }
    default:
        return value(a.as_string() == b.as_string());
    }
}

std::string list_identity(const value& item, const schema_node& schema)
{
    if (schema.order == list_order::set || !item.is(value_type::map)) return item.to_text();
    std::string out;
    const auto& members = map_of(item);
    for (const auto& key : schema.keys) {
        const auto escaped = escape_name(key);
        const auto* found = escaped ? members.find(make_static(*escaped)) : nullptr;
        if (found != nullptr) out += found->to_text();
        for (const auto& [name, hidden] : members.hidden())
            if (found == nullptr && name == key) out += make_from(hidden, nullptr).to_text();
        out += '\0';
    }
    return out;
}

bool is_equal(const value& a, const value& b) { return equal(a, b).as_bool(); }

bool same_key(const value& a, const value& b) noexcept
{
    if (is_number(a) && is_number(b)) return compare_numbers(a, b) == order::equal;
    if (a.type() != b.type()) return false;
    return a.is(value_type::boolean) ? a.as_bool() == b.as_bool() : a.as_string() == b.as_string();
}

order compare(const value& a, const value& b) noexcept
{
    if (is_number(a) && is_number(b)) return compare_numbers(a, b);
    if (a.type() != b.type()) return order::none;
    switch (a.type()) {
    case value_type::boolean:
        return order_of(a.as_bool(), b.as_bool());
    case value_type::string:
    case value_type::bytes:
        return order_of(a.as_string(), b.as_string());
    case value_type::duration:
        return order_of(a.as_int(), b.as_int());
    case value_type::timestamp:
        return order_of(std::pair(a.as_int(), a.nanoseconds()), std::pair(b.as_int(), b.nanoseconds()));
    default:
        return order::none;
    }
}

} // namespace kubecoro::cel::detail
