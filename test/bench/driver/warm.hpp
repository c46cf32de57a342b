#pragma once

#include <cstdint>

namespace kubecoro::bench {

/** Touches this amount of memory, at most 60 % of the free memory, and returns it.

    On a virtual machine the first touch of a page can cost many times as much as later ones: without this the subject
    with the largest memory pays for all. */
void warm_memory(std::uint64_t megabytes);

/// CPU seconds that the whole machine has used, and that its host has withheld.
struct machine_time
{
    double busy_s = 0;
    double stolen_s = 0;
};
[[nodiscard]] machine_time machine_time_now();

} // namespace kubecoro::bench
