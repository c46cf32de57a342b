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

/// What informer_options::check_consistency has found.
struct consistency_stats
{
    /// Comparisons that were made.
    std::uint64_t checks = 0;
    /// Of these: the server no longer had the version, or gave no answer.
    std::uint64_t skipped = 0;
    /// Of these: the store differed from the server.
    std::uint64_t failed = 0;
    /// The last difference that was found, in words; empty = none.
    std::string last_difference = {};
};

/// A picture of one informer.
struct informer_stats
{
    /// Its state at that moment.
    informer_state state = informer_state::created;
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
    /// Watches that are kept, one for each namespace or one for all.
    std::size_t namespaces = 0;
    /// Since the last list, event or bookmark of any of them. A quiet resource is silent for long.
    std::optional<duration> silent_for = {};
    /// From start() to the first filled store.
    std::optional<duration> time_to_sync = {};
    /// Lists and watches, summed over the namespaces.
    reflector_stats reflector = {};
    /// Notifications by type, counted once however many handlers there are.
    std::uint64_t added = 0;
    /// Notifications of updates.
    std::uint64_t updated = 0;
    /// Notifications of deletions.
    std::uint64_t deleted = 0;
    /// Index functions that threw.
    std::uint64_t index_failures = 0;
    /// Objects that were stored as they came, because informer_options::transform failed.
    std::uint64_t transform_failures = 0;
    /// Labels by which lists are answered without going through everything.
    std::vector<std::string> indexed_labels = {};
    /// Consistency checks.
    consistency_stats consistency = {};
    /// One entry per handler and subscription.
    std::vector<handler_stats> handlers = {};
};

} // namespace kubecoro
