// Waits until the contents of a workload have stopped changing.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <string>
#include <unordered_map>

namespace kubecoro::config_reloader {

/** Delay before a workload is compared after a change: a deployment writes several objects, and the workload rolls once for all.

    Sans-io. Holds the workloads whose contents are changing. Not thread safe. */
class settling
{
public:
    /// A workload whose contents never settle is compared after that many pauses.
    static constexpr int most_pauses = 10;

    /// @param pause  Time without a change; zero = no delay.
    explicit settling(duration pause) noexcept : pause_(pause) {}

    /// The delay from `now` on.
    /// @param versions  Versions of all contents of the workload; another text is another change.
    [[nodiscard]] duration wait(object_key_view key, std::string versions, time_point now);
    /// The workload was compared, or is gone.
    void forget(object_key_view key);

private:
    struct change
    {
        std::string versions;
        time_point first;
        time_point last;
    };

    duration pause_;
    std::unordered_map<object_key, change, object_key_hash, object_key_equal> changing_;
};

} // namespace kubecoro::config_reloader
