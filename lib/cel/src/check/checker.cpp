#include "check/checker.hpp"

#include "text/escaping.hpp"

#include <algorithm>
#include <array>

namespace kubecoro::cel::detail {

namespace {

constexpr std::size_t most_problems = 100;

struct type_name_entry
{
    std::string_view name;
    std::string_view type;
};

constexpr std::array<type_name_entry, 11> type_identifiers{{{"bool", "bool"},
                                                            {"int", "int"},
                                                            {"uint", "uint"},
                                                            {"double", "double"},
                                                            {"string", "string"},
                                                            {"bytes", "bytes"},
                                                            {"list", "list<dyn>"},
                                                            {"map", "map<dyn,dyn>"},
                                                            {"null_type", "null"},
                                                            {"type", "type"},
                                                            {"optional_type", "optional<dyn>"}}};

type_kind literal_kind(const value& of)
{
    switch (of.type()) {
    case value_type::boolean:
        return type_kind::boolean;
    case value_type::integer:
        return type_kind::integer;
    case value_type::unsigned_integer:
        return type_kind::unsigned_integer;
    case value_type::real:
        return type_kind::real;
    case value_type::string:
        return type_kind::string;
    case value_type::bytes:
        return type_kind::bytes;
    case value_type::type:
        return type_kind::type;
    default:
        return type_kind::null;
    }
}

class type_checker
{
public:
    type_checker(const tree& of, const declared_types& variables) : tree_(of), variables_(variables)
    {
        out_.types.resize(of.nodes.size());
    }

