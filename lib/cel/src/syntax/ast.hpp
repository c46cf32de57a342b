// An expression as a tree.
#pragma once

#include <kubecoro/cel/value.hpp>

#include "library/functions.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

enum class node_kind : std::uint8_t
{
    literal,
    identifier,
    /// `a.b`, `a.?b`
    select,
    /// `has(a.b)`
    presence,
    /// A function or operator. The first child of a call with a receiver is the receiver.
    call,
    list,
    /// Keys and values by turns.
    map,
    /// An item of a list, or a value of a map, that is left out when it has no value.
    optional_item,
    /// `a && b && c`
    both,
    either,
    /// `a ? b : c`
    choice,
    /// `a.all(x, b)` and the like. The children are the range and the steps.
    comprehension,
    /// `cel.bind(x, a, b)`
    binding,
    /// `a.optMap(x, b)`, `a.optFlatMap(x, b)`
    optional_map,
    /// `a.or(b)`, `a.orValue(b)`: b is evaluated when it is needed.
    optional_or,
    /// `a.b{c: d}`: a message, which no expression of Kubernetes can make. Its fields are left out.
    message
};

enum class macro_kind : std::uint8_t
{
    all,
    exists,
    exists_one,
    map,
    filter,
    transform_list,
    transform_map,
    transform_map_entry,
    sort_by
};

struct node
{
    node_kind kind = node_kind::literal;
    macro_kind macro = macro_kind::all;
    /// A call with a receiver, `.?`, optFlatMap, orValue, or an identifier with a point before it.
    bool flag = false;
    /// A comprehension with a filter before the transformation.
    bool filtered = false;
    /// Levels of nodes below, and this one.
    std::uint16_t depth = 1;
    /// The offset in the text to which messages point.
    std::uint32_t at = 0;
    std::uint32_t first_child = 0;
    std::uint32_t children = 0;
    /// The literal, or the name.
    std::uint32_t content = 0;
    /// The names of variables; 0 for none. A call of `in` may have a map of constants here.
    std::uint32_t variable = 0;
    std::uint32_t second_variable = 0;
    const function_entry* function = nullptr;
};

/// The number of a node.
using node_id = std::uint32_t;

struct tree
{
    std::string text;
    std::vector<node> nodes;
    std::vector<node_id> children;
    std::vector<value> literals;
    /// The first one is empty.
    std::vector<std::string> names{""};
    node_id root = 0;

    [[nodiscard]] std::span<const node_id> children_of(const node& of) const noexcept
    {
        return {children.data() + of.first_child, of.children};
    }
    [[nodiscard]] const std::string& name_of(const node& of) const noexcept { return names[of.content]; }
    [[nodiscard]] const node& operator[](node_id id) const noexcept { return nodes[id]; }
};

/// The dotted name that a chain of selections spells; empty if it is none.
[[nodiscard]] std::string dotted_name(const tree& in, node_id id);

/// A message of the compiler with its place, as the server prints it.
[[nodiscard]] std::string located(std::string_view text, std::size_t at, std::string_view words);

} // namespace kubecoro::cel::detail
