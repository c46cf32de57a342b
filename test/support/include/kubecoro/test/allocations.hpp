// Counts allocations, in programs that link kubecoro_counted_allocations.
#pragma once

#include <cstdint>

namespace kubecoro::test {

/// Calls of operator new by this thread, and the bytes requested.
struct allocation_count
{
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] allocation_count allocations_so_far() noexcept;

/// Makes the n-th call of operator new by this thread from now on fail, once. 0: none fails.
void fail_allocation(std::uint64_t nth) noexcept;

} // namespace kubecoro::test
