#include "eval/evaluator.hpp"

#include "eval/cost.hpp"

#include <kubecoro/base/hash.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace kubecoro::cel::detail {

namespace {

constexpr std::array<std::string_view, 11> plain_types{"bool", "int", "uint",      "double", "string",       "bytes",
                                                       "list", "map", "null_type", "type",   "optional_type"};

bool is_key(const value& of) noexcept
{
    return of.is(value_type::string) || of.is(value_type::integer) || of.is(value_type::unsigned_integer) ||
           of.is(value_type::boolean);
}

} // namespace

bool is_type_name(std::string_view name) noexcept
{
    return std::find(plain_types.begin(), plain_types.end(), name) != plain_types.end();
}

bool evaluator::charge(std::uint64_t amount) noexcept
{
    cost_ += amount;
    if (cost_ > limit_) over_limit_ = true;
    return !over_limit_ && !resources_.exhausted;
}

value evaluator::exhausted() const
{
    if (!over_limit_) return make_exhausted();
    return value::made(value_type::error, 0, 0, "operation cancelled: actual cost limit exceeded", nullptr);
}

value evaluator::run()
{
    value out = evaluate(tree_.root);
    if (over_limit_ || resources_.exhausted) return exhausted();
    return out;
}

value evaluator::evaluate(node_id id)
{
    if (over_limit_ || resources_.exhausted) return exhausted();
    const node& of = tree_[id];
    switch (of.kind) {
    case node_kind::literal:
        return tree_.literals[of.content];
    case node_kind::identifier:
        return identifier(of);
    case node_kind::select:
        return select(of, id);
    case node_kind::presence:
        return presence(of);
    case node_kind::call:
        return call(of);
    case node_kind::list:
        return list(of);
    case node_kind::map:
        return map(of);
    case node_kind::optional_item:
        return evaluate(tree_.children_of(of)[0]);
    case node_kind::both:
        return logic(of, false);
    case node_kind::either:
        return logic(of, true);
    case node_kind::choice:
        return choice(of);
    case node_kind::comprehension:
        return comprehension(of);
    case node_kind::binding:
        return binding(of);
    case node_kind::optional_map:
        return optional_map(of);
    case node_kind::optional_or:
        return optional_or(of);
    case node_kind::message:
        return make_error("unknown type: " + tree_.name_of(of));
    }
    return {};
}

bool evaluator::is_access(const node& of) const
{
    if (of.kind != node_kind::call) return false;
    const auto& name = tree_.name_of(of);
    return name == "_[_]" || name == "_[?_]";
}

bool evaluator::is_attribute(node_id id) const
{
    const node& of = tree_[id];
    return of.kind == node_kind::identifier || of.kind == node_kind::select || of.kind == node_kind::choice ||
           is_access(of);
}

std::uint64_t evaluator::access_cost(node_id container, const value& found) const
{
    const bool is_missing = found.is(value_type::optional) && inside(found) == nullptr;
    return (is_attribute(container) ? 0 : 1) + (is_missing ? 0 : 1);
}

value evaluator::identifier(const node& of)
{
    if (!of.flag)
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (scope->name == of.content) {
                scope->is_read = true;
                return charge(1) ? scope->item : exhausted();
            }
    const auto& name = tree_.name_of(of);
    if (const auto found = named_.find(name); found != named_.end()) return charge(1) ? found->second : exhausted();
    const auto type = std::find(plain_types.begin(), plain_types.end(), name);
    if (type != plain_types.end()) return make_type(*type);
    return make_error("no such attribute(s): " + name);
}

value evaluator::select(const node& of, node_id id)
{
    if (has_dotted_names_)
        if (const auto found = named_.find(dotted_name(tree_, id)); found != named_.end()) return found->second;
    const auto child = tree_.children_of(of)[0];
    value operand = evaluate(child);
    if (is_error(operand)) return charge(is_attribute(child) ? 0 : 1) ? operand : exhausted();
    const value field = make_static(tree_.name_of(of));
    if (operand.is(value_type::list) && !of.flag) return no_such_overload();
    value out = of.flag ? optional_item_at(operand, field) : item_at(operand, field);
    return charge(access_cost(child, out)) ? out : exhausted();
}

