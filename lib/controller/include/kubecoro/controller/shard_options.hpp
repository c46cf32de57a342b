#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/shard_by.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/** Options of a shard_member. Members of one group have the same group, namespace and `by`.

    `lease_duration` must be more than `renew_deadline`, which must be more than 1.2 times `retry_period`. */
struct shard_options
{
    /// Name of the group: the members' Leases are named after it and carry it as a label. Letters, digits and dashes, at most 40.
    /// Required.
    std::string group = {};
    /// Namespace of the Leases. Empty = the client's default namespace: in a pod, its own.
    std::string ns = {};
    /// Names this member, and no other one that runs. Empty = host name and a random UUID. A name that a restart keeps, such as
    /// that of a pod in a StatefulSet, gets its keys back.
    std::string identity = {};
    /// How keys are divided.
    shard_by by = shard_by::object;
    /** How long others wait after the last renewal before they take over. At least 1 s; rounded up to whole seconds. Others
        believe a Lease for an hour at most, or for their own `lease_duration` if that is longer: more than an hour must be the
        same for all members. */
    saturating_duration lease_duration = std::chrono::seconds{15};
    /// How long a member whose renewals fail still works. The rest of `lease_duration` is for its runs to end.
    saturating_duration renew_deadline = std::chrono::seconds{10};
    /// Time between renewals.
    saturating_duration retry_period = std::chrono::seconds{2};
    /// How long runs may take to end when their keys move to another member, or at a stop; then they are cancelled. 0 = at once.
    saturating_duration grace = std::chrono::seconds{20};
    /** How long informers of the share wait before they list for keys that have come: members that come and go meanwhile cost one list,
        and one that is back in time under its name costs none. Keys that come wait as long; 0 = they do not. */
    saturating_duration list_delay = std::chrono::seconds{1};
    /// Whether the group is watched, so that keys move at once. Without the permission it is listed every `retry_period`.
    bool watch = true;
    /** In a manager: whether the informers of what its controllers work on keep only the objects of this member's keys, and with
        shard_by::ns also those of what they own and watch. Others have no object in these stores. Informers that are
        declared with options are as those say; elsewhere, give share() to informer_options. */
    bool divides_objects = false;
    /// Labels that a member sets on its Lease. Others stay.
    std::vector<std::pair<std::string, std::string>> labels = {};
    /// Seeds the jitter, and not the random identity, which is never the same. Empty = from the system.
    std::optional<std::uint64_t> seed = {};
    /// Receives kubecoro_shard_*. Null = no metrics.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    /// Null = the clock of the client.
    std::shared_ptr<time_source> time = {};
    /// Receives members that come and go, hand-overs, and requests that fail.
    logger log = {};
};

/// The states of a member.
enum class shard_state
{
    /// run() was not called, or has ended.
    idle,
    /// Has no Lease, and works on nothing.
    joining,
    /// Works on its keys, except those that are on their way to it or from it.
    moving,
    /// Works on all its keys, and all members agree.
    settled,
    /// Its Lease was not renewed in time: works on nothing until it is.
    suspended,
    leaving
};

/// The state's name.
[[nodiscard]] std::string_view to_string(shard_state s) noexcept;

/// A picture of a member and its group.
struct shard_stats
{
    /// Its state at that moment.
    shard_state state = shard_state::idle;
    /// This member.
    std::string identity = {};
    /// Its Lease.
    std::string lease = {};
    /// Members of the group by their Leases, this one included.
    std::size_t members = 0;
    /// Hand-overs that this member took part in.
    std::uint64_t moves = 0;
    /// Expired Leases of others that it deleted.
    std::uint64_t evictions = 0;
    /// How often others had deleted its Lease.
    std::uint64_t losses = 0;
    /// How often its work was suspended.
    std::uint64_t suspensions = 0;
    /// Runs that go on although their keys are to move: the hand-over waits for them.
    std::size_t awaited_runs = 0;
    /// Informers of the share that have yet to list the objects of keys that have come: those keys wait.
    std::size_t awaited_informers = 0;
    /// Why requests fail; empty after a success, of a list if a list had failed.
    std::optional<failure> trouble = {};
};

/// A human-readable summary in one line.
[[nodiscard]] std::string describe(const shard_stats& s);

} // namespace kubecoro
