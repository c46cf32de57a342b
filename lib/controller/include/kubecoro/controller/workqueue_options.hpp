#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/controller/rate_limiter.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

/// Priorities go from -100 to 100; what is beyond counts as the nearest.
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
    /// How long failed keys wait. Empty = default_controller_limiter().
    std::unique_ptr<rate_limiter> limiter = {};
    /// A higher priority goes first; but of so many hand-outs in a row that passed over a lower one, the last goes to the
    /// key that has waited longest, whatever its priority, so that nothing starves. 0 = never, 1 = priorities mean nothing.
    unsigned ageing = 8;
    /// Where workqueue_depth and its like go, if the queue has a name. Empty = nowhere, and then nothing is timed.
    std::shared_ptr<metrics> measures = {};
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives failures of the queue itself.
    logger log = {};
    KUBECORO_NAME_FIRST;
};

/// A picture of one queue.
struct workqueue_stats
{
    /// The name from its options.
    std::string name = {};
    /// Keys that a worker could have now; what len() says.
    std::size_t ready = 0;
    /// Keys that workers have.
    std::size_t processing = 0;
    /// Keys that wait for their moment.
    std::size_t delayed = 0;
    /// Keys that are remembered for any reason: also those whose failures were not forgotten.
    std::size_t keys = 0;
    /// Of the tables of those keys; without what a key owns elsewhere, such as a long text.
    std::size_t bytes = 0;
    /// Coroutines that wait in get().
    std::size_t waiting_workers = 0;
    /// Adds that asked for a run that was not waiting already.
    std::uint64_t adds = 0;
    /// add_after and add_rate_limited, whatever became of them.
    std::uint64_t retries = 0;
    /// Keys that were given to workers.
    std::uint64_t handed_out = 0;
    /// Whether it accepts no further keys.
    bool shutting_down = false;
    /// Some of the keys in work, the longest running first, as text.
    std::vector<std::string> in_work = {};
};

/// One line for people.
[[nodiscard]] std::string describe(const workqueue_stats& s);

} // namespace kubecoro
