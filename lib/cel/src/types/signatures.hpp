// The signatures of all functions.
#pragma once

#include "types/type.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

/// One overload of a function. The first parameter of a member is its receiver.
struct signature
{
    bool is_member = false;
    std::vector<type_ref> parameters = {};
    type_ref result = nullptr;
};

/// The overloads of a function; none if there is no such function.
[[nodiscard]] std::span<const signature> signatures_of(std::string_view name);

/// Whether some overload takes this number of operands.
[[nodiscard]] bool takes_operands(std::string_view name, std::size_t count, bool is_member);

} // namespace kubecoro::cel::detail
