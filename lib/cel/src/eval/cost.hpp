// The cost of a call, in the units of Kubernetes.
#pragma once

#include "library/functions.hpp"

#include <cstdint>

namespace kubecoro::cel::detail {

/// The cost of a call, as far as its arguments tell.
[[nodiscard]] std::uint64_t cost_before(const function_entry& of, arguments in);
/// The values that a call compares, and sixteenths of the bytes that it reads. Bounded, as is the time to find it.
[[nodiscard]] std::uint64_t work_of(const function_entry& of, arguments in) noexcept;
/// The cost that the result adds.
[[nodiscard]] std::uint64_t cost_after(const function_entry& of, const value& result);

/// The cost of making a list or a map.
inline constexpr std::uint64_t list_cost = 10;
inline constexpr std::uint64_t map_cost = 30;

} // namespace kubecoro::cel::detail
