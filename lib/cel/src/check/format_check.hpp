// Checks the clauses of a literal text with `format` against the types of its items.
#pragma once

#include "check/checker.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace kubecoro::cel::detail {

struct format_operand
{
    std::size_t at;
    const type* of;
    /// The items of a literal list or map, and theirs.
    std::vector<format_operand> inner = {};
};

/// The first problem, if there is one. `at` is the place of the call.
[[nodiscard]] std::optional<compile_problem> check_format(std::string_view pattern,
                                                          std::span<const format_operand> operands, std::size_t at);

} // namespace kubecoro::cel::detail
