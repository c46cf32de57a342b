// Texts to trees.
#pragma once

#include <kubecoro/base/result.hpp>

#include "syntax/ast.hpp"

#include <string>

namespace kubecoro::cel::detail {

/// The longest expression, in bytes.
inline constexpr std::size_t longest_expression = 100'000;
/// How deep brackets may nest.
inline constexpr std::size_t deepest_nesting = 250;
/// Levels of a tree, in which `1 + 2 + 3` has three.
inline constexpr std::size_t deepest_tree = 500;

/// Parses an expression. `has_bind`: with the macro `cel.bind`, which Kubernetes does not have.
/// Errors: cond::invalid, with the place.
[[nodiscard]] result<tree> parse(std::string text, bool has_bind);

} // namespace kubecoro::cel::detail
