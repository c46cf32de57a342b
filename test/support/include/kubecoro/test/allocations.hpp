// How often a piece of code asks for memory, in programs that link kubecoro_counted_allocations.
#pragma once

#include <cstdint>

namespace kubecoro::test {

/// Calls of operator new by this thread, and the bytes they asked for.
struct allocation_count
{
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] allocation_count allocations_so_far() noexcept;

/// The n-th call of operator new by this thread from now on fails, once. 0 = none.
void fail_allocation(std::uint64_t nth) noexcept;

} // namespace kubecoro::test
