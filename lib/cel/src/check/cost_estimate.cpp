#include "check/call_estimate.hpp"
#include "check/checker.hpp"
#include "text/runes.hpp"

#include <map>
#include <utility>

namespace kubecoro::cel::detail {

namespace {

constexpr std::uint64_t make_list = 10;
constexpr std::uint64_t make_map = 30;

struct local_variable
{
    std::uint32_t name;
    value_trail trail;
    std::optional<size_range> size = {};
    std::optional<entry_sizes> entries = {};
};

class cost_estimator
{
public:
    cost_estimator(const tree& of, const checked& types, const schema_node& sized)
        : tree_(of), types_(types), sized_(sized), trails_(of.nodes.size())
    {
    }

    std::uint64_t cost(node_id id)
    {
        const node& at = tree_[id];
        const auto children = tree_.children_of(at);
        switch (at.kind) {
        case node_kind::literal:
            if (!tree_.literals[at.content].is(value_type::type)) return 0;
            trails_[id] = value_trail(tree_.literals[at.content].as_string());
            return 1;
        case node_kind::identifier:
            trails_[id] = trail(id);
            if (trails_[id].empty() && local(at.content) == nullptr) trails_[id] = value_trail(tree_.name_of(at));
            return 1;
        case node_kind::select:
            return select(id, at);
        case node_kind::presence:
        case node_kind::optional_item:
            return cost(children[0]);
        case node_kind::call:
            return call(id, at);
        case node_kind::list:
            return list(id, at);
        case node_kind::map:
            return map(id, at);
        case node_kind::both:
        case node_kind::either:
            return sum_of_costs(children);
        case node_kind::choice:
            return choice(id, at);
        case node_kind::comprehension:
            return at.macro == macro_kind::sort_by ? sort_by(id, at) : comprehension(id, at);
        case node_kind::optional_map:
            return optional_map(id, at);
        case node_kind::optional_or:
            return sum_of(sum_of_costs(children), 1);
        case node_kind::binding:
        case node_kind::message:
            break; // are in no checked expression
        }
        return 0;
    }

private:
    [[nodiscard]] const type& type_of(node_id id) const { return *types_.types[id]; }

    [[nodiscard]] const local_variable* local(std::uint32_t name) const
    {
        for (auto each = locals_.rbegin(); each != locals_.rend(); ++each)
            if (each->name == name) return &*each;
        return nullptr;
    }

    [[nodiscard]] value_trail trail(node_id id) const
    {
        if (tree_[id].kind == node_kind::identifier)
            if (const auto* found = local(tree_[id].content)) return found->trail;
        return trails_[id];
    }

    [[nodiscard]] std::optional<size_range> size_of_expression(const node& at) const
    {
        if (at.kind == node_kind::list) return size_range{at.children, at.children};
        if (at.kind == node_kind::map) return size_range{at.children / 2, at.children / 2};
        if (at.kind != node_kind::literal) return std::nullopt;
        const auto& literal = tree_.literals[at.content];
        if (literal.is(value_type::type)) return std::nullopt;
        std::uint64_t out = 1;
        if (literal.is(value_type::string)) out = count_runes(literal.as_string());
        if (literal.is(value_type::bytes)) out = literal.as_string().size();
        return size_range{out, out};
    }

    std::optional<size_range> size(node_id id)
    {
        const node& at = tree_[id];
        if (const auto found = sizes_.find(id); found != sizes_.end()) return found->second;
        if (const auto found = size_of_expression(at)) return found;
        if (const auto found = trail(id).size(sized_)) {
            sizes_.insert_or_assign(id, *found);
            return found;
        }
        if (is_scalar(type_of(id))) return size_range{1, 1};
        const auto* variable = at.kind == node_kind::identifier ? local(at.content) : nullptr;
        return variable != nullptr ? variable->size : std::nullopt;
    }
    size_range size_or_unknown(node_id id) { return size(id).value_or(size_range{}); }
    void set_size(node_id id, const std::optional<size_range>& to)
    {
        if (to) sizes_.insert_or_assign(id, *to);
    }

    [[nodiscard]] std::optional<entry_sizes> entries(node_id id) const
    {
        if (const auto found = entries_.find(id); found != entries_.end()) return found->second;
        const node& at = tree_[id];
        const auto* variable = at.kind == node_kind::identifier ? local(at.content) : nullptr;
        return variable != nullptr ? variable->entries : std::nullopt;
    }
    [[nodiscard]] static std::optional<entry_sizes> common(const std::optional<entry_sizes>& a,
                                                           const std::optional<entry_sizes>& b)
    {
        if (!a || !b) return std::nullopt;
        return entry_sizes{a->is_list, a->key.with(b->key), a->item.with(b->item)};
    }
    void set_entries(node_id id, const std::optional<entry_sizes>& to)
    {
        if (to) entries_.insert_or_assign(id, *to);
    }

    std::uint64_t sum_of_costs(std::span<const node_id> all)
    {
        std::uint64_t out = 0;
        for (const auto each : all) {
            out = sum_of(out, cost(each));
            static_cast<void>(size(each)); // keeps it: trails change
        }
        return out;
    }

