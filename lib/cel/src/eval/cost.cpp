#include "eval/cost.hpp"

#include "library/named_formats.hpp"
#include "text/runes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kubecoro::cel::detail {

namespace {

/// The cost of reading a byte of a text, and of a byte of a regular expression.
constexpr double scan_factor = 0.1;
constexpr double expression_factor = 0.25;

std::uint64_t size_of(const value& from)
{
    switch (from.type()) {
    case value_type::string:
        return count_runes(from.as_string());
    case value_type::bytes:
        return from.as_string().size();
    case value_type::list:
        return list_of(from).items().size();
    case value_type::map:
        return map_of(from).size();
    case value_type::optional:
        return inside(from) != nullptr ? size_of(*inside(from)) : 1;
    case value_type::opaque:
        if (const auto* held = opaque_of(from, opaque_kind::cidr))
            return static_cast<std::uint64_t>((static_cast<const ip_data*>(held)->prefix + 7) / 8);
        if (const auto* held = opaque_of(from, opaque_kind::ip))
            return static_cast<const ip_data*>(held)->address.is_v6 ? 16 : 4;
        return 1;
    default:
        return 1;
    }
}

std::uint64_t scaled(double size, double factor) { return static_cast<std::uint64_t>(std::ceil(size * factor)); }
std::uint64_t scan(const value& from, double times = 1)
{
    return scaled(static_cast<double>(size_of(from)), times * scan_factor);
}

/// A product that stays within its type.
std::uint64_t product(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() / 2 : out;
}

/// All that is inside a value.
std::uint64_t traversal(const value& from)
{
    std::uint64_t out = 0;
    switch (from.type()) {
    case value_type::string:
    case value_type::bytes:
        return static_cast<std::uint64_t>(static_cast<double>(from.as_string().size()) * scan_factor);
    case value_type::list:
        for (const auto& item : list_of(from).items()) out += traversal(item);
        return out;
    case value_type::map:
        for (const auto& entry : map_of(from).entries()) out += traversal(entry.key) + traversal(entry.item);
        return out;
    default:
        return 1;
    }
}

constexpr std::uint64_t bytes_of_work = 16;
/// Larger values, which share their parts with themselves, are compared by nothing.
constexpr std::uint64_t largest_weight = 4'000'000;
constexpr std::uint64_t too_heavy = std::uint64_t{1} << 40;

/// Adds the number of values in a value, and a part for the bytes of its texts.
void add_weight(const value& from, std::uint64_t& out)
{
    if (out > largest_weight) return;
    out += 1;
    if (from.is(value_type::list)) {
        for (const auto& item : list_of(from).items()) add_weight(item, out);
    } else if (from.is(value_type::map)) {
        for (const auto& entry : map_of(from).entries()) {
            add_weight(entry.key, out);
            add_weight(entry.item, out);
        }
    } else if (from.is(value_type::optional)) {
        if (const auto* item = inside(from)) add_weight(*item, out);
    } else {
        out += from.as_string().size() / bytes_of_work;
    }
}

std::uint64_t weight(const value& from)
{
    std::uint64_t out = 0;
    add_weight(from, out);
    return out > largest_weight ? too_heavy : out;
}

bool is_text(const value& of) noexcept { return of.is(value_type::string) || of.is(value_type::bytes); }

/// Whether an operator is that of texts. A failure is what the other side is.
bool are_texts(arguments in) noexcept
{
    return (is_text(in[0]) && (is_text(in[1]) || is_error(in[1]))) || (is_error(in[0]) && is_text(in[1]));
}

std::uint64_t smaller_scan(arguments in)
{
    return scaled(static_cast<double>(std::min(size_of(in[0]), size_of(in[1]))), scan_factor);
}

std::uint64_t match(std::uint64_t text_size, std::uint64_t expression_size)
{
    return product(scaled(static_cast<double>(text_size) + 1, scan_factor),
                   scaled(static_cast<double>(expression_size), expression_factor));
}

/// The comparison of all items of a list with each other.
std::uint64_t self_comparison(const value& list)
{
    if (!list.is(value_type::list)) return 1;
    const auto& items = list_of(list).items();
    const double factor = !items.empty() && is_text(items.front()) ? 2 + scan_factor : 2;
    return list_cost + 1 +
           static_cast<std::uint64_t>(static_cast<double>(product(items.size(), items.size())) * factor);
}

std::uint64_t ip_cost(arguments in) { return scaled(2 * static_cast<double>(size_of(in[0])), scan_factor); }
/// The mask is applied, and its length compared, too.
std::uint64_t cidr_cost(arguments in) { return ip_cost(in) + scan(in[0]) + 1; }

} // namespace

