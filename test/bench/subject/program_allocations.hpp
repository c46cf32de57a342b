#pragma once

#include <kubecoro/test/allocations.hpp>

namespace kubecoro::bench {

/// Counts what OpenSSL allocates, from now on. Call it before anything uses OpenSSL.
/// @return false when it is too late.
bool count_allocations_of_openssl() noexcept;

/// The calls of operator new by this thread, and the allocations of OpenSSL.
[[nodiscard]] test::allocation_count program_allocations() noexcept;

} // namespace kubecoro::bench
