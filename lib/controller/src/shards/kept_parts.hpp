#pragma once

#include "shards/shard_view.hpp"

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Decides whose objects the informers of a member keep, and when they list those of keys that have come. Sans-io, not thread safe.

    A part is the keys that are the member's by all of some views. The newest is the share; others are kept for runs that have not
    ended. Growth waits, so that changes which come together cost one list, and a member that comes back in time costs none. */
class kept_parts
{
public:
    using views = std::vector<shard_view>;

    /// @param list_delay  From the first growth to the list.
    explicit kept_parts(duration list_delay) noexcept : list_delay_(list_delay) {}

    /// The share is that of these views. Not for one without keys.
    ///
    /// @param waits  False: there is no informer to spare lists for.
    /// @return whether something has changed.
    bool assign(member_id self, const views& now, time_point at, bool waits);
    /// No run outside the share is left.
    ///
    /// @return whether something has changed.
    bool drained();
    /// @return whether lists are due.
    bool list_if_due(time_point now);

    /// Whether objects with this key are kept.
    [[nodiscard]] bool has(object_key_view key) const noexcept;
    /// Number of lists that informers were asked for.
    [[nodiscard]] std::uint64_t gains() const noexcept { return gains_; }
    /// When informers are to list; empty = nothing has come.
    [[nodiscard]] std::optional<time_point> list_at() const noexcept { return list_at_; }
    [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }

    /// More are joined to one that has the keys of both, and others.
    static constexpr std::size_t most_parts = 8;

private:
    enum class origin
    {
        /// The informers have its objects, or were asked for them.
        listed,
        /// Its list is still to come.
        awaited,
        /// Made of several.
        joined
    };
    struct part
    {
        views all;
        origin from;
    };

    [[nodiscard]] bool had(const views& now) const;
    [[nodiscard]] part join(const part& a, const part& b) const;

    duration list_delay_;
    member_id self_ = 0;
    /// The share first.
    std::vector<part> parts_;
    std::uint64_t gains_ = 0;
    std::optional<time_point> list_at_;
};

} // namespace kubecoro::detail
