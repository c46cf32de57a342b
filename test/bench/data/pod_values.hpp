// What each pod of a data set has of its own.
#pragma once

#include "pod_template.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// Which of a pod's prepared states: as listed first, or after its container was started anew.
enum class object_state : std::uint8_t
{
    first,
    second
};

/// Seconds since 1970 as a server writes them: "2026-11-21T06:07:33Z".
[[nodiscard]] std::string timestamp(std::int64_t seconds);

/// The 10 digits of a resourceVersion; the first of a data set is first_version.
inline constexpr std::uint64_t first_version = 1'000'000'000;

/// Where a pod is: which one of its workload, on which node, in which place of that node.
struct pod_place
{
    std::uint32_t replica = 0;
    std::uint32_t node = 0;
    std::uint32_t on_node = 0;
    std::uint64_t version = first_version;
};

/// The name of a replica: distinct within its workload.
[[nodiscard]] std::string pod_name(const workload& work, std::uint64_t seed, std::uint32_t number,
                                   std::uint32_t replica);

/** The values of a template's places. Both states have the same lengths throughout, also as protobuf.

    @param random  Of this pod: equal for both states.
    @param own     Whether the shape has values of its own (they cost time to draw). */
[[nodiscard]] std::vector<std::string> pod_values(const workload& work, std::string name, const pod_place& place,
                                                  seeded random, object_state state, bool own);

} // namespace kubecoro::bench
