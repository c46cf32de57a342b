#pragma once

#include "election/lease_record.hpp"
#include "shards/shard_view.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/// The Lease of a member as the server has it.
struct shard_lease
{
    member_id id = 0;
    lease_record record = {};
    /// The keys that the member claims. Empty = unreadable.
    std::optional<shard_view> view = {};
    std::string resource_version = {};
    std::string uid = {};
};

/// All Leases of a group at one version.
struct shard_listing
{
    std::vector<shard_lease> leases = {};
    std::string resource_version = {};
};

namespace shard_step {

/// Nothing to do until that time, if there is one, or the next input.
struct wait
{
    std::optional<time_point> until;
};
/// List the group at its latest version. Answered by listed().
struct list
{
    duration limit;
};
/// Create the own Lease. Answered by written().
struct create
{
    shard_view view;
    duration limit;
};
/// Renew the own Lease if it is at the version that was read or written last. Answered by written().
struct update
{
    shard_view view;
    duration limit;
};
/// Delete a Lease if it is at this version. Answered by removed().
struct remove
{
    member_id id;
    std::string uid;
    std::string resource_version;
    duration limit;
};
/// Work on these keys from now on, and on no others. Runs of others may take `patience` to end, then they are cancelled.
/// Answered by drained() when none is left.
struct assign
{
    shard_share share;
    duration patience;
    std::uint64_t epoch;
};
/// Nothing is left to do.
struct finish
{
};

using any = std::variant<wait, list, create, update, remove, assign, finish>;

} // namespace shard_step

/// The phases of a member.
enum class shard_phase
{
    joining,
    member,
    leaving,
    over
};

/** The decisions of one member of a group that divides keys. Sans-io, not thread safe.

    The group is the set of its Leases, one for each member. Each Lease states the view of which its member works on its part:
    its claim. Three rules keep two members from working on one key:
    - Before a member works on keys that its former view did not give it, it has written the new view, and then seen, at a
      version not older than that, no Lease that claims them. When two claim a key at once, one at least sees the other.
    - Before a member gives up a claim, its runs of these keys have ended.
    - A Lease ends by deletion only. Others delete it, at the version they know, once it has not changed for the duration that
      it states; its member has stopped working `renew_deadline` after it sent its last successful write.

    After every input, and when a wait has expired, call next() until it returns wait or finish. One request at a time. */
class shard_core
{
public:
    struct settings
    {
        member_id id = 0;
        /// Unique to this process.
        std::string holder = {};
        shard_by by = shard_by::object;
        duration lease_duration{};
        duration renew_deadline{};
        duration retry_period{};
        duration request_limit{};
        /// How long runs may take to end when their keys are handed over, or after stop().
        duration grace{};
        /// At most most_members.
        std::size_t max_members = most_members;
    };

    shard_core(settings s, std::uint64_t seed);

    // ---- inputs: answers
    void listed(time_point now, const result<shard_listing>& answer);
    void written(time_point now, const result<shard_lease>& answer);
    void removed(time_point now, const result<>& answer);
    /// The request in flight, whichever it is, has failed, or the input that reported its answer has thrown.
    void request_failed(time_point now, const failure& why);
    /// No run outside the share of that assign is left.
    void drained(std::uint64_t epoch) noexcept;
    // ---- inputs: a watch of the group
    void seen(time_point now, const shard_lease& lease);
    void seen_deleted(member_id id, const std::string& uid);
    /// Whether a watch would show a change at once. Without one the group is listed again and again.
    void watched(bool on) noexcept;
    /// Leaves the group: runs get the grace period, then they are cancelled.
    void stop() noexcept;
    /// The same without a grace period.
    void stop_at_once() noexcept;

    // ---- output
    [[nodiscard]] shard_step::any next(time_point now);

    [[nodiscard]] shard_phase phase() const noexcept { return phase_; }
    /// When the work ends unless the Lease is renewed before.
    [[nodiscard]] time_point works_until() const noexcept;
    /// When others may delete the Lease, by the last write that succeeded.
    [[nodiscard]] time_point lease_expires() const noexcept;
    /// Whether its Lease was renewed in time.
    [[nodiscard]] bool is_in_time(time_point now) const noexcept { return !suspended_ && now < works_until(); }
    /// Whether it works at all at that time.
    [[nodiscard]] bool works(time_point now) const noexcept;
    /// Members by their Leases, this one included once it has one.
    [[nodiscard]] std::size_t members() const noexcept { return others_.size() + (has_lease_ ? 1 : 0); }
    /// Whether every key of this member is being worked on: no hand-over is under way.
    [[nodiscard]] bool settled() const;
    /// Others whose claims cannot be read: they may claim any key, so that this member works on none.
    [[nodiscard]] std::vector<member_id> unreadable() const;
    /// Leases of others that were deleted because they had expired.
    [[nodiscard]] std::uint64_t evictions() const noexcept { return evictions_; }
    /// How often this member was found to be no member any more.
    [[nodiscard]] std::uint64_t losses() const noexcept { return losses_; }
    /// How often its work was suspended because its Lease was not renewed in time.
    [[nodiscard]] std::uint64_t suspensions() const noexcept { return suspensions_; }
    /// Why requests fail; empty after a success, of a list if a list had failed.
    [[nodiscard]] const std::optional<failure>& trouble() const noexcept { return trouble_; }

private:
    enum class request
    {
        none,
        list,
        create,
        update,
        remove
    };
    struct other
    {
        shard_lease lease;
        time_point changed_at;
        /// Seen by the watch since the list in flight was sent, so that its answer may be older.
        bool seen_meanwhile = false;
    };

