// Trees to values.
#pragma once

#include "syntax/ast.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::cel::detail {

/// The variables of an evaluation by name.
using variables = std::map<std::string, value, std::less<>>;

/// Whether a name means a type unless it is that of a variable.
[[nodiscard]] bool is_type_name(std::string_view name) noexcept;

/// The values that one evaluation may compare, and sixteenths of the bytes that it may read: a second or two.
inline constexpr std::uint64_t most_work = 20'000'000;

/** One evaluation of a tree.

    Cost is counted as a kube-apiserver counts it. An evaluation that reaches its limit, or that of its memory, ends:
    nothing absorbs that failure. */
class evaluator
{
public:
    evaluator(const tree& of, const variables& named, const known_patterns& patterns, std::uint64_t cost_limit,
              std::uint64_t byte_limit)
        : tree_(of), named_(named), resources_{byte_limit, &patterns, false}, limit_(cost_limit)
    {
        for (const auto& [name, bound] : named_)
            has_dotted_names_ = has_dotted_names_ || name.find('.') != std::string::npos;
    }

    /// The value of the tree, or an error.
    [[nodiscard]] value run();
    /// The cost so far.
    [[nodiscard]] std::uint64_t cost() const noexcept { return cost_; }
    /// The bytes that it may still use.
    [[nodiscard]] std::uint64_t bytes_left() const noexcept { return resources_.bytes; }

private:
    /// The keys and items that a comprehension goes through: of a list, indices and items.
    struct range_view
    {
        const value& of;
        [[nodiscard]] std::size_t size() const;
        [[nodiscard]] map_entry operator[](std::size_t place) const;
    };

    [[nodiscard]] value evaluate(node_id id);
    [[nodiscard]] value identifier(const node& of);
    [[nodiscard]] value select(const node& of, node_id id);
    [[nodiscard]] value presence(const node& of);
    [[nodiscard]] value call(const node& of);
    [[nodiscard]] value access(const node& of);
    [[nodiscard]] bool evaluates_both(const node& of) const;
    [[nodiscard]] value list(const node& of);
    [[nodiscard]] value map(const node& of);
    [[nodiscard]] value logic(const node& of, bool absorbing);
    [[nodiscard]] value choice(const node& of);
    [[nodiscard]] value binding(const node& of);
    [[nodiscard]] value optional_map(const node& of);
    [[nodiscard]] value optional_or(const node& of);
    [[nodiscard]] value comprehension(const node& of);

    [[nodiscard]] value quantifier(const node& of, const range_view& range);
    [[nodiscard]] value count_one(const node& of, const range_view& range);
    [[nodiscard]] value transform(const node& of, const range_view& range);
    [[nodiscard]] value transform_to_map(const node& of, const range_view& range);
    [[nodiscard]] value sort_by(const node& of, const value& range);
    /// True unless the filter leaves the entry out; an error if it fails.
    [[nodiscard]] value passes(node_id filter);

    /// Whether it is an index, optional or not.
    [[nodiscard]] bool is_access(const node& of) const;
    /// Whether it looks something up by names and keys alone, from a variable on.
    [[nodiscard]] bool is_attribute(node_id id) const;
    /// The cost of looking something up in what a node gives. An optional without a value is found for nothing.
    [[nodiscard]] std::uint64_t access_cost(node_id container, const value& found) const;
    /// Counts the bytes and values that a call looks at, of which cost knows only some. False when there are too many.
    [[nodiscard]] bool work(const function_entry& function, arguments in) noexcept;
    /// Counts a cost. False when the limit is reached.
    bool charge(std::uint64_t amount) noexcept;
    [[nodiscard]] value exhausted() const;
    void enter(const node& of, const map_entry& entry);
    void leave(const node& of) noexcept;

    const tree& tree_;
    const variables& named_;
    resources resources_;
    std::uint64_t cost_ = 0;
    std::uint64_t limit_;
    std::uint64_t work_left_ = most_work;
    bool over_limit_ = false;
    bool has_dotted_names_ = false;
    struct scope
    {
        std::uint32_t name;
        value item;
        bool is_read = false;
    };

    std::vector<scope> scopes_;
};

} // namespace kubecoro::cel::detail
