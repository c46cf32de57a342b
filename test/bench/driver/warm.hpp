#pragma once

#include <cstdint>

namespace kubecoro::bench {

/** Touches that much memory, at most 60 % of what is free, and gives it back.

    On a virtual machine the first touch of a page can cost many times what later ones do: without this the subject with
    the largest memory pays for everyone. */
void warm_memory(std::uint64_t megabytes);

/// CPU seconds that the whole machine has spent, and that its host has kept from it.
struct machine_time
{
    double busy_s = 0;
    double stolen_s = 0;
};
[[nodiscard]] machine_time machine_time_now();

} // namespace kubecoro::bench