    // shard_core.cpp
    [[nodiscard]] shard_view target() const;
    [[nodiscard]] shard_share share() const;
    [[nodiscard]] duration patience() const noexcept;
    [[nodiscard]] bool is_drained() const noexcept { return drained_ == epoch_; }
    [[nodiscard]] shard_view view_to_write() const;
    [[nodiscard]] bool can_move() const;
    [[nodiscard]] time_point expiry(const other& o) const noexcept;
    [[nodiscard]] const other* first_to_expire() const noexcept;
    [[nodiscard]] time_point renewal_at() const noexcept;
    [[nodiscard]] duration limit(time_point now) const noexcept;
    [[nodiscard]] shard_step::any rest(std::optional<time_point> until) const;
    [[nodiscard]] shard_step::any ask_list(time_point now);
    [[nodiscard]] shard_step::any ask_create(time_point now);
    [[nodiscard]] shard_step::any ask_update(time_point now);
    [[nodiscard]] shard_step::any ask_remove(time_point now, const shard_lease& lease);
    [[nodiscard]] shard_step::any as_joining(time_point now);
    [[nodiscard]] shard_step::any as_member(time_point now);
    [[nodiscard]] shard_step::any as_leaving(time_point now);

    // shard_answers.cpp
    void note(const std::optional<failure>& f);
    void try_later(time_point now);
    void list_again() noexcept;
    [[nodiscard]] bool is_own(const shard_lease& lease) const noexcept;
    [[nodiscard]] bool is_too_large(const shard_listing& list) const noexcept;
    void observe(time_point now, const shard_lease& lease);
    [[nodiscard]] static other changed(const other& known, const shard_lease& lease, time_point now);
    [[nodiscard]] std::map<member_id, other> others_by(const shard_listing& list, time_point now) const;
    void observe_own(const shard_lease* lease);
    void adopt(const shard_lease& lease);
    void renewed(time_point now);
    void lost() noexcept;

    settings settings_;
    random_source random_;
    shard_phase phase_ = shard_phase::joining;

    /// Those with the own id are of another process that has the same name.
    std::map<member_id, other> others_;
    std::string list_version_;

    // The own Lease.
    bool has_lease_ = false;
    /// A creation without an answer may have succeeded.
    bool may_exist_ = false;
    shard_lease own_;
    shard_view published_;
    /// A view that was written, without knowing whether it counts, and the version that it would have replaced.
    std::optional<shard_view> attempted_;
    std::string attempt_base_;
    /// The published view for which the claims of all others are known.
    std::optional<shard_view> cleared_;

    // The work.
    shard_share assigned_;
    duration assigned_patience_{};
    std::uint64_t epoch_ = 0;
    std::uint64_t drained_ = 0;
    bool suspended_ = false;
    bool hurry_ = false;
    bool was_lost_ = false;

    request in_flight_ = request::none;
    member_id removing_ = 0;
    std::string removing_uid_;
    shard_view writing_;
    bool list_due_ = true;
    /// The list in flight may be older than what was seen since it was sent.
    bool outdated_ = false;
    /// The own Lease may be at another version than the one that is known.
    bool own_stale_ = false;
    bool watched_ = false;
    bool failed_ = false;
    time_point sent_at_{};
    time_point wrote_at_{};
    time_point renewed_at_{};
    std::optional<time_point> next_attempt_;
    std::optional<time_point> no_eviction_until_;
    std::optional<time_point> resync_at_;
    std::optional<time_point> leave_until_;
    duration spread_{};

    std::uint64_t evictions_ = 0;
    std::uint64_t losses_ = 0;
    std::uint64_t suspensions_ = 0;
    std::optional<failure> trouble_;
    /// The kind of request that it was.
    request troubled_ = request::none;
};

} // namespace kubecoro::detail
