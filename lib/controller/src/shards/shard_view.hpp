#pragma once
// Which member works on which key. docs/guide/shards.md describes the hash for other programs: all members must agree.

#include <kubecoro/api/object.hpp>
#include <kubecoro/controller/shard_by.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Identifies a member within its group: the hash of its name.
using member_id = std::uint64_t;

/// FNV-1a of 64 bits, then the finalizer of MurmurHash3. Without a key, because members must agree.
[[nodiscard]] std::uint64_t shard_hash(std::string_view text) noexcept;

/// Members of the largest group, and of the longest view that is read: a check of a key compares its weights for all of them.
inline constexpr std::size_t most_members = 1000;

/// 16 hexadecimal digits.
[[nodiscard]] std::string member_text(member_id m);
/// Exactly what member_text() writes.
[[nodiscard]] std::optional<member_id> read_member(std::string_view text) noexcept;

/// The hash of the part of a key that counts.
[[nodiscard]] std::uint64_t unit_hash(shard_by by, object_key_view key) noexcept;

/** A set of members among which keys are divided: each key belongs to the member with the highest weight for it
    (rendezvous hashing), so that a member that comes or goes moves only its own share. */
struct shard_view
{
    shard_by by = shard_by::object;
    /// Sorted, without duplicates.
    std::vector<member_id> members = {};

    [[nodiscard]] bool has(member_id m) const noexcept;
    /// The member for the key; empty = there are no members.
    [[nodiscard]] std::optional<member_id> owner(object_key_view key) const noexcept;
    friend bool operator==(const shard_view&, const shard_view&) = default;
};

/// As in the annotation of a Lease: "object:" or "namespace:", and the members, separated by commas.
[[nodiscard]] std::string view_text(const shard_view& v);
/// Reads exactly what view_text() writes, with at most most_members members. Empty for anything else.
[[nodiscard]] std::optional<shard_view> read_view(std::string_view text);

/** The keys on which one member may work: those that belong to it in every view of `within`, and that no other member
    claims. A value; an empty `within` covers nothing. */
struct shard_share
{
    member_id self = 0;
    std::vector<shard_view> within = {};
    /// Other members and what they claim.
    std::vector<std::pair<member_id, shard_view>> others = {};

    [[nodiscard]] bool covers(object_key_view key) const noexcept;
    friend bool operator==(const shard_share&, const shard_share&) = default;
};

/// Whether a claim of another member can concern a key of the share. It cannot where both know of each other: a key has the
/// higher weight for one of them only.
[[nodiscard]] bool may_overlap(const shard_share& share, member_id other, const shard_view& claim) noexcept;

/// Whether `self`, whose keys are those that are its own in all views of `now`, surely had each of them in all views of `before`: others
/// that join take keys away alone.
[[nodiscard]] bool gains_nothing(member_id self, const std::vector<shard_view>& before,
                                 const std::vector<shard_view>& now);

} // namespace kubecoro::detail