    checked run() &&
    {
        of(tree_.root);
        for (auto& each : out_.types)
            if (each != nullptr) each = types_.resolved(each, true);
        std::stable_sort(out_.problems.begin(), out_.problems.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
        if (out_.problems.size() > most_problems) out_.problems.resize(most_problems);
        return std::move(out_);
    }

private:
    type_ref problem(std::size_t at, std::string words)
    {
        if (out_.problems.size() <= most_problems) out_.problems.push_back({at, std::move(words)});
        return error_;
    }

    type_ref undeclared(std::size_t at, std::string_view name)
    {
        return problem(at, "undeclared reference to '" + std::string(name) + "' (in container '')");
    }

    [[nodiscard]] std::string written(const type_ref& of) const { return write_short_type(*types_.resolved(of, true)); }

    type_ref mismatch(std::size_t at, const type_ref& wanted, const type_ref& found)
    {
        return problem(at, "expected type '" + written(wanted) + "' but found '" + written(found) + "'");
    }

    type_ref no_overload(std::size_t at, std::string_view function, std::span<const type_ref> operands, bool is_member)
    {
        std::string list;
        if (is_member) {
            list = written(operands[0]) + '.';
            operands = operands.subspan(1);
        }
        list += '(';
        for (std::size_t i = 0; i < operands.size(); ++i) list += (i > 0 ? ", " : "") + written(operands[i]);
        return problem(at, "found no matching overload for '" + std::string(function) + "' applied to '" + list + ")'");
    }

    type_ref of(node_id id)
    {
        if (out_.types[id] == nullptr) out_.types[id] = find(id);
        return out_.types[id];
    }

    type_ref find(node_id id)
    {
        const node& at = tree_[id];
        switch (at.kind) {
        case node_kind::literal:
            return literal(at);
        case node_kind::identifier:
            return identifier(at);
        case node_kind::select:
        case node_kind::presence:
            return select(at, id);
        case node_kind::call:
            return call(at);
        case node_kind::list:
            return list(at);
        case node_kind::map:
            return map(at);
        case node_kind::optional_item:
            return of(tree_.children_of(at)[0]);
        case node_kind::both:
        case node_kind::either:
            return logic(at);
        case node_kind::choice:
            return choice(at);
        case node_kind::comprehension:
            return comprehension(at);
        case node_kind::binding:
            return binding(at);
        case node_kind::optional_map:
            return optional_map(at);
        case node_kind::optional_or:
            return optional_or(at);
        case node_kind::message:
            return undeclared(at.at, tree_.name_of(at));
        }
        return error_;
    }

    type_ref literal(const node& at)
    {
        const auto& from = tree_.literals[at.content];
        if (from.is(value_type::type)) return type_type(parse_type(from.as_string()));
        return make_type_ref(literal_kind(from));
    }

    type_ref identifier(const node& at)
    {
        const auto& name = tree_.name_of(at);
        if (!at.flag)
            for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
                if (scope->first == at.content) return scope->second;
        if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
        for (const auto& each : type_identifiers)
            if (each.name == name) return type_type(parse_type(each.type));
        return undeclared(at.at, at.flag ? '.' + name : name);
    }

    type_ref field(const node& at, const type& target)
    {
        if (target.kind == type_kind::map) return target.parameters[1];
        const auto& name = tree_.name_of(at);
        if (target.kind == type_kind::object) {
            const auto plain = unescape_name(name);
            const auto* member = plain ? target.schema->member(*plain) : nullptr;
            if (member != nullptr && member->visible()) return type_of_schema(*member);
            return problem(at.at, "undefined field '" + name + "'");
        }
        if (target.kind == type_kind::opaque && target.name.starts_with("kubernetes."))
            return problem(at.at, "unexpected failed resolution of '" + target.name + "'");
        if (!is_dyn_or_error(target) && target.kind != type_kind::parameter)
            problem(at.at, "type '" + write_short_type(*types_.resolved(std::make_shared<const type>(target), true)) +
                               "' does not support field selection");
        return dyn_;
    }

    type_ref select(const node& at, node_id id)
    {
        if (at.kind == node_kind::select && !at.flag)
            if (const auto found = variables_.find(dotted_name(tree_, id)); found != variables_.end())
                return found->second;
        auto operand = types_.resolved(of(tree_.children_of(at)[0]), false);
        const bool is_optional = operand->kind == type_kind::optional;
        if (is_optional) operand = operand->parameters[0];
        if (operand->kind == type_kind::parameter) static_cast<void>(types_.fits(dyn_, operand));
        const auto found = field(at, *operand);
        if (at.kind == node_kind::presence) return boolean_;
        return is_optional || at.flag ? optional_type(found) : found;
    }

    /// The result of a call with operands of these types.
    type_ref resolve(const node& at, std::string_view name, std::vector<type_ref> operands, bool is_member)
    {
        type_ref result;
        for (const auto& overload : signatures_of(name)) {
            if (overload.is_member != is_member || overload.parameters.size() != operands.size()) continue;
            const auto made = types_.instantiate(overload);
            if (!types_.fits_all(operands, made.parameters)) continue;
            out_.overloads[static_cast<node_id>(&at - tree_.nodes.data())].push_back(&overload);
            auto found = types_.resolved(made.result, false);
            if (result == nullptr)
                result = std::move(found);
            else if (result->kind != type_kind::dyn && !is_exact(*found, *result))
                result = dyn_;
        }
        return result != nullptr ? result : no_overload(at.at, name, operands, is_member);
    }

    type_ref call(const node& at)
    {
        const auto& name = tree_.name_of(at);
        const auto children = tree_.children_of(at);
        // Operands come before the receiver, so that their problems do.
        for (std::size_t i = at.flag ? 1 : 0; i < children.size(); ++i) of(children[i]);
        std::vector<type_ref> operands;
        for (const auto child : children) operands.push_back(of(child));
        if (signatures_of(name).empty()) return undeclared(at.at, name);
        return resolve(at, name, std::move(operands), at.flag);
    }

    /// The type of an item, without the optional around one that may be left out.
    type_ref item_type(node_id id)
    {
        auto found = of(id);
        if (tree_[id].kind != node_kind::optional_item) return found;
        found = types_.resolved(found, false);
        if (found->kind == type_kind::optional) return found->parameters[0];
        if (found->kind != type_kind::dyn)
            mismatch(tree_[tree_.children_of(tree_[id])[0]].at, optional_type(found), found);
        return found;
    }

    /// The common type of the items of a literal. Items of different types are refused later: see check_literals().
    type_ref join(const type_ref& before, const type_ref& current)
    {
        if (before == nullptr) return current;
        return types_.fits(before, current) ? most_general(before, current) : dyn_;
    }

    type_ref list(const node& at)
    {
        type_ref items;
        for (const auto child : tree_.children_of(at)) items = join(items, item_type(child));
        return list_type(items != nullptr ? items : types_.fresh());
    }

    type_ref map(const node& at)
    {
        const auto children = tree_.children_of(at);
        type_ref keys;
        type_ref items;
        for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
            keys = join(keys, of(children[i]));
            items = join(items, item_type(children[i + 1]));
        }
        if (keys == nullptr) return map_type(types_.fresh(), types_.fresh());
        return map_type(keys, items);
    }

    void require_bool(node_id id)
    {
        const auto found = of(id);
        if (!types_.fits(found, boolean_)) mismatch(tree_[id].at, boolean_, found);
    }

    type_ref logic(const node& at)
    {
        for (const auto child : tree_.children_of(at)) require_bool(child);
        return boolean_;
    }

    type_ref choose(std::size_t at, const type_ref& condition, const type_ref& yes, const type_ref& no)
    {
        const std::array<type_ref, 3> operands{condition, yes, no};
        const auto common = types_.fresh();
        const std::array<type_ref, 3> wanted{boolean_, common, common};
        if (types_.fits_all(operands, wanted)) return types_.resolved(common, false);
        return no_overload(at, "_?_:_", operands, false);
    }

