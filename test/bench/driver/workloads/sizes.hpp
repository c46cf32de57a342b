#pragma once

#include <algorithm>
#include <cstdint>

namespace kubecoro::bench {

/// Changes of the events workload: enough to replace every object once and to last a second.
[[nodiscard]] constexpr std::uint64_t saturated_events(std::uint64_t objects)
{
    return std::max(objects, std::min<std::uint64_t>(objects * 3, 60'000));
}

} // namespace kubecoro::bench
