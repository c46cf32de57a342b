// How many random cases a test makes.
#pragma once

#include <kubecoro/base/detail/random.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace kubecoro::test {

/// Which cases, and how many.
struct random_amount
{
    std::uint64_t seed = 1;
    std::size_t each = 200;
};

/// Returns the default; with KUBECORO_LONG 10,000 of a seed that changes. KUBECORO_SEED=N repeats a run.
[[nodiscard]] inline random_amount wanted_amount()
{
    random_amount out;
    if (std::getenv("KUBECORO_LONG")) out = {detail::random_seed() % 1000000, 10000};
    if (const auto* seed = std::getenv("KUBECORO_SEED")) out.seed = std::strtoull(seed, nullptr, 10);
    return out;
}

} // namespace kubecoro::test
