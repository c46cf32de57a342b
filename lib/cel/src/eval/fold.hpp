// Replaces parts of a tree that have the same value in every evaluation, as cel-go does: they cost nothing then.
#pragma once

#include "syntax/ast.hpp"

namespace kubecoro::cel::detail {

/// Returns why a conversion of a constant fails; empty if none does.
std::string fold_constants(tree& in);

} // namespace kubecoro::cel::detail
