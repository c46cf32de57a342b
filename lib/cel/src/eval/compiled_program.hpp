// The part of a program that its copies share.
#pragma once

#include <kubecoro/base/result.hpp>

#include "check/checker.hpp"

#include <cstdint>
#include <memory>

namespace kubecoro::cel::detail {

struct compiled_program
{
    tree expression;
    known_patterns patterns;
    /// Empty if it is unchecked.
    std::string type;
    /// Units of cost that it needs at most; 0 if it was compiled without a schema.
    std::uint64_t most_cost = 0;
};

/// Whether an expression mentions a variable that it does not declare itself.
[[nodiscard]] bool mentions_variable(const tree& in, std::string_view name);

/// Compiles an expression, and checks it unless there are no types. @param sized  The schema that limits sizes; null for no estimate.
/// Errors: cond::invalid.
[[nodiscard]] result<std::shared_ptr<const compiled_program>>
compile_program(std::string text, const declared_types* variables, const schema_node* sized = nullptr);

/// The regular expressions that are literals of an expression. One that does not compile is left out.
[[nodiscard]] known_patterns literal_patterns(const tree& in);

} // namespace kubecoro::cel::detail