    std::uint64_t select(node_id id, const node& at)
    {
        const auto operand = tree_.children_of(at)[0];
        const auto out = cost(operand);
        if (at.flag) return sum_of(out, 1);
        const auto kind = type_of(operand).kind;
        trails_[id] = trail(operand).below(tree_.name_of(at));
        return kind == type_kind::map || kind == type_kind::object ? sum_of(out, 1) : out;
    }

    call_operand operand(node_id id)
    {
        const node& at = tree_[id];
        return {types_.types[id], trail(id), size(id),
                at.kind == node_kind::literal ? &tree_.literals[at.content] : nullptr};
    }

    std::uint64_t call(node_id id, const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto& name = tree_.name_of(at);
        if (name == "dyn") {
            const auto out = cost(children[0]);
            set_size(id, size(children[0]));
            set_entries(id, entries(children[0]));
            return sum_of(out, 1);
        }
        std::vector<call_operand> operands(children.size());
        std::uint64_t out = 0;
        for (std::size_t i = at.flag ? 1 : 0; i < children.size(); ++i) {
            out = sum_of(out, cost(children[i]));
            operands[i] = operand(children[i]);
        }
        if (at.flag) {
            out = sum_of(out, cost(children[0]));
            operands[0] = operand(children[0]);
        }
        const auto overloads = types_.overloads.find(id);
        if (overloads == types_.overloads.end()) return 0;
        std::uint64_t own = 0;
        std::optional<size_range> made;
        for (const auto* overload : overloads->second) {
            const auto found = estimate_call(name, *overload, operands, sized_);
            own = std::max(own, found.cost);
            if (found.size) made = made ? made->with(*found.size) : *found.size;
            if (name == "_+_" && operands.size() == 2 && is_joined(overload->parameters[0]->kind))
                set_entries(id, common(entries(children[0]), entries(children[1])));
            if (name == "_[_]") made = index(id, children[0], overload->parameters[0]->kind, made);
            if (!made) made = size(id);
        }
        set_size(id, made);
        return sum_of(out, own);
    }

    static bool is_joined(type_kind kind) noexcept
    {
        return kind == type_kind::list || kind == type_kind::string || kind == type_kind::bytes;
    }

    std::optional<size_range> index(node_id id, node_id container, type_kind kind,
                                    const std::optional<size_range>& otherwise)
    {
        if (kind != type_kind::list && kind != type_kind::map) return otherwise;
        trails_[id] = trail(container).below(kind == type_kind::list ? "@items" : "@values");
        const auto inside = entries(container);
        return inside ? std::optional(inside->item) : std::nullopt;
    }

    std::uint64_t list(node_id id, const node& at)
    {
        std::uint64_t out = make_list;
        size_range items{at.children == 0 ? 0 : without_limit, 0};
        for (const auto child : tree_.children_of(at)) {
            out = sum_of(out, cost(child));
            items = items.with(item_size(child));
        }
        set_entries(id, entry_sizes{true, {1, 1}, items});
        return out;
    }

    /// An item that may be left out has the size of its value.
    size_range item_size(node_id id)
    {
        const node& at = tree_[id];
        return size_or_unknown(at.kind == node_kind::optional_item ? tree_.children_of(at)[0] : id);
    }

    std::uint64_t map(node_id id, const node& at)
    {
        std::uint64_t out = make_map;
        size_range keys{at.children == 0 ? 0 : without_limit, 0};
        size_range items = keys;
        const auto children = tree_.children_of(at);
        for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
            out = sum_of(sum_of(out, cost(children[i])), cost(children[i + 1]));
            keys = keys.with(size_or_unknown(children[i]));
            items = items.with(item_size(children[i + 1]));
        }
        set_entries(id, entry_sizes{false, keys, items});
        return out;
    }

    std::uint64_t choice(node_id id, const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto condition = cost(children[0]);
        const auto yes = cost(children[1]);
        const auto yes_size = size_or_unknown(children[1]);
        const auto no = cost(children[2]);
        set_entries(id, common(entries(children[1]), entries(children[2])));
        set_size(id, yes_size.with(size_or_unknown(children[2])));
        return sum_of(condition, std::max(yes, no));
    }

    /// Declares the variables of a comprehension.
    void enter(const node& at, const value_trail& range, const type& range_type,
               const std::optional<entry_sizes>& inside)
    {
        const bool is_list = inside ? inside->is_list : range_type.kind == type_kind::list;
        const auto key = inside ? std::optional(inside->key) : std::nullopt;
        const auto item = inside ? std::optional(inside->item) : std::nullopt;
        if (at.second_variable == 0) {
            locals_.push_back({at.variable, range.below(is_list ? "@items" : "@keys"), is_list ? item : key});
            return;
        }
        locals_.push_back({at.variable, range.below(is_list ? "@indices" : "@keys"), key});
        locals_.push_back({at.second_variable, range.below(is_list ? "@items" : "@values"), item});
    }

