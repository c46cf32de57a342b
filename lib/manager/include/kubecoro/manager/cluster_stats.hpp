#pragma once

#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro {

/// The states of a cluster of a manager.
enum class cluster_state
{
    /// The set is full, see clusters_options::max_clusters, others start, see max_starting, or its offer has changed
    /// again and again.
    waiting,
    /// Its client is made, and its informers get their first lists.
    joining,
    /// Its informers have synced; its controllers run while this replica leads.
    ready,
    /// Could not be joined or has failed, and waits for the next attempt.
    resting,
    /// Its work ends.
    leaving
};

/// The state's name.
[[nodiscard]] std::string_view to_string(cluster_state s) noexcept;

/// A snapshot of one cluster of a manager.
struct cluster_stats
{
    /// Its name.
    std::string name = {};
    /// Its state at that moment.
    cluster_state state = cluster_state::waiting;
    /// How often it was tried to join it, since it was offered or has changed.
    std::uint64_t attempts = 0;
    /// Why the last attempt ended.
    std::optional<failure> last_failure = {};
    /// Why informers cannot be filled or updated at present; the first of them.
    std::optional<failure> trouble = {};
    /// Objects in its informers.
    std::size_t objects = 0;
    /// Keys that wait in its queues.
    std::size_t queued = 0;
};

/// A line of text: "eu: ready, 120 objects, 3 keys queued".
[[nodiscard]] std::string describe(const cluster_stats& s);

} // namespace kubecoro
