// Finds the types of an expression, and what is wrong with it.
#pragma once

#include "check/inference.hpp"
#include "syntax/ast.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::cel::detail {

/// The types of variables by name.
using declared_types = std::map<std::string, type_ref, std::less<>>;

/// A message with its place in the text.
struct compile_problem
{
    std::size_t at = 0;
    std::string words;
};

/// The checked types of an expression.
struct checked
{
    /// The type of each node, by its number.
    std::vector<type_ref> types;
    /// In the order of their places.
    std::vector<compile_problem> problems;
};

[[nodiscard]] checked check(const tree& of, const declared_types& variables);

/// Literals that their functions cannot take: durations, times, regular expressions, formats.
[[nodiscard]] std::vector<compile_problem> check_literals(const tree& of, const std::vector<type_ref>& types);

} // namespace kubecoro::cel::detail
