#pragma once

#include "driver/results.hpp"
#include "driver/subjects.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench::live {

/// The choice of measurements from the command line.
struct plan_options
{
    /// Workloads, see workload_names(); empty = all.
    std::vector<std::string> names = {};
    /// Names of subjects or of their libraries, see is_chosen(); empty = all.
    std::vector<std::string> subjects = {};
    /// Numbers of pods; what is not a sync runs with the smallest.
    std::vector<std::uint64_t> pods = {20'000, 50'000};
    /// Custom resources; 0 = none.
    std::uint64_t widgets = 20'000;
    /// Requests of each kind, for config maps; 0 = none.
    std::uint64_t requests = 1'500;
    unsigned rounds = 5;
};

/// One subject on one set of objects: a workload is one life of its processes.
struct session_plan
{
    /// "sync", "relist", "latency", "updates-50", "gets", "watches-100".
    std::string workload;
    /// "pods", "widgets" or "configmaps".
    std::string resource;
    /// In the cluster; of config maps: the number of requests.
    std::uint64_t objects = 0;
    /// Index in the list of subjects.
    std::size_t subject = 0;
    /// Informers of the subject, each a process of its own.
    [[nodiscard]] unsigned informers() const;
    /// Watches of the subject, all in one process.
    [[nodiscard]] unsigned watches() const;
    [[nodiscard]] cell cell_of(const std::vector<bench::subject>& subjects, std::string_view metric,
                               std::string_view unit) const;
    friend bool operator==(const session_plan&, const session_plan&) = default;
};

/// The sessions that need the same objects in the cluster.
struct group_plan
{
    std::string resource;
    std::uint64_t objects = 0;
    std::vector<session_plan> sessions;
};

/// Valid values of plan_options::names, in the order of the tables.
[[nodiscard]] const std::vector<std::string>& workload_names();

/// The resource whose sessions make requests and have no informers.
inline constexpr std::string_view config_maps = "configmaps";

/// Groups in ascending numbers of pods, then custom resources, then requests.
[[nodiscard]] std::vector<group_plan> make_plan(const plan_options& options, const std::vector<subject>& subjects);

/// The sessions of a group in the order of one round: subjects of a workload side by side, another one first each time.
[[nodiscard]] std::vector<session_plan> sessions_of_round(const group_plan& group, unsigned round);

/// The plan without sessions that have their rounds already in `rows`.
[[nodiscard]] std::vector<group_plan> without_finished(std::vector<group_plan> plan, unsigned rounds,
                                                       const std::vector<subject>& subjects,
                                                       const std::vector<row>& rows);

/// A line for each workload and number of objects.
[[nodiscard]] std::string describe_plan(const std::vector<group_plan>& plan, const std::vector<subject>& subjects,
                                        unsigned rounds);

} // namespace kubecoro::bench::live
