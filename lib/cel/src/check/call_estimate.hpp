// The cost of one call in the worst case.
#pragma once

#include "check/sizes.hpp"
#include "types/signatures.hpp"

#include <kubecoro/cel/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kubecoro::cel::detail {

/// An operand of a call, as far as it is known before it is evaluated.
struct call_operand
{
    type_ref type = nullptr;
    value_trail trail = {};
    std::optional<size_range> size = {};
    /// Null if it is no literal.
    const value* literal = nullptr;
};

struct call_estimate
{
    /// Without that of the operands.
    std::uint64_t cost = 1;
    /// The size of the result, where the function knows it.
    std::optional<size_range> size = {};
};

/// Whether all values of a type have the same size.
[[nodiscard]] bool is_scalar(const type& of) noexcept;

/// @param operands  The first one is the receiver, if the overload has one.
[[nodiscard]] call_estimate estimate_call(std::string_view function, const signature& overload,
                                          std::span<const call_operand> operands, const schema_node& sized);

} // namespace kubecoro::cel::detail
