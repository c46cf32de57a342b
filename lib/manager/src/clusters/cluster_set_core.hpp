#pragma once
// Decides which clusters of a set join and leave. Sans-io.

#include "clusters/join_pace.hpp"
#include "clusters/start_limit.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace kubecoro::detail {

/// Steps that the driver of a set of clusters takes.
namespace cluster_step {

/// Wait for the next input, at most until `until`.
struct rest
{
    std::optional<time_point> until = {};
};
/// Begin to work in the cluster, as it was offered last.
struct join
{
    std::string name;
};
/// End all work in the cluster; report left().
struct leave
{
    std::string name;
};
/// The set is full. Said once for a cluster, and once a minute for all; it joins when there is room.
struct keep_waiting
{
    std::string name;
    /// How many had to wait since the last time, without a word.
    std::size_t unsaid = 0;
};
/// Stopped, and no cluster is left.
struct finish
{
};
using any = std::variant<rest, join, leave, keep_waiting, finish>;

} // namespace cluster_step

/** The members of a set of clusters. Sans-io, not thread safe.

    After every input, and when a rest has expired, call next() until it returns rest or finish. A cluster whose offer has
    changed leaves and joins again, and keeps its place; it never joins before it has left, and later each time if its offer
    keeps changing. */
class cluster_set_core
{
public:
    /// A cluster that is not ready then no longer counts as one that starts.
    static constexpr duration starting_time = std::chrono::seconds{10};

    /// @param places  Maximum number of clusters at a time. @param pace  Delays between the joins of one cluster.
    /// @param starts  Maximum number of clusters that start at a time. 0 = no limit.
    cluster_set_core(std::size_t places, backoff_policy pace, std::size_t starts = 0)
        : places_(places), pace_(pace, 2 * places), starts_(starts, starting_time)
    {
    }

    // ---- inputs
    /// @param revision  An offer of the same revision as the last one is ignored.
    void offered(std::string_view name, std::string_view revision);
    void withdrawn(std::string_view name);
    /// It is ready, or its first attempt has failed.
    void started(std::string_view name);
    /// Nothing of it runs any more.
    void left(std::string_view name);
    /// All leave; later offers are ignored.
    void stop();
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }

    // ---- output
    [[nodiscard]] cluster_step::any next(time_point now);

    /// Clusters that wait because the set is full, in the order of their names.
    [[nodiscard]] const std::set<std::string, std::less<>>& waiting() const noexcept { return waiting_; }
    /// Clusters that have a place and wait since they joined too often, by the time of their next join.
    [[nodiscard]] const std::set<std::pair<time_point, std::string>>& delayed() const noexcept { return delayed_; }
    /// Clusters that have a place and wait since others start, in the order of their names.
    [[nodiscard]] const std::set<std::string, std::less<>>& starting_later() const noexcept
    {
        return starts_.waiting();
    }

private:
    struct entry
    {
        /// The revision that is offered.
        std::optional<std::string> wanted = {};
        /// The revision that has joined.
        std::optional<std::string> present = {};
        bool has_place = false;
        bool leaving = false;
        /// Its entry in delayed_.
        std::optional<time_point> delayed = {};
    };
    /// The next step for that cluster, if it needs one.
    [[nodiscard]] std::optional<cluster_step::any> step_of(const std::string& name, time_point now);
    [[nodiscard]] std::optional<cluster_step::any> keep_waiting(const std::string& name, time_point now);
    void forget(const std::string& name);
    /// @return whether the cluster has to wait until then.
    [[nodiscard]] bool delay(const std::string& name, entry& e, time_point now);
    void end_delay(const std::string& name, entry& e);
    void use_free_place();
    void use_free_start();

    std::size_t places_;
    std::size_t taken_ = 0;
    std::map<std::string, entry, std::less<>> entries_;
    /// Clusters that may need a step.
    std::set<std::string, std::less<>> changed_;
    std::set<std::string, std::less<>> waiting_;
    std::set<std::pair<time_point, std::string>> delayed_;
    join_pace pace_;
    start_limit starts_;
    /// When the next wait may be said; empty: at once.
    std::optional<time_point> next_word_;
    std::size_t unsaid_ = 0;
    bool stopped_ = false;
};

} // namespace kubecoro::detail
