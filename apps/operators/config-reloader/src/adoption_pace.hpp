// Limits how often the operator rolls a workload whose marks are removed repeatedly.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <string>
#include <string_view>
#include <unordered_map>

namespace kubecoro::config_reloader {

/** Delay before adopting a workload without marks: none the first time, and longer each time it has lost them.

    Sans-io; stores the adopted workloads, a few bytes each. Not thread safe. */
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

private:
    struct memory
    {
        std::string uid;
        time_point at;
        /// Delay before the next adoption.
        duration next_wait;
    };
    std::unordered_map<object_key, memory, object_key_hash, object_key_equal> adopted_;
};

} // namespace kubecoro::config_reloader
