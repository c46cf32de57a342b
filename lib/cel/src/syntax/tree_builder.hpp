// Adds nodes to a tree, and notes the first thing that is wrong.
#pragma once

#include "syntax/ast.hpp"

#include <initializer_list>
#include <map>
#include <optional>
#include <span>

namespace kubecoro::cel::detail {

class tree_builder
{
public:
    explicit tree_builder(std::string text) { out_.text = std::move(text); }

    [[nodiscard]] bool failed() const noexcept { return !problem_.empty(); }
    /// Notes a problem unless there is one. Returns a node that stands for what is wrong.
    node_id fail(std::size_t at, std::string words);

    node_id literal(std::size_t at, value from);
    node_id identifier(std::size_t at, std::string_view name, bool is_root);
    node_id select(std::size_t at, node_id operand, std::string_view name, bool is_optional);
    node_id call(std::size_t at, std::string_view name, std::span<const node_id> operands, bool is_member);
    node_id make(node_kind kind, std::size_t at, std::span<const node_id> children);
    node_id make(node_kind kind, std::size_t at, std::initializer_list<node_id> children)
    {
        return make(kind, at, std::span(children.begin(), children.size()));
    }

    [[nodiscard]] std::uint32_t name(std::string_view text);
    [[nodiscard]] node& at(node_id id) noexcept { return out_.nodes[id]; }
    [[nodiscard]] const tree& so_far() const noexcept { return out_; }
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    [[nodiscard]] tree finish(node_id root) &&;

private:
    tree out_;
    std::map<std::string, std::uint32_t, std::less<>> names_;
    std::string problem_;
};

/// The node of a macro; nothing if the call is none. A call with a receiver has it as `receiver`.
[[nodiscard]] std::optional<node_id> expand_macro(tree_builder& in, std::size_t at, std::string_view name,
                                                  std::optional<node_id> receiver, std::span<const node_id> operands,
                                                  bool has_bind);

} // namespace kubecoro::cel::detail
