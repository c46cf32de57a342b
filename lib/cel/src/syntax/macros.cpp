#include "syntax/tree_builder.hpp"

#include <algorithm>

namespace kubecoro::cel::detail {

namespace {

struct comprehension_macro
{
    std::string_view name;
    macro_kind kind;
    /// One or two.
    std::size_t variables;
    bool may_filter;
};

constexpr comprehension_macro comprehension_macros[] = {
    {"all", macro_kind::all, 1, false},
    {"exists", macro_kind::exists, 1, false},
    {"exists_one", macro_kind::exists_one, 1, false},
    {"map", macro_kind::map, 1, true},
    {"filter", macro_kind::filter, 1, false},
    {"sortBy", macro_kind::sort_by, 1, false},
    {"all", macro_kind::all, 2, false},
    {"exists", macro_kind::exists, 2, false},
    {"existsOne", macro_kind::exists_one, 2, false},
    {"exists_one", macro_kind::exists_one, 2, false},
    {"transformList", macro_kind::transform_list, 2, true},
    {"transformMap", macro_kind::transform_map, 2, true},
    {"transformMapEntry", macro_kind::transform_map_entry, 2, true},
};

class macro_expander
{
public:
    macro_expander(tree_builder& in, std::size_t at, std::span<const node_id> operands)
        : in_(in), at_(at), operands_(operands)
    {
    }

    node_id presence()
    {
        const auto& operand = in_.at(operands_[0]);
        if (operand.kind != node_kind::select || operand.flag)
            return in_.fail(operand.at, "invalid argument to has() macro");
        const auto field = operand.content;
        const auto id = in_.make(node_kind::presence, at_, {in_.so_far().children_of(operand)[0]});
        if (!in_.failed()) in_.at(id).content = field;
        return id;
    }

    node_id comprehension(const comprehension_macro& macro, node_id range)
    {
        makes_list_ =
            macro.kind == macro_kind::map || macro.kind == macro_kind::filter || macro.kind == macro_kind::sort_by;
        const auto first = variable(0);
        const auto second = macro.variables > 1 ? variable(1) : 0;
        if (!in_.failed() && first == second)
            return in_.fail(in_.at(operands_[1]).at, "duplicate variable name: " + in_.so_far().names[first]);
        const auto steps = operands_.subspan(macro.variables);
        std::vector<node_id> children{range};
        children.insert(children.end(), steps.begin(), steps.end());
        const auto id = in_.make(node_kind::comprehension, at_, children);
        if (in_.failed()) return 0;
        auto& made = in_.at(id);
        made.macro = macro.kind;
        made.variable = first;
        made.second_variable = second;
        made.filtered = steps.size() > 1;
        return id;
    }

    node_id optional_map(node_id receiver, bool is_flat)
    {
        const auto first = variable(0);
        const auto id = in_.make(node_kind::optional_map, at_, {receiver, operands_[1]});
        if (in_.failed()) return 0;
        in_.at(id).variable = first;
        in_.at(id).flag = is_flat;
        return id;
    }

    node_id binding()
    {
        const auto first = variable(0);
        const auto id = in_.make(node_kind::binding, at_, {operands_[1], operands_[2]});
        if (!in_.failed()) in_.at(id).variable = first;
        return id;
    }

private:
    std::uint32_t variable(std::size_t place)
    {
        const auto& operand = in_.at(operands_[place]);
        if (operand.kind != node_kind::identifier) {
            in_.fail(operand.at, makes_list_ ? "argument is not an identifier" : "argument must be a simple name");
            return 0;
        }
        if (in_.so_far().name_of(operand) == "__result__")
            in_.fail(operand.at, "iteration variable overwrites accumulator variable");
        return operand.content;
    }

    tree_builder& in_;
    std::size_t at_;
    std::span<const node_id> operands_;
    bool makes_list_ = false;
};

} // namespace

std::optional<node_id> expand_macro(tree_builder& in, std::size_t at, std::string_view name,
                                    std::optional<node_id> receiver, std::span<const node_id> operands, bool has_bind)
{
    macro_expander expander(in, at, operands);
    if (in.failed()) return std::nullopt;
    if (!receiver) {
        if (name == "has" && operands.size() == 1) return expander.presence();
        return std::nullopt;
    }
    for (const auto& macro : comprehension_macros) {
        const auto usual = macro.variables + 1;
        if (macro.name == name && (operands.size() == usual || (macro.may_filter && operands.size() == usual + 1)))
            return expander.comprehension(macro, *receiver);
    }
    if ((name == "optMap" || name == "optFlatMap") && operands.size() == 2)
        return expander.optional_map(*receiver, name == "optFlatMap");
    if ((name == "or" || name == "orValue") && operands.size() == 1) {
        const auto id = in.make(node_kind::optional_or, at, {*receiver, operands[0]});
        if (!in.failed()) in.at(id).flag = name == "orValue";
        return id;
    }
    if (has_bind && name == "bind" && operands.size() == 3 && dotted_name(in.so_far(), *receiver) == "cel")
        return expander.binding();
    return std::nullopt;
}

} // namespace kubecoro::cel::detail
