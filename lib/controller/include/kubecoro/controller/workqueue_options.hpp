#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/controller/rate_limiter.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// Priorities range from -100 to 100; values beyond are clamped.
namespace priority {
/// Keys that can wait, such as those of a first list.
inline constexpr int low = -100;
/// Keys of changes.
inline constexpr int normal = 0;
/// Keys that go before all others.
inline constexpr int high = 100;
} // namespace priority

/// Options of a workqueue.
struct workqueue_options
{
    /// For metrics, logs and describe().
    std::string name = {};
    /// Delays of failed keys. Empty = default_controller_limiter().
    std::unique_ptr<rate_limiter> limiter = {};
    /// Higher priorities go first; but of every `ageing` consecutive hand-outs that pass over a lower priority, the
    /// last takes the key that has waited longest, whatever its priority, so that no key starves. With classes
    /// (`fair_by`) it takes one of the lower priorities in turn. 0 = never, 1 = ignore priorities.
    unsigned ageing = 8;
    /// A key that was added runs when it has been quiet for this long, that is, not been added again: a burst of events
    /// causes one run at its end. A key that is never quiet runs 10 times as long after its first add. Delays (add_after(), retries)
    /// are not lengthened. 0 = at once.
    saturating_duration debounce = {};
    /// Minimum time between the starts of two runs of one key, whatever causes them: events, delays or retries. A key
    /// whose run has ended is remembered until then. 0 = none.
    saturating_duration min_interval = {};
    /// Receives workqueue_depth and the other metrics, if the queue has a name. Empty = no metrics, and nothing is
    /// timed.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives failures of the queue itself.
    logger log = {};
};

/// A snapshot of one queue.
struct workqueue_stats
{
    /// The ready keys of one class.
    struct class_of_keys
    {
        /// The name of the class.
        std::string name = {};
        /// Its ready keys.
        std::size_t ready = 0;
    };

    /// The name from its options.
    std::string name = {};
    /// Keys that are ready to be taken; equal to len().
    std::size_t ready = 0;
    /// Keys held by workers.
    std::size_t processing = 0;
    /// Keys that wait for their due time.
    std::size_t delayed = 0;
    /// Keys that need a run and are held: by `debounce` or `min_interval`.
    std::size_t held = 0;
    /// All keys stored, including those kept only for their failure count or their last start.
    std::size_t keys = 0;
    /// Memory of the tables for those keys, without memory that a key owns elsewhere, such as a long text.
    std::size_t bytes = 0;
    /// Coroutines waiting in get().
    std::size_t waiting_workers = 0;
    /// Adds that requested a run that was not already pending.
    std::uint64_t adds = 0;
    /// Calls of add_after() and add_rate_limited(), whatever their effect.
    std::uint64_t retries = 0;
    /// Keys that were given to workers.
    std::uint64_t handed_out = 0;
    /// Keys whose class function threw.
    std::uint64_t unclassified = 0;
    /// Whether it accepts no further keys.
    bool shutting_down = false;
    /// Some of the keys being processed, the longest running first, as text.
    std::vector<std::string> in_work = {};
    /// For each of them, how long it has been with its worker. Empty in a queue without metrics, which takes no times.
    std::vector<duration> running_for = {};
    /// How long the ready key that has waited longest has waited. Empty without ready keys or metrics.
    std::optional<duration> oldest_age = {};
    /// That key, as text.
    std::string oldest = {};
    /// The ten classes with the most ready keys, the largest first. With more than ten classes of several priorities, or
    /// more than 4,096 classes, it is an estimate.
    std::vector<class_of_keys> largest_classes = {};
    /// Number of classes with ready keys; a class with keys of several priorities counts for each.
    std::size_t class_lanes = 0;
};

/// A one-line summary.
[[nodiscard]] std::string describe(const workqueue_stats& s);

} // namespace kubecoro
