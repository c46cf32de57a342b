#pragma once
// The cluster of the soak, in a process of its own: its memory is not what is measured.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/types.h>

namespace soak {

struct cluster_settings
{
    /// Number of pods, and of config maps. Objects are replaced and changed at a constant number, each about every 40 s.
    std::size_t objects = 10'000;
    /// Creations, changes and deletions a second.
    std::size_t changes_per_second = 500;
    /// Connections are cut, refused, and the history forgotten, each once in this time.
    std::size_t cycle_seconds = 30;
    std::uint64_t seed = 1;
};

/** The process of the cluster: an embedded server, users who change things, and disturbances.

    One owner; destroying it ends the process. To be started before the program has threads. */
class cluster_process
{
public:
    explicit cluster_process(const cluster_settings& settings);
    ~cluster_process();
    cluster_process(const cluster_process&) = delete;
    cluster_process& operator=(const cluster_process&) = delete;

    /// Waits until all objects are there. Throws when the process has ended.
    [[nodiscard]] kubecoro::cluster_config connection();
    /// No more changes and no more disturbances; returns when the last has been made. @return how many changes there were.
    std::size_t rest();

private:
    [[nodiscard]] std::string answer();

    kubecoro::cluster_config config_;
    int line_ = -1;
    pid_t pid_ = -1;
};

} // namespace soak