value evaluator::presence(const node& of)
{
    const auto child = tree_.children_of(of)[0];
    const value operand = evaluate(child);
    if (is_error(operand)) return cost_ -= is_attribute(child) && cost_ > 0 ? 1 : 0, operand;
    const value* container = &operand;
    if (operand.is(value_type::optional)) {
        const value out = optional_item_at(operand, make_static(tree_.name_of(of)));
        if (is_error(out)) return out;
        // The look-up itself is free.
        return charge(access_cost(child, out)) ? (--cost_, value(inside(out) != nullptr)) : exhausted();
    }
    if (!charge(access_cost(child, operand) - 1)) return exhausted();
    if (container->is(value_type::list)) return no_such_overload();
    if (!container->is(value_type::map)) return value(false);
    const auto* found = map_of(*container).find(make_static(tree_.name_of(of)));
    return found != nullptr && is_error(*found) ? *found : value(found != nullptr);
}

bool evaluator::work(const function_entry& function, arguments in) noexcept
{
    const auto needed = work_of(function, in);
    if (needed > work_left_) resources_.exhausted = true;
    work_left_ -= std::min(needed, work_left_);
    return !resources_.exhausted;
}

value evaluator::access(const node& of)
{
    const auto children = tree_.children_of(of);
    std::array<value, 2> in{evaluate(children[0]), value()};
    // An empty optional has no items, so the key is not evaluated.
    if (in[0].is(value_type::optional) && inside(in[0]) == nullptr)
        return charge(access_cost(children[0], in[0])) ? in[0] : exhausted();
    in[1] = evaluate(children[1]);
    const auto failed = std::ranges::find_if(in, is_error);
    if (!work(*of.function, in)) return exhausted();
    value out = failed != in.end() ? *failed : of.function->call(resources_, in);
    const bool is_tried = failed == in.end() || (failed != in.begin() && of.function->name == "_[_]");
    if (!charge(access_cost(children[0], out) - (is_tried ? 0 : 1))) return exhausted();
    // A key that is looked up itself has paid for the access.
    if (is_attribute(children[1]) && tree_[children[1]].kind != node_kind::choice) --cost_;
    return out;
}

/// Whether a call of two arguments evaluates the second one although the first one has failed.
bool evaluator::evaluates_both(const node& of) const
{
    if (of.function == nullptr) return true;
    const auto second = tree_.children_of(of)[1];
    const bool has_pattern = of.function->cost == call_cost::match && tree_[second].kind == node_kind::literal;
    return !has_pattern && of.function->name != "format";
}

value evaluator::call(const node& of)
{
    const auto children = tree_.children_of(of);
    if (of.variable != 0) {
        // A list in which constants are looked up is not evaluated.
        value wanted = evaluate(children[0]);
        return is_error(wanted) ? wanted : value(map_of(tree_.literals[of.variable]).find(wanted) != nullptr);
    }
    if (is_access(of)) return access(of);
    constexpr std::size_t few = 4;
    std::array<value, few> operands;
    if (children.size() > few) return no_such_overload();
    const value* failed = nullptr;
    for (std::size_t i = 0; i < children.size(); ++i) {
        operands[i] = evaluate(children[i]);
        if (!is_error(operands[i])) continue;
        const bool is_last = i + 1 == children.size();
        if (!is_last && (children.size() > 2 || !evaluates_both(of))) return operands[i];
        if (failed == nullptr) failed = &operands[i];
    }
    if (of.function == nullptr)
        return failed != nullptr ? *failed : make_error("no such overload: " + tree_.name_of(of));
    // Once all arguments are evaluated a call has its cost, also for one that has failed.
    const arguments in(operands.data(), children.size());
    if (!work(*of.function, in) || !charge(cost_before(*of.function, in))) return exhausted();
    value out = failed != nullptr ? *failed : of.function->call(resources_, in);
    return charge(cost_after(*of.function, out)) ? out : exhausted();
}

