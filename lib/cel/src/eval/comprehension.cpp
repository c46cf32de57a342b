#include "eval/cost.hpp"
#include "eval/evaluator.hpp"
#include "values/compare.hpp"

#include <array>

namespace kubecoro::cel::detail {

namespace {

// Macros cost what the loops cost that cel-go makes of them: the accumulated value is read before a step and in it, and at the end.
constexpr std::uint64_t result_cost = 1;
constexpr std::uint64_t read_cost = 1;
constexpr std::uint64_t call_one = 1;
/// A step that adds an item: the accumulated list is read, a list of one item is made and added.
constexpr std::uint64_t item_cost = read_cost + list_cost + call_one;

/// The condition of the loop of `all` and `exists`, before each step.
constexpr std::uint64_t condition_cost(bool is_exists) { return is_exists ? 3 : 2; }

} // namespace

std::size_t evaluator::range_view::size() const
{
    return of.is(value_type::map) ? map_of(of).entries().size() : list_of(of).items().size();
}

map_entry evaluator::range_view::operator[](std::size_t place) const
{
    if (of.is(value_type::map)) return map_of(of).entries()[place];
    return {value::of_int(static_cast<std::int64_t>(place)), list_of(of).items()[place]};
}

void evaluator::enter(const node& of, const map_entry& entry)
{
    if (of.second_variable != 0) {
        scopes_.push_back({of.variable, entry.key});
        scopes_.push_back({of.second_variable, entry.item});
    } else {
        // The single variable is the item of a list, but the key of a map.
        scopes_.push_back({of.variable, of.flag ? entry.key : entry.item});
    }
}

void evaluator::leave(const node& of) noexcept
{
    scopes_.pop_back();
    if (of.second_variable != 0) scopes_.pop_back();
}

value evaluator::comprehension(const node& of)
{
    const value range = evaluate(tree_.children_of(of)[0]);
    if (is_error(range)) return range;
    if (!range.is(value_type::list) && !range.is(value_type::map)) return no_such_overload();
    if (of.macro == macro_kind::sort_by) return sort_by(of, range);
    const range_view entries{range};
    node with_keys = of;
    with_keys.flag = range.is(value_type::map);
    switch (of.macro) {
    case macro_kind::all:
    case macro_kind::exists:
        return quantifier(with_keys, entries);
    case macro_kind::exists_one:
        return count_one(with_keys, entries);
    case macro_kind::transform_map:
    case macro_kind::transform_map_entry:
        return transform_to_map(with_keys, entries);
    default:
        return transform(with_keys, entries);
    }
}

value evaluator::quantifier(const node& of, const range_view& range)
{
    const bool wanted = of.macro == macro_kind::exists;
    value failed;
    for (std::size_t i = 0; i < range.size(); ++i) {
        if (!charge(condition_cost(wanted) + read_cost)) return exhausted();
        enter(of, range[i]);
        value found = evaluate(tree_.children_of(of)[1]);
        leave(of);
        if (found.is(value_type::boolean)) {
            if (found.as_bool() != wanted) continue;
            if (!charge(result_cost + (i + 1 < range.size() ? condition_cost(wanted) : 0))) return exhausted();
            return found;
        }
        if (!is_error(failed)) failed = is_error(found) ? std::move(found) : no_such_overload();
    }
    if (!charge(result_cost)) return exhausted();
    return is_error(failed) ? failed : value(!wanted);
}

value evaluator::passes(node_id filter)
{
    value found = evaluate(filter);
    return found.is(value_type::boolean) || is_error(found) ? found : no_such_overload();
}

value evaluator::count_one(const node& of, const range_view& range)
{
    std::size_t count = 0;
    value failed;
    // A loop of cel-go goes on after a failure, which costs what it costs.
    for (std::size_t i = 0; i < range.size(); ++i) {
        const map_entry entry = range[i];
        enter(of, entry);
        value found = passes(tree_.children_of(of)[1]);
        leave(of);
        if (is_error(found) && !is_error(failed)) failed = found;
        if (found.as_bool() && !charge(read_cost + call_one)) return exhausted();
        count += found.as_bool() ? 1 : 0;
    }
    if (!charge(result_cost + call_one)) return exhausted();
    return is_error(failed) ? failed : value(count == 1);
}

value evaluator::transform(const node& of, const range_view& range)
{
    const auto children = tree_.children_of(of);
    const bool only_filters = of.macro == macro_kind::filter;
    std::vector<value> out;
    value failed;
    for (std::size_t i = 0; i < range.size(); ++i) {
        const map_entry entry = range[i];
        if (!resources_.take(item_bytes)) return exhausted();
        enter(of, entry);
        value found = only_filters || of.filtered ? passes(children[1]) : value(true);
        if (found.as_bool()) {
            const auto step = children[of.filtered ? 2 : 1];
            // A list of one constant is a constant itself.
            const bool is_constant = !only_filters && tree_[step].kind == node_kind::literal;
            if (!charge(is_constant ? item_cost - list_cost : item_cost + (only_filters ? read_cost : 0)))
                return exhausted();
            found = only_filters ? (of.flag ? entry.key : entry.item) : evaluate(step);
            if (!is_error(found)) out.push_back(found);
        }
        leave(of);
        if (is_error(found) && !is_error(failed)) failed = std::move(found);
    }
    if (!charge(result_cost)) return exhausted();
    return is_error(failed) ? failed : value::of_list(std::move(out));
}

value evaluator::transform_to_map(const node& of, const range_view& range)
{
    const auto children = tree_.children_of(of);
    std::map<std::string, std::size_t> places;
    std::vector<map_entry> out;
    const auto add = [&](const map_entry& made) {
        if (!places.emplace(made.key.to_text(), out.size()).second) return false;
        out.push_back(made);
        return true;
    };
    for (std::size_t i = 0; i < range.size(); ++i) {
        const map_entry entry = range[i];
        if (!resources_.take(2 * item_bytes)) return exhausted();
        enter(of, entry);
        const value kept = of.filtered ? passes(children[1]) : value(true);
        // The accumulated map is read and gets an entry, whose key may be read as well.
        const std::uint64_t cost = read_cost + call_one + (of.macro == macro_kind::transform_map ? read_cost : 0);
        if (kept.as_bool() && !charge(cost)) return exhausted();
        value made = kept.as_bool() ? evaluate(children[of.filtered ? 2 : 1]) : value{};
        leave(of);
        if (is_error(kept)) return kept;
        if (is_error(made)) return made;
        if (!kept.as_bool()) continue;
        if (of.macro == macro_kind::transform_map) {
            out.push_back({entry.key, std::move(made)});
            continue;
        }
        if (!made.is(value_type::map)) return no_such_overload();
        for (const auto& each : map_of(made).entries())
            if (!add(each)) return make_error("insert failed: key " + each.key.to_text() + " already exists");
    }
    return charge(result_cost) ? make_map(std::move(out)) : exhausted();
}

value evaluator::sort_by(const node& of, const value& range)
{
    if (!range.is(value_type::list)) return no_such_overload();
    // The list is read once for its keys, and once to be sorted.
    if (!charge(2 * read_cost)) return exhausted();
    const value keys = transform(of, {range});
    if (is_error(keys)) return keys;
    const auto* sort = find_function("@sortByAssociatedKeys");
    const std::array operands{range, keys};
    if (!charge(cost_before(*sort, operands))) return exhausted();
    return sort->call(resources_, operands);
}

} // namespace kubecoro::cel::detail
