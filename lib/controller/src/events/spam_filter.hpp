#pragma once

#include "events/recent_map.hpp"

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

/** Limits the requests about each object: a token bucket for each of the most recent objects. Sans-io. */
class spam_filter
{
public:
    /// @param burst     Requests at once. 0 = no limit.
    /// @param interval  Time in which one more is admitted.
    spam_filter(unsigned burst, duration interval, std::size_t most_objects);

    /// Takes a token of the object's bucket, if there is one.
    [[nodiscard]] bool admits(std::string_view object, time_point now);

private:
    struct bucket
    {
        /// Empty for a new bucket, which is full.
        std::optional<time_point> since = {};
        double tokens = 0;
    };

    double burst_;
    double per_second_;
    recent_map<bucket> buckets_;
};

} // namespace kubecoro::detail
