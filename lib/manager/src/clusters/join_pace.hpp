#pragma once
// When a cluster may join again: a tenant who changes its offer many times a second costs one join each time otherwise.

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** The distance between two joins of one cluster: the first delay of the policy, and a longer one each time until the cluster
    has been left alone for the policy's longest. Remembers names that are gone, up to a limit. Sans-io, not thread safe. */
class join_pace
{
public:
    /// @param delays  Used without jitter. @param most  Maximum number of names; beyond it, the one due first is forgotten.
    join_pace(backoff_policy delays, std::size_t most);

    /// Not before. Empty = at any time.
    [[nodiscard]] std::optional<time_point> due(std::string_view name) const;
    void joined(const std::string& name, time_point now);

private:
    struct record
    {
        backoff delays;
        time_point due = {};
    };
    [[nodiscard]] bool is_calm(const record& r, time_point now) const;
    void make_room(time_point now);

    backoff_policy policy_;
    std::size_t most_;
    std::map<std::string, record, std::less<>> records_;
};

} // namespace kubecoro::detail