std::uint64_t cost_before(const function_entry& of, arguments in)
{
    if (in.empty()) return 1;
    switch (of.cost) {
    case call_cost::one:
        return 1;
    case call_cost::scan:
        return in[0].is(value_type::opaque) ? 1 : scan(in[0]);
    case call_cost::scan_twice:
        return scan(in[0], 2);
    case call_cost::scan_second:
        return in.size() > 1 ? scan(in[1]) : 1;
    case call_cost::convert_text:
        return is_text(in[0]) && (of.name == "bytes") != in[0].is(value_type::bytes) &&
                       (of.name == "string") != in[0].is(value_type::string)
                   ? scan(in[0])
                   : 1;
    case call_cost::compare:
        return are_texts(in) ? smaller_scan(in) : 1;
    case call_cost::equality:
        return in[0].is(value_type::opaque) ? 1 : smaller_scan(in);
    case call_cost::concatenate:
        if (!are_texts(in)) return 1;
        return scaled(static_cast<double>(size_of(in[0]) + size_of(in[1])), scan_factor);
    case call_cost::membership:
        return in[1].is(value_type::list) ? size_of(in[1]) : 1;
    case call_cost::match:
        return in.size() > 1 ? match(size_of(in[0]), size_of(in[1])) : 1;
    case call_cost::search:
        return in.size() > 1 ? product(scan(in[0]), scan(in[1])) : 1;
    case call_cost::traverse:
        return traversal(in[0]);
    case call_cost::flatten: {
        const auto depth =
            in.size() > 1 && in[1].is(value_type::integer) ? std::max<std::int64_t>(in[1].as_int(), 1) : 1;
        return list_cost + 1 + product(size_of(in[0]), static_cast<std::uint64_t>(depth));
    }
    case call_cost::distinct:
        return self_comparison(in[0]);
    case call_cost::sort_by:
        return self_comparison(in[1]);
    case call_cost::contains_ip:
        return ip_cost(in);
    case call_cost::contains_cidr:
        return cidr_cost(in);
    case call_cost::contains_ip_text:
        return ip_cost(in) + scan(in[1]);
    case call_cost::contains_cidr_text:
        return cidr_cost(in) + scan(in[1]);
    case call_cost::validate:
        if (is_error(in[0])) return 1;
        return match(size_of(in[1]), format_expression_size(in[0]));
    case call_cost::sets:
        return 1 + product(size_of(in[0]), size_of(in[1]));
    case call_cost::sets_equivalent:
        return 1 + product(2, product(size_of(in[0]), size_of(in[1])));
    case call_cost::join:
    case call_cost::make_list:
        return 0;
    }
    return 1;
}

std::uint64_t work_of(const function_entry& of, arguments in) noexcept
{
    std::uint64_t out = 0;
    for (const auto& each : in)
        if (is_text(each)) out += each.as_string().size() / bytes_of_work;
    const auto count = [](const value& list) { return list.is(value_type::list) ? list_of(list).items().size() : 1; };
    switch (of.cost) {
    case call_cost::equality:
        return out + std::min(weight(in[0]), weight(in[1]));
    case call_cost::membership:
        return out + weight(in[1]);
    case call_cost::concatenate:
    case call_cost::traverse:
    case call_cost::join:
    case call_cost::make_list:
    case call_cost::flatten:
        return out + weight(in[0]);
    case call_cost::distinct:
        return out + product(count(in[0]), weight(in[0]));
    case call_cost::sets:
    case call_cost::sets_equivalent:
        return out + product(count(in[0]), weight(in[1])) + product(count(in[1]), weight(in[0]));
    default:
        return out;
    }
}

std::uint64_t cost_after(const function_entry& of, const value& result)
{
    if (of.cost == call_cost::join) return scan(result, 2);
    if (of.cost == call_cost::make_list) return list_cost + 1 + size_of(result);
    return 0;
}

} // namespace kubecoro::cel::detail
