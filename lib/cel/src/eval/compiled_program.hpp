// The part of a program that its copies share.
#pragma once

#include "syntax/ast.hpp"

namespace kubecoro::cel::detail {

struct compiled_program
{
    tree expression;
    known_patterns patterns;
};

/// The regular expressions that are literals of an expression. One that does not compile is left out.
[[nodiscard]] known_patterns literal_patterns(const tree& in);

} // namespace kubecoro::cel::detail
