// A pod template: the common part of one workload's replicas, with placeholders for per-pod values.
#pragma once

#include "seeded.hpp"
#include "text_template.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::bench {

/// Maximum containers of a pod, including init containers.
inline constexpr std::size_t max_containers = 4;
/// Maximum per-pod texts in environment variables and annotations.
inline constexpr std::size_t max_own_values = 72;

/// The placeholders of a pod template, in the order of their values.
enum pod_slot : std::size_t
{
    slot_name,
    slot_uid,
    slot_version,
    slot_created,
    slot_ready_at,
    slot_reported_at,
    slot_node,
    slot_host_ip,
    slot_ip,
    slot_token,
    slot_restarts,
    slot_container_id,
    slot_started = slot_container_id + max_containers,
    slot_own = slot_started + max_containers,
    pod_slots = slot_own + max_own_values
};

/// The size parameters of the pods of a data set. Ranges are drawn per workload, ends included.
struct pod_shape
{
    struct range
    {
        unsigned low;
        unsigned high;
    };
    range containers;
    range init_containers;
    range env;
    range config_volumes;
    range annotations;
    /// Security contexts, probes and limits on every container, not only on some.
    bool full_containers = false;
    /// Environment variables and annotations differ from pod to pod.
    bool own_values = false;
};

/// One workload: the facts that its pods share.
struct workload
{
    std::string app;
    std::string team;
    std::string name_space;
    /// The hash of its current replica set.
    std::string hash;
    std::string replica_set_uid;
    std::string image;
    std::string image_digest;
    /// The time of its roll-out, in seconds since 1970.
    std::int64_t rolled_out = 0;
};

/// @param number  The workload's number within the data set; everything follows from it and the seed.
[[nodiscard]] workload make_workload(std::uint64_t seed, std::uint32_t number);

/// The pod with its managed fields, members in the order of a real server, beginning with kind and apiVersion.
[[nodiscard]] text_template make_pod_template(const workload& work, const pod_shape& shape, seeded random);

/// An annotation of every object: 19 digits that the replay server fills in.
inline constexpr std::string_view stamp_annotation = "bench.example.com/stamp";
inline constexpr std::string_view no_stamp = "0000000000000000000";

} // namespace kubecoro::bench
