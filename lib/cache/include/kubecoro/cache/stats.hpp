#pragma once

#include <kubecoro/api/storage.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/cache/event_handler.hpp>
#include <kubecoro/cache/reflector_stats.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// Snapshot of one informer.
struct informer_stats
{
    /// Results of informer_options::check_consistency.
    struct consistency_checks
    {
        /// Comparisons that were made.
        std::uint64_t checks = 0;
        /// Checks without a result: the server no longer had the version, or did not answer.
        std::uint64_t skipped = 0;
        /// Checks in which the store differed from the server.
        std::uint64_t failed = 0;
        /// The last difference that was found, in words; empty = none.
        std::string last_difference = {};
    };

    /// Its state at that moment.
    informer_state state = informer_state::created;
    /// The failure that has ended the informer: an exception that left one of its loops. The log has it too.
    std::optional<failure> ended_by = {};
    /// Whether the first list of every namespace is stored.
    bool synced = false;
    /// Objects in the store.
    std::size_t objects = 0;
    /// Heap bytes of the stored objects at rest, without tables and indexes.
    std::size_t bytes = 0;
    /// Memory of those objects.
    storage_stats storage = {};
    /// The version the store has reached.
    std::string resource_version = {};
    /// Number of watches: one for each namespace, or one for all.
    std::size_t namespaces = 0;
    /// Time since the last list, event or bookmark of any namespace. A quiet resource is silent for long.
    std::optional<duration> silent_for = {};
    /// How old the store may be: time since the last event, bookmark or list of the namespace that is worst off. Lists that
    /// show nothing newer than a version which the server has refused to watch do not count: see reflector_stats::behind.
    std::optional<duration> store_age = {};
    /// Time from start() to the first filled store.
    std::optional<duration> time_to_sync = {};
    /// Lists and watches, summed over the namespaces.
    reflector_stats reflector = {};
    /// Notifications by type, counted once independent of the number of handlers.
    std::uint64_t added = 0;
    /// Notifications of updates.
    std::uint64_t updated = 0;
    /// Notifications of deletions.
    std::uint64_t deleted = 0;
    /// Deltas received that are not in the store yet; the items of a list count each. See delta_fifo.
    std::size_t pending = 0;
    /// Attempts to store changes that failed and were repeated: see informer_options::transform.
    std::uint64_t processing_failures = 0;
    /// Events and list items of objects that informer_options::share does not have: they were not decoded.
    std::uint64_t passed_over = 0;
    /// Index functions that threw.
    std::uint64_t index_failures = 0;
    /// Objects stored as received because informer_options::transform failed.
    std::uint64_t transform_failures = 0;
    /// Labels by which lists are answered from an index.
    std::vector<std::string> indexed_labels = {};
    /// Consistency checks.
    consistency_checks consistency = {};
    /// One entry per handler and subscription.
    std::vector<handler_stats> handlers = {};
};

} // namespace kubecoro
