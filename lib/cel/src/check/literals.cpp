#include "check/checker.hpp"

#include "check/format_check.hpp"

#include <algorithm>

namespace kubecoro::cel::detail {

namespace {

/// The functions whose literals the server checks, and the operand that it looks at.
struct literal_check
{
    std::string_view function;
    std::size_t operand;
};

constexpr literal_check literal_checks[] = {{"duration", 0}, {"timestamp", 0}, {"matches", 1}};

class literal_checker
{
public:
    literal_checker(const tree& of, const std::vector<type_ref>& types) : tree_(of), types_(types) {}

    std::vector<compile_problem> run() &&
    {
        visit(tree_.root, false);
        std::stable_sort(out_.begin(), out_.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
        return std::move(out_);
    }

private:
    /// `in_format`: a list of items for a text may have items of any types.
    void visit(node_id id, bool in_format)
    {
        const node& at = tree_[id];
        const auto children = tree_.children_of(at);
        if (at.kind == node_kind::call && at.function != nullptr) {
            literals(at);
            if (at.function->name == "format") {
                in_format = true;
                format(at);
            }
        }
        if (at.kind == node_kind::list && !in_format) items(children, 0, 1);
        if (at.kind == node_kind::map && !in_format) {
            items(children, 0, 2);
            items(children, 1, 2);
        }
        for (const auto child : children) visit(child, in_format);
    }

    void literals(const node& call)
    {
        for (const auto& check : literal_checks) {
            if (call.function->name != check.function) continue;
            const auto children = tree_.children_of(call);
            if (children.size() <= check.operand || tree_[children[check.operand]].kind != node_kind::literal) continue;
            const auto& operand = tree_[children[check.operand]];
            if (!is_good(call, check, tree_.literals[operand.content]))
                out_.push_back({operand.at, "invalid " + std::string(check.function) + " argument"});
        }
    }

    static bool is_good(const node& call, const literal_check& check, const value& literal)
    {
        resources limits{1 << 20, nullptr, false};
        if (check.function == "matches") return compiled_pattern(limits, literal.as_string())->problem().empty();
        return !is_error(call.function->call(limits, {&literal, 1}));
    }

    type_ref type_at(node_id id) const
    {
        const auto& found = types_[id];
        const bool unwraps = tree_[id].kind == node_kind::optional_item && found->kind == type_kind::optional;
        return unwraps ? found->parameters[0] : found;
    }

    /// The items of a literal must have the type of the first one. The message names one that differs for a list, all for a map.
    void items(std::span<const node_id> children, std::size_t first, std::size_t step)
    {
        for (std::size_t i = first + step; i < children.size(); i += step) {
            const auto wanted = type_at(children[first]);
            const auto found = type_at(children[i]);
            if (is_exact(*wanted, *found)) continue;
            const auto& item = tree_[children[i]];
            const auto at = item.kind == node_kind::optional_item ? tree_[tree_.children_of(item)[0]].at : item.at;
            out_.push_back(
                {at, "expected type '" + write_short_type(*wanted) + "' but found '" + write_short_type(*found) + "'"});
            if (step == 1) return;
        }
    }

    format_operand operand(node_id id) const
    {
        const node& at = tree_[id];
        // An item that may be left out has the type that it is written with.
        if (at.kind == node_kind::optional_item) return operand(tree_.children_of(at)[0]);
        format_operand out{at.at, types_[id].get()};
        if (at.kind == node_kind::list || at.kind == node_kind::map)
            for (const auto child : tree_.children_of(at)) out.inner.push_back(operand(child));
        return out;
    }

    void format(const node& call)
    {
        const auto children = tree_.children_of(call);
        const auto& pattern = tree_[children[0]];
        const auto& list = tree_[children[1]];
        if (pattern.kind != node_kind::literal || list.kind != node_kind::list) return;
        std::vector<format_operand> operands;
        for (const auto child : tree_.children_of(list)) operands.push_back(operand(child));
        if (auto found = check_format(tree_.literals[pattern.content].as_string(), operands, call.at))
            out_.push_back(*std::move(found));
    }

    const tree& tree_;
    const std::vector<type_ref>& types_;
    std::vector<compile_problem> out_;
};

} // namespace

std::vector<compile_problem> check_literals(const tree& of, const std::vector<type_ref>& types)
{
    return literal_checker(of, types).run();
}

} // namespace kubecoro::cel::detail
