// Finds the types of an expression, and what is wrong with it.
#pragma once

#include "check/inference.hpp"
#include "syntax/ast.hpp"

#include <cstdint>
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
    /// The overloads that each call may have, by its number.
    std::map<node_id, std::vector<const signature*>> overloads;
    /// In the order of their places.
    std::vector<compile_problem> problems;
};

[[nodiscard]] checked check(const tree& of, const declared_types& variables);

/// Literals that their functions cannot take: durations, times, regular expressions, formats.
[[nodiscard]] std::vector<compile_problem> check_literals(const tree& of, const std::vector<type_ref>& types);

/** The units of cost that an expression needs at most, as cel-go's checker and Kubernetes' libraries estimate them: servers refuse
    rules by it. @param sized  The schema of the value that variables lead to, which limits sizes. */
[[nodiscard]] std::uint64_t estimated_cost(const tree& of, const checked& types, const schema_node& sized);

} // namespace kubecoro::cel::detail