    type_ref choice(const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto condition = of(children[0]);
        const auto yes = of(children[1]);
        return choose(at.at, condition, yes, of(children[2]));
    }

    type_ref with_variable(std::uint32_t variable, type_ref type, node_id id)
    {
        scopes_.emplace_back(variable, std::move(type));
        auto out = of(id);
        scopes_.pop_back();
        return out;
    }

    type_ref binding(const node& at)
    {
        const auto children = tree_.children_of(at);
        return with_variable(at.variable, of(children[0]), children[1]);
    }

    /// The type inside an optional; the problem of a call that needs one otherwise.
    type_ref inside_optional(const node& at, node_id id, std::string_view function)
    {
        const auto found = of(id);
        const auto inner = types_.fresh();
        if (types_.fits(found, optional_type(inner))) return types_.resolved(inner, false);
        return no_overload(at.at, function, std::array{found}, true);
    }

    type_ref optional_map(const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto inner = inside_optional(at, children[0], "hasValue");
        auto found = with_variable(at.variable, inner, children[1]);
        if (!at.flag) return optional_type(found);
        return choose(at.at, boolean_, found, optional_type(types_.fresh()));
    }

    type_ref optional_or(const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto other = of(children[1]);
        return resolve(at, at.flag ? "orValue" : "or", {of(children[0]), other}, true);
    }

    /// Declares the variables of a comprehension.
    void enter(const node& at, const type_ref& range)
    {
        type_ref first = dyn_;
        type_ref second = dyn_;
        if (range->kind == type_kind::list) {
            first = at.second_variable != 0 ? make_type_ref(type_kind::integer) : range->parameters[0];
            second = range->parameters[0];
        } else if (range->kind == type_kind::map) {
            first = range->parameters[0];
            second = range->parameters[1];
        } else if (is_dyn_or_error(*range) || range->kind == type_kind::parameter) {
            static_cast<void>(types_.fits(dyn_, range));
        } else {
            problem(tree_[tree_.children_of(at)[0]].at,
                    "expression of type '" + written(range) +
                        "' cannot be range of a comprehension (must be list, map, or dynamic)");
            first = second = error_;
        }
        scopes_.emplace_back(at.variable, first);
        if (at.second_variable != 0) scopes_.emplace_back(at.second_variable, second);
    }

    type_ref comprehension(const node& at)
    {
        const auto children = tree_.children_of(at);
        const auto range = types_.resolved(of(children[0]), false);
        enter(at, range);
        const auto item = scopes_.back().second;
        const auto out = steps(at, range, item);
        scopes_.pop_back();
        if (at.second_variable != 0) scopes_.pop_back();
        return out;
    }

    type_ref steps(const node& at, const type_ref& range, const type_ref& item)
    {
        const auto children = tree_.children_of(at);
        switch (at.macro) {
        case macro_kind::all:
        case macro_kind::exists:
            require_bool(children[1]);
            return boolean_;
        case macro_kind::exists_one: {
            const auto integer = make_type_ref(type_kind::integer);
            choose(at.at, of(children[1]), integer, integer);
            return boolean_;
        }
        case macro_kind::filter: {
            const auto out = list_type(item);
            choose(at.at, of(children[1]), out, out);
            return out;
        }
        case macro_kind::sort_by: {
            auto keys = list_type(of(children[1]));
            return resolve(at, "@sortByAssociatedKeys", {range, std::move(keys)}, true);
        }
        default:
            break;
        }
        const auto filter = at.filtered ? of(children[1]) : nullptr;
        const auto made = of(children[at.filtered ? 2 : 1]);
        auto out = list_type(made);
        if (at.macro == macro_kind::transform_map) {
            out = map_type(range->kind == type_kind::map    ? range->parameters[0]
                           : range->kind == type_kind::list ? make_type_ref(type_kind::integer)
                                                            : dyn_,
                           made);
        } else if (at.macro == macro_kind::transform_map_entry) {
            out = map_type(types_.fresh(), types_.fresh());
            if (!types_.fits(out, made)) return no_overload(at.at, "cel.@mapInsert", std::array{out, made}, false);
            out = types_.resolved(out, false);
        }
        return filter != nullptr ? choose(at.at, filter, out, out) : out;
    }

    const tree& tree_;
    const declared_types& variables_;
    inference types_;
    checked out_;
    std::vector<std::pair<std::uint32_t, type_ref>> scopes_;
    type_ref dyn_ = make_type_ref(type_kind::dyn);
    type_ref error_ = make_type_ref(type_kind::error);
    type_ref boolean_ = make_type_ref(type_kind::boolean);
};

} // namespace

checked check(const tree& of, const declared_types& variables) { return type_checker(of, variables).run(); }

} // namespace kubecoro::cel::detail
