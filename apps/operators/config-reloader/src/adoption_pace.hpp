// Limits how often the operator rolls a workload whose marks are removed repeatedly.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kubecoro::config_reloader {

/** Delay before adopting a workload without marks: none the first time, and longer each time it has lost them.

    Sans-io. Stores the workloads that were adopted lately, a few bytes each: one that has kept its marks for a long time,
    or was deleted, is forgotten. Not thread safe. */
class adoption_pace
{
public:
    static constexpr duration first_wait = std::chrono::minutes{1};
    static constexpr duration longest_wait = std::chrono::hours{1};

    /// The delay before this workload may be adopted.
    [[nodiscard]] duration wait(object_key_view key, std::string_view uid, time_point now) const;
    /// Records an adoption.
    void adopted(object_key_view key, std::string_view uid, time_point now);
    /// The workload was deleted.
    void forget(object_key_view key);
    /// Number of workloads that are stored.
    [[nodiscard]] std::size_t size() const noexcept { return adopted_.size(); }

private:
    struct memory
    {
        std::string uid;
        time_point at;
        /// Delay before the next adoption.
        duration next_wait;
    };
    void sweep(time_point now);

    /// Number of workloads from which the next adoption sweeps.
    std::size_t sweep_from_ = 64;
    std::unordered_map<object_key, memory, object_key_hash, object_key_equal> adopted_;
};

} // namespace kubecoro::config_reloader