value evaluator::list(const node& of)
{
    std::vector<value> items;
    for (const auto child : tree_.children_of(of)) {
        value item = evaluate(child);
        if (is_error(item)) return charge(list_cost) ? item : exhausted();
        if (tree_[child].kind == node_kind::optional_item) {
            if (!item.is(value_type::optional)) return no_such_overload();
            const auto* held = inside(item);
            if (held == nullptr) continue;
            item = value(*held);
        }
        items.push_back(std::move(item));
    }
    if (!charge(list_cost)) return exhausted();
    return make_list(resources_, std::move(items));
}

value evaluator::map(const node& of)
{
    const auto children = tree_.children_of(of);
    std::vector<map_entry> entries;
    std::unordered_map<std::string, std::size_t, kubecoro::detail::text_hash> places;
    for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
        value key = evaluate(children[i]);
        if (is_error(key)) return charge(map_cost) ? key : exhausted();
        value item = evaluate(children[i + 1]);
        if (is_error(item)) return charge(map_cost) ? item : exhausted();
        if (!is_key(key)) return make_error("unsupported key type: " + std::string(type_name(key)));
        if (tree_[children[i + 1]].kind == node_kind::optional_item) {
            if (!item.is(value_type::optional)) return no_such_overload();
            const auto* held = inside(item);
            if (held == nullptr) continue;
            item = value(*held);
        }
        // The last one counts.
        const auto [place, is_new] = places.emplace(key.to_text(), entries.size());
        if (is_new)
            entries.push_back({std::move(key), std::move(item)});
        else
            entries[place->second].item = std::move(item);
    }
    if (!charge(map_cost) || !resources_.take(2 * item_bytes * (entries.size() + 1))) return exhausted();
    return make_map(std::move(entries));
}

value evaluator::logic(const node& of, bool absorbing)
{
    value failed;
    for (const auto child : tree_.children_of(of)) {
        value operand = evaluate(child);
        if (operand.is(value_type::boolean)) {
            if (operand.as_bool() == absorbing) return operand;
        } else if (!is_error(failed)) {
            failed = is_error(operand) ? std::move(operand) : no_such_overload();
        }
    }
    return is_error(failed) ? failed : value(!absorbing);
}

value evaluator::choice(const node& of)
{
    const auto children = tree_.children_of(of);
    const value condition = evaluate(children[0]);
    if (is_error(condition)) return condition;
    if (!condition.is(value_type::boolean)) return no_such_overload();
    const auto chosen = children[condition.as_bool() ? 1 : 2];
    value out = evaluate(chosen);
    // A branch that only looks something up costs nothing for the name that it begins with.
    if (is_attribute(chosen) && tree_[chosen].kind != node_kind::choice) --cost_;
    return out;
}

value evaluator::binding(const node& of)
{
    const auto children = tree_.children_of(of);
    scopes_.push_back({of.variable, evaluate(children[0])});
    value out = evaluate(children[1]);
    scopes_.pop_back();
    return out;
}

value evaluator::optional_map(const node& of)
{
    const auto children = tree_.children_of(of);
    const auto before = cost_;
    const value operand = evaluate(children[0]);
    if (is_error(operand)) return operand;
    if (!operand.is(value_type::optional)) return no_such_overload();
    const auto* held = inside(operand);
    const auto operand_cost = cost_ - before;
    // cel-go makes hasValue() of it, and none() or value(). The latter evaluates the operand again, once the variable is read.
    if (!charge(held != nullptr ? 1 : 2)) return exhausted();
    if (held == nullptr) return operand;
    scopes_.push_back({of.variable, *held});
    value out = evaluate(children[1]);
    const bool is_read = scopes_.back().is_read;
    scopes_.pop_back();
    if (is_read && !charge(1 + operand_cost)) return exhausted();
    if (is_error(out) || of.flag) return out;
    return charge(1) && resources_.take(item_bytes) ? make_optional(std::move(out)) : exhausted();
}

value evaluator::optional_or(const node& of)
{
    const auto children = tree_.children_of(of);
    value operand = evaluate(children[0]);
    if (is_error(operand)) return operand;
    if (!operand.is(value_type::optional)) return no_such_overload();
    const auto* held = inside(operand);
    if (held == nullptr) {
        value other = evaluate(children[1]);
        return of.flag || is_error(other) || other.is(value_type::optional) ? other : no_such_overload();
    }
    return of.flag ? *held : operand;
}

} // namespace kubecoro::cel::detail