    /// The cost of one round, and its condition. The library's macros are calls of functions on an accumulator.
    std::uint64_t round(node_id id, const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto first = cost(children[1]);
        const bool is_map = at.macro == macro_kind::transform_map || at.macro == macro_kind::transform_map_entry;
        switch (at.macro) {
        case macro_kind::all:
            return sum_of(first, 3);
        case macro_kind::exists:
            return sum_of(first, 4);
        case macro_kind::exists_one:
            return sum_of(first, 2);
        case macro_kind::filter:
            set_made(id, local(at.variable)->size, at.variable);
            return sum_of(first, 3 + make_list);
        default:
            break;
        }
        const auto made = children[at.filtered ? 2 : 1];
        std::uint64_t out = at.filtered ? cost(made) : first;
        if (is_map)
            out = sum_of(out, at.macro == macro_kind::transform_map ? 3 : 2);
        else
            out = sum_of(out, 2 + make_list);
        if (!is_map) set_entries(id, entry_sizes{true, {1, 1}, size_range{0, 0}.with(size_or_unknown(made))});
        return at.filtered ? sum_of(out, first) : out;
    }

    void set_made(node_id id, const std::optional<size_range>& otherwise, std::uint32_t variable)
    {
        const auto* held = local(variable);
        auto item = held->trail.size(sized_);
        if (!item && is_scalar_item(id)) item = size_range{1, 1};
        if (!item) item = otherwise;
        set_entries(id, entry_sizes{true, {1, 1}, size_range{0, 0}.with(item.value_or(size_range{}))});
    }
    /// Whether the items of a list have a fixed size.
    [[nodiscard]] bool is_scalar_item(node_id id) const
    {
        const auto& list = type_of(id);
        return !list.parameters.empty() && is_scalar(*list.parameters[0]);
    }

    std::uint64_t comprehension(node_id id, const node& at)
    {
        const auto range = tree_.children_of(at)[0];
        auto out = cost(range);
        const bool is_map = at.macro == macro_kind::transform_map || at.macro == macro_kind::transform_map_entry;
        const bool is_test =
            at.macro == macro_kind::all || at.macro == macro_kind::exists || at.macro == macro_kind::exists_one;
        enter(at, trail(range), type_of(range), entries(range));
        const auto each = round(id, at);
        locals_.resize(locals_.size() - (at.second_variable == 0 ? 1 : 2));
        const auto count = size_or_unknown(range);
        out = sum_of(out, at.macro == macro_kind::exists_one ? 2 : 1);
        out = sum_of(out, is_test ? 0 : is_map ? make_map : make_list);
        set_size(id, is_test ? size_range{1, 1} : count);
        return sum_of(out, product_of(count.most, each));
    }

    /// `list.sortBy(x, key)`: binds the list, maps it to its keys, and sorts it by them.
    std::uint64_t sort_by(node_id id, const node& at)
    {
        const auto range = tree_.children_of(at)[0];
        auto out = sum_of(cost(range), make_list + 1);
        const auto list = trail(range);
        const auto bound = size(range);
        enter(at, list, type_of(range), entries(range));
        const auto key = cost(tree_.children_of(at)[1]);
        locals_.pop_back();
        const auto items = list.size(sized_).value_or(bound.value_or(size_range{}));
        out = sum_of(out, sum_of(2 + make_list, product_of(items.most, sum_of(key, 2 + make_list))));
        const std::vector<call_operand> operands{{}, {nullptr, {}, items, nullptr}};
        std::uint64_t own = 0;
        if (const auto overloads = types_.overloads.find(id); overloads != types_.overloads.end())
            for (const auto* overload : overloads->second)
                own = std::max(own, estimate_call("@sortByAssociatedKeys", *overload, operands, sized_).cost);
        set_size(id, items.times(items));
        return sum_of(out, own);
    }

    /// `a.optMap(x, b)`: `a.hasValue() ? optional.of(b with a.value() as x) : optional.none()`.
    std::uint64_t optional_map(node_id id, const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto receiver = sum_of(cost(children[0]), 1);
        const auto& wrapped = type_of(children[0]);
        local_variable held{at.variable, {}};
        if (wrapped.kind == type_kind::optional && is_scalar(*wrapped.parameters[0])) held.size = size_range{1, 1};
        locals_.push_back(std::move(held));
        const auto body = sum_of(cost(children[1]), make_list);
        const auto made = at.flag ? size_or_unknown(children[1]) : size_range{0, 0};
        locals_.pop_back();
        const auto none = is_scalar(type_of(id)) ? size_range{1, 1} : size_range{};
        set_size(id, at.flag ? made.with(none) : none);
        return sum_of(receiver, std::max<std::uint64_t>(sum_of(sum_of(receiver, body), at.flag ? 0 : 1), 1));
    }

    const tree& tree_;
    const checked& types_;
    const schema_node& sized_;
    std::vector<value_trail> trails_;
    std::map<node_id, size_range> sizes_;
    std::map<node_id, entry_sizes> entries_;
    std::vector<local_variable> locals_;
};

} // namespace

std::uint64_t estimated_cost(const tree& of, const checked& types, const schema_node& sized)
{
    return cost_estimator(of, types, sized).cost(of.root);
}

} // namespace kubecoro::cel::detail
