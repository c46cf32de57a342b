#pragma once

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/cache/options.hpp>
#include <kubecoro/controller/controller_options.hpp>
#include <kubecoro/controller/event_recorder.hpp>
#include <kubecoro/controller/leader_election_options.hpp>
#include <kubecoro/controller/shard_options.hpp>
#include <kubecoro/controller/trace_options.hpp>
#include <kubecoro/manager/cluster_stats.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// Options of a manager.
struct manager_options
{
    /// Name of the program, for logs and generated manifests.
    std::string name = {};
    /// The namespaces that informers of namespaced kinds cover, unless their own options name some. Empty = all.
    text_list namespaces = {};
    /// How long the start waits for the first lists of the informers; then the manager ends, naming the informers and
    /// their reasons. 0 = forever.
    saturating_duration sync_timeout = std::chrono::minutes{2};
    /// Time between the log lines that say what the start waits for. 0 = none.
    saturating_duration progress = std::chrono::seconds{10};
    /// Time that a stop gives to everything that runs; then it is cancelled. 0 = none, and then only runs in progress are a failure. The
    /// default leaves time to end within the 30 s that Kubernetes gives a pod. A controller gets at most four fifths, whatever its options say.
    saturating_duration grace = std::chrono::seconds{25};
    /// With a lease: parts that need leadership run in one replica only, the holder of the Lease. The clock, log and metrics
    /// are the manager's where they are empty; its grace period has no effect.
    leader_election_options leader_election = {};
    /// Whether a replica records an event about the Lease when it begins and when it ceases to lead. Needs the verbs create and
    /// patch of events in the Lease's namespace.
    bool leadership_events = true;
    /// With a group: replicas divide the keys of the controllers that need leadership, which then run in all of them. Clock, log,
    /// metrics and grace period as above.
    shard_options shards = {};
    /// Whether the start asks the server for the rights that the manager's declarations need, see manager::rights(). A
    /// missing one ends the manager, and is named.
    bool check_access = true;
    /// For manager::events(). Component, clock, log and metrics are the manager's where they are empty.
    event_recorder_options events = {};
    /// For all informers of the manager. Its clock, log and metrics are those of the manager.
    factory_options informers = {};
    /// Traces events, runs and their requests, for controllers whose own options have no tracer. Empty = no traces.
    trace_options traces = {};
    /// Seeds the jitter of all that the manager makes, so that a run can be repeated. A seed in the options of a part counts before it.
    /// Replicas must not share it: they would write at the same moments. Empty = unpredictable.
    std::optional<std::uint64_t> seed = {};
    /// For these three, empty = the client's. Passed on to everything that the manager makes.
    std::shared_ptr<time_source> time = {};
    /// Receives the lines of the manager and of its parts.
    std::optional<logger> log = {};
    /// Receives the numbers of informers, controllers, queues and the manager.
    std::shared_ptr<kubecoro::metrics> metrics = {};
};

/// Options of a controller of a manager, see manager::control().
struct control_options
{
    /// Name for metrics and logs, unique in the program. Empty = the resource, such as "deployments.apps"; a second
    /// controller of it gets a number.
    std::string name = {};
    /// Which events of the objects themselves lead to runs. Empty = all.
    predicate filter = {};
    /// False: runs in every replica, also in those that do not lead.
    bool needs_leadership = true;
    /// Workers, deadline, limiter and the like. Name, clock, log and metrics are the manager's where they are empty.
    controller_options running = {};
};

/// Options of a coroutine that a manager runs, see manager::run().
struct runnable_options
{
    /// False: runs in every replica, also in those that do not lead.
    bool needs_leadership = true;
    /// False: starts first and stops last, as servers do. Counts where `needs_leadership` is false.
    bool needs_informers = true;
    /// Empty: a failure ends the manager. Else the coroutine is started again with these delays, which begin at the first one after it
    /// has run for longer than their cap.
    std::optional<backoff_policy> retry = {};
};

/// The phases of a manager, in order.
enum class manager_phase
{
    created,
    /// The informers get their first lists. Only what needs no informers runs.
    syncing,
    /// Waiting for leadership. Everything that needs none runs.
    standby,
    /// Everything runs.
    running,
    stopping,
    stopped
};

/// The phase's name.
[[nodiscard]] std::string_view to_string(manager_phase p) noexcept;

/// The states of a part of a manager.
enum class part_state
{
    /// Its time has not come.
    waiting,
    running,
    /// Failed, and waits for its next start.
    resting,
    over
};

/// The state's name.
[[nodiscard]] std::string_view to_string(part_state s) noexcept;

/// A snapshot of a manager.
struct manager_stats
{
    /// A snapshot of one part of a manager.
    struct part
    {
        /// Its name.
        std::string name = {};
        /// Its state at that moment.
        part_state state = part_state::waiting;
        /// How often it was started again after a failure.
        std::uint64_t restarts = 0;
        /// Its last failure.
        std::optional<failure> last_failure = {};
    };

    /// Its phase at that moment.
    manager_phase phase = manager_phase::created;
    /// Why it stops, or has stopped, by itself: the failure of a part, or one of its own.
    std::optional<failure> ended_by = {};
    /// One entry for each controller and coroutine that was not removed.
    std::vector<part> parts = {};
    /// The election; empty without one.
    std::optional<leader_stats> election = {};
    /// This replica as a member of its group; empty without one.
    std::optional<shard_stats> shards = {};
    /// One entry for each cluster of manager::clusters().
    std::vector<cluster_stats> clusters = {};
};

} // namespace kubecoro
