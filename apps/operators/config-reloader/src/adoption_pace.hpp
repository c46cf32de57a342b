// Keeps the operator from rolling a workload again and again for somebody who takes its marks away again and again.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <string>
#include <string_view>
#include <unordered_map>

namespace kubecoro::config_reloader {

/** How long a workload without marks has to wait: not at all the first time, and longer each time that it has lost them.

    Sans-io; remembers the workloads that were adopted, a few bytes each. Not thread safe. */
class adoption_pace
{
public:
    static constexpr duration first_wait = std::chrono::minutes{1};
    static constexpr duration longest_wait = std::chrono::hours{1};

    /// How long before this workload may be adopted.
    [[nodiscard]] duration wait(object_key_view key, std::string_view uid, time_point now) const;
    /// It has been.
    void adopted(object_key_view key, std::string_view uid, time_point now);
    /// The workload is gone.
    void forget(object_key_view key);

private:
    struct memory
    {
        std::string uid;
        time_point at;
        /// Before it may be adopted once more.
        duration next_wait;
    };
    std::unordered_map<object_key, memory, object_key_hash, object_key_equal> adopted_;
};

} // namespace kubecoro::config_reloader
