#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/controller/key_class.hpp>
#include <kubecoro/controller/key_share.hpp>
#include <kubecoro/controller/predicate.hpp>
#include <kubecoro/controller/rate_limiter.hpp>
#include <kubecoro/controller/trace_options.hpp>
#include <kubecoro/controller/workqueue_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

class client;

/// Options of a controller.
struct controller_options
{
    /// For metrics, logs and describe(). Must be unique among the controllers of a process.
    std::string name = {};
    /// Number of concurrent runs. 0 counts as 1.
    std::size_t workers = 1;
    /// Maximum duration of a run; then it is cancelled and counts as failed. 0 = no limit. Costs about 1 us per run.
    saturating_duration deadline = {};
    /// Delays of failed keys. Empty = exponential_limiter(): 5 ms to 1,000 s per key, without a bucket, so that many
    /// failing keys do not delay the retries of others.
    std::unique_ptr<rate_limiter> limiter = {};
    /// How long run() waits for the first lists of the sources added before it. 0 = forever.
    saturating_duration sync_timeout = std::chrono::minutes{2};
    /// Time that stop() gives runs to finish before it cancels them. 0 = none. The default leaves time to clean up
    /// within the 30 s that Kubernetes gives a pod to terminate.
    saturating_duration grace = std::chrono::seconds{20};
    /// Maximum time that a key waits for the sources to show what its last run wrote. 0 = do not wait.
    saturating_duration own_write_wait = std::chrono::seconds{10};
    /// Writes of runs through this client, or a copy of it, count as own writes without reconcile_context::wrote(): those
    /// of the run's coroutine, and of everything that it awaits or spawns on its own executor. Removals count as well.
    /// Null = only named writes count. A manager sets its client.
    std::shared_ptr<const client> own_writes_of = {};
    /// Names the informer whose store is to show own writes of a kind that no source has; it becomes a source that leads to
    /// no runs. Empty = such writes are not awaited. A manager names those that were declared.
    std::function<std::optional<shared_informer<object>>(std::string_view group, std::string_view kind)>
        own_writes_shown_by = {};
    /// As in workqueue_options.
    unsigned ageing = 8;
    /// Classes of keys that take turns within each priority, such as `by_namespace`: one with a million keys does not
    /// delay those of another. Empty = none.
    key_class<object_key> fair_by = {};
    /// As in workqueue_options: a run begins when the key's events have been quiet for this long.
    saturating_duration debounce = {};
    /// As in workqueue_options: the minimum time between the starts of two runs of one key.
    saturating_duration min_interval = {};
    /// Runs only keys that belong to this member of a group: shard_member::share(). Those of others are not queued, not even by
    /// trigger(). Empty = all keys.
    key_share share = {};
    /// Traces the way from events to runs and their requests. Empty = no traces.
    trace_options traces = {};
    /// Receives controller_runtime_* and workqueue_*, if the controller has a name. Empty = no metrics.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives failures of runs and the controller's own lines.
    logger log = {};
};

/// Options of one event source, see controller::watch().
struct source_options
{
    /// Selects the events that matter. Empty = all.
    predicate filter = {};
    /// Priority of keys of real changes. Those that a first list or a resync brings have priority::low.
    int priority = priority::normal;
    /// As in handler_options. 0 = the informer's default.
    saturating_duration resync = {};
    /// For logs and describe(). Empty = the resource's name.
    std::string name = {};
};

/// The phases of an event source.
enum class source_state
{
    /// Its first list has not been fully processed.
    syncing,
    synced,
    /// Removed, or its informer has stopped.
    over
};

/// The phases of a controller, in order.
enum class controller_phase
{
    created,
    /// Waiting for the first lists.
    syncing,
    running,
    /// No more events and no new runs; runs in progress may finish.
    stopping,
    /// The remaining runs have been cancelled.
    cancelling,
    stopped
};

/// The phase's name.
[[nodiscard]] std::string_view to_string(controller_phase p) noexcept;

/// A snapshot of one controller.
struct controller_stats
{
    /// A snapshot of one source.
    struct source
    {
        /// The name from its options.
        std::string name = {};
        /// Its phase at that moment.
        source_state state = source_state::syncing;
        /// Events that were received.
        std::uint64_t events = 0;
        /// Events on which the filter or the map function threw.
        std::uint64_t failed = 0;
        /// The failure of its first list, as long as it fails.
        std::optional<failure> trouble = {};
    };

    /// Its phase at that moment.
    controller_phase phase = controller_phase::created;
    /// Why it stops, or has stopped, by itself: a source that cannot be listed, or a failure of its own.
    std::optional<failure> ended_by = {};
    /// Runs that may be in progress at once.
    std::size_t workers = 0;
    /// Runs in progress.
    std::size_t active = 0;
    /// Runs that returned an action.
    std::uint64_t succeeded = 0;
    /// Successes that requested another run.
    std::uint64_t requeued = 0;
    /// Failures that are retried, including exceptions and missed deadlines.
    std::uint64_t failed = 0;
    /// Runs that returned a terminal failure.
    std::uint64_t terminal = 0;
    /// Runs that threw; counted in `failed` as well.
    std::uint64_t threw = 0;
    /// Runs that passed the deadline; counted in `failed` as well.
    std::uint64_t timed_out = 0;
    /// Runs cancelled by the controller.
    std::uint64_t cancelled = 0;
    /// The time that ended runs took together. 0 without metrics, as the next.
    duration run_time{};
    /// The time that the longest of them took.
    duration longest_run{};
    /// Keys waiting for the sources to show what they wrote, and such waits that timed out.
    std::size_t behind_own_writes = 0;
    /// Waits for own writes that took too long.
    std::uint64_t own_write_timeouts = 0;
    /// One entry per source.
    std::vector<source> sources = {};
    /// Its work queue.
    workqueue_stats queue = {};
};

/// A human-readable summary of a few lines.
[[nodiscard]] std::string describe(const controller_stats& s);

} // namespace kubecoro
