#include "eval/fold.hpp"

#include "eval/evaluator.hpp"

#include <algorithm>
#include <array>

namespace kubecoro::cel::detail {

namespace {

constexpr std::array<std::string_view, 10> folded_calls{"bool", "bytes",  "double",    "duration", "dyn",
                                                        "int",  "string", "timestamp", "type",     "uint"};
/// Bytes that all constants may occupy.
constexpr std::uint64_t most_bytes = 8 << 20;

class folder
{
public:
    explicit folder(tree& in) : tree_(in) {}

    std::string run() &&
    {
        // Children come before their parents.
        for (node_id id = 0; id < tree_.nodes.size(); ++id) {
            if (tree_[id].kind == node_kind::identifier)
                type_name(id);
            else if (tree_[id].kind == node_kind::call && tree_.name_of(tree_[id]) == "@in")
                membership(id);
            else if (may_fold(tree_[id]))
                fold(id);
        }
        return std::move(problem_);
    }

private:
    [[nodiscard]] bool is_literal(node_id id) const { return tree_[id].kind == node_kind::literal; }

    [[nodiscard]] bool may_fold(const node& of) const
    {
        const auto children = tree_.children_of(of);
        if (!std::all_of(children.begin(), children.end(), [this](node_id id) { return is_literal(id); })) return false;
        if (of.kind == node_kind::list || of.kind == node_kind::map) return true;
        return of.kind == node_kind::call && of.function != nullptr && children.size() == 1 &&
               std::find(folded_calls.begin(), folded_calls.end(), of.function->name) != folded_calls.end();
    }

    /// The name of a type, unless some variable has it.
    void type_name(node_id id)
    {
        const node& at = tree_[id];
        const bool is_variable = std::any_of(tree_.nodes.begin(), tree_.nodes.end(), [&at](const node& each) {
            return each.kind != node_kind::call && (each.variable == at.content || each.second_variable == at.content);
        });
        if (is_type_name(tree_.name_of(at)) && !is_variable) fold(id);
    }

    void set(node_id id, value constant)
    {
        auto& at = tree_.nodes[id];
        at.kind = node_kind::literal;
        at.children = 0;
        at.content = static_cast<std::uint32_t>(tree_.literals.size());
        tree_.literals.push_back(std::move(constant));
    }

    void fold(node_id id)
    {
        const auto former = tree_.root;
        tree_.root = id;
        evaluator run(tree_, none_, no_patterns_, most_bytes, bytes_);
        value constant = run.run();
        tree_.root = former;
        if (is_error(constant)) {
            if (tree_[id].kind == node_kind::call && problem_.empty()) problem_ = constant.as_string();
            return;
        }
        bytes_ = run.bytes_left();
        set(id, std::move(constant));
    }

    /// A list of constants in which something is looked up becomes a map, which costs nothing to search.
    void membership(node_id id)
    {
        const auto list = tree_.children_of(tree_[id])[1];
        if (!is_literal(list) || !tree_.literals[tree_[list].content].is(value_type::list)) return;
        const auto& items = list_of(tree_.literals[tree_[list].content]).items();
        if (items.empty()) return set(id, value(false));
        std::vector<map_entry> entries;
        for (const auto& item : items) {
            if (item.is(value_type::null) || item.type() > value_type::string) return;
            entries.push_back({item, value(true)});
        }
        tree_.nodes[id].variable = static_cast<std::uint32_t>(tree_.literals.size());
        tree_.literals.push_back(make_map(std::move(entries)));
    }

    tree& tree_;
    std::string problem_;
    variables none_;
    known_patterns no_patterns_;
    std::uint64_t bytes_ = most_bytes;
};

} // namespace

std::string fold_constants(tree& in) { return folder(in).run(); }

} // namespace kubecoro::cel::detail
