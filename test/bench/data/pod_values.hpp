// The per-pod values of a data set.
#pragma once

#include "pod_template.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// The prepared states of a pod: as first listed, or after a restart of its container.
enum class object_state : std::uint8_t
{
    first,
    second
};

/// Seconds since 1970 as a server writes them: "2026-11-21T06:07:33Z".
[[nodiscard]] std::string timestamp(std::int64_t seconds);

/// The 10 digits of a resourceVersion; the first of a data set is first_version.
inline constexpr std::uint64_t first_version = 1'000'000'000;

/// A pod's position: its number in its workload, its node, and its place on that node.
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

/** The values of a template's placeholders. Both states have the same lengths throughout, also as protobuf.

    @param random  The pod's random source: equal for both states.
    @param own     Whether the shape has per-pod texts (they cost time to draw). */
[[nodiscard]] std::vector<std::string> pod_values(const workload& work, std::string name, const pod_place& place,
                                                  seeded random, object_state state, bool own);

} // namespace kubecoro::bench
