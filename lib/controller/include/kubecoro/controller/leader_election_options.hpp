#pragma once

#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/** Options of a leader_elector. The defaults are those of Kubernetes' own components.

    `lease_duration` must be more than `renew_deadline`, which must be more than 1.2 times `retry_period`. Candidates may have
    different durations of up to an hour: everyone goes by the duration that the Lease says. */
struct leader_election_options
{
    /// Name of the Lease. Candidates of one election have the same. Required.
    std::string lease = {};
    /// Namespace of the Lease. Empty = the client's default namespace: in a pod, its own.
    std::string ns = {};
    /// Names this candidate, and no other one. Empty = host name and a random UUID, "janitor-7d9_0a4b...".
    std::string identity = {};
    /// How long others wait after the last renewal before they take over. At least 1 s; rounded up to whole seconds.
    saturating_duration lease_duration = std::chrono::seconds{15};
    /// How long a leader whose renewals fail still leads. The rest of `lease_duration` is for its work to end.
    saturating_duration renew_deadline = std::chrono::seconds{10};
    /// Time between renewals, and between attempts to become the leader. The latter are up to 2.2 times as long, at random.
    saturating_duration retry_period = std::chrono::seconds{2};
    /// Whether the Lease is given up when the work has ended, so that another candidate leads at once.
    bool release = true;
    /// How long the work may take to end after a stop; then it is cancelled. The Lease is renewed until it has ended. 0 =
    /// it is cancelled at once. The default leaves room for a controller's own grace period within the 30 s of a pod.
    saturating_duration grace = std::chrono::seconds{25};
    /// Whether candidates watch the Lease, so that they lead as soon as it is released. Without the permission to watch
    /// they read it every `retry_period`.
    bool watch = true;
    /// Labels that a leader sets on the Lease. Others stay.
    std::vector<std::pair<std::string, std::string>> labels = {};
    /// Called with the identity of each new leader, this one included, on the elector's strand. Must not block, and may throw, which
    /// is logged.
    callback<void(const std::string&)> on_new_leader = {};
    /// Seeds the jitter, and not the random identity, which is never the same. Empty = from the system.
    std::optional<std::uint64_t> seed = {};
    /// Receives leader_election_*. Null = no metrics.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    /// Null = the clock of the client.
    std::shared_ptr<time_source> time = {};
    /// Receives new leaders, and requests that fail.
    logger log = {};
};

/// The phases of an election.
enum class leader_phase
{
    /// run() was not called, or has ended.
    idle,
    candidate,
    leading,
    /// Still leads, but the work was asked to end.
    ending,
    /// Does not lead any more; the work was cancelled and has not ended yet.
    lost,
    /// The work has ended; the Lease is being given up.
    releasing
};

/// The phase's name.
[[nodiscard]] std::string_view to_string(leader_phase p) noexcept;

/// A picture of an election.
struct leader_stats
{
    /// Its phase at that moment.
    leader_phase phase = leader_phase::idle;
    /// This candidate.
    std::string identity = {};
    /// The holder of the Lease that was seen last; empty = none. Another program wrote it: at most 256 bytes, printable.
    std::string leader = {};
    /// How often the Lease has changed hands, as it says itself.
    std::int32_t transitions = 0;
    /// New leaders that were seen.
    std::uint64_t leaders_seen = 0;
    /// Renewals that took a read, because the write alone did not succeed.
    std::uint64_t slow_renewals = 0;
    /// Since the last successful renewal, if this candidate leads.
    duration since_renewal{0};
    /// Why the last request failed; empty after a success.
    std::optional<failure> trouble = {};
};

/// A human-readable summary in one line.
[[nodiscard]] std::string describe(const leader_stats& s);

} // namespace kubecoro
