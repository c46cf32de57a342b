#include "syntax/tree_builder.hpp"

#include "syntax/parser.hpp"
#include "types/signatures.hpp"

#include <algorithm>
#include <array>

namespace kubecoro::cel::detail {

namespace {

/// Names of types with points, which are no selections.
constexpr std::array<std::string_view, 8> dotted_types{"google.protobuf.Timestamp",
                                                       "google.protobuf.Duration",
                                                       "net.IP",
                                                       "net.CIDR",
                                                       "kubernetes.URL",
                                                       "kubernetes.Quantity",
                                                       "kubernetes.Semver",
                                                       "kubernetes.NamedFormat"};

} // namespace

node_id tree_builder::fail(std::size_t at, std::string words)
{
    if (problem_.empty()) problem_ = located(out_.text, at, words);
    return 0;
}

std::uint32_t tree_builder::name(std::string_view text)
{
    if (const auto found = names_.find(text); found != names_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(out_.names.size());
    out_.names.emplace_back(text);
    names_.emplace(text, id);
    return id;
}

node_id tree_builder::make(node_kind kind, std::size_t at, std::span<const node_id> children)
{
    if (failed()) return 0;
    node made;
    made.kind = kind;
    made.at = static_cast<std::uint32_t>(at);
    made.first_child = static_cast<std::uint32_t>(out_.children.size());
    made.children = static_cast<std::uint32_t>(children.size());
    std::size_t depth = 0;
    for (const auto child : children) depth = std::max<std::size_t>(depth, out_.nodes[child].depth);
    if (depth >= deepest_tree) return fail(at, "expression recursion limit exceeded: " + std::to_string(deepest_tree));
    made.depth = static_cast<std::uint16_t>(depth + 1);
    out_.children.insert(out_.children.end(), children.begin(), children.end());
    out_.nodes.push_back(made);
    return static_cast<node_id>(out_.nodes.size() - 1);
}

node_id tree_builder::literal(std::size_t at, value from)
{
    const auto id = make(node_kind::literal, at, {});
    if (failed()) return 0;
    out_.nodes[id].content = static_cast<std::uint32_t>(out_.literals.size());
    out_.literals.push_back(std::move(from));
    return id;
}

node_id tree_builder::identifier(std::size_t at, std::string_view named, bool is_root)
{
    const auto id = make(node_kind::identifier, at, {});
    if (failed()) return 0;
    out_.nodes[id].content = name(named);
    out_.nodes[id].flag = is_root;
    return id;
}

node_id tree_builder::select(std::size_t at, node_id operand, std::string_view field, bool is_optional)
{
    const auto id = make(node_kind::select, at, {operand});
    if (failed()) return 0;
    out_.nodes[id].content = name(field);
    out_.nodes[id].flag = is_optional;
    const auto spelled = dotted_name(out_, id);
    const auto found = std::find(dotted_types.begin(), dotted_types.end(), spelled);
    return found != dotted_types.end() ? literal(at, make_type(*found)) : id;
}

node_id tree_builder::call(std::size_t at, std::string_view named, std::span<const node_id> operands, bool is_member)
{
    const auto id = make(node_kind::call, at, operands);
    if (failed()) return 0;
    auto& made = out_.nodes[id];
    made.content = name(named);
    made.flag = is_member;
    // A call with a wrong number of operands has no function, so that functions need not count them.
    made.function = takes_operands(named, operands.size(), is_member) ? find_function(named) : nullptr;
    return id;
}

tree tree_builder::finish(node_id root) &&
{
    out_.root = root;
    return std::move(out_);
}

} // namespace kubecoro::cel::detail
