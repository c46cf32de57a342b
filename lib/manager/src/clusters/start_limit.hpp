#pragma once
// How many clusters start at a time: the first lists of hundreds at once would take all memory and time of the program.

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** The clusters that start, and those that wait for it, by name. A cluster starts until it is ready, has failed or has
    left, and counts for its patience at most: one that hangs holds up others that long. Sans-io, not thread safe. */
class start_limit
{
public:
    /// @param most  0 = no limit.
    start_limit(std::size_t most, duration patience) noexcept : most_(most), patience_(patience) {}

    /// Whether the cluster starts now. Otherwise it waits.
    [[nodiscard]] bool take(const std::string& name, time_point now);
    /// It is ready, has failed or has left. One that waits goes on waiting.
    void end(std::string_view name);
    /// It neither starts nor waits any more.
    void forget(std::string_view name);
    /// Starts that take longer count no more.
    void expire(time_point now);
    /// A cluster that waits and may start; null when there is none.
    [[nodiscard]] const std::string* next() const;
    /// When expire() lets another one start. Empty = none waits.
    [[nodiscard]] std::optional<time_point> due() const;
    [[nodiscard]] const std::set<std::string, std::less<>>& waiting() const noexcept { return waiting_; }

private:
    [[nodiscard]] bool full() const noexcept { return most_ != 0 && starting_.size() >= most_; }

    std::size_t most_;
    duration patience_;
    /// With the end of their patience.
    std::map<std::string, time_point, std::less<>> starting_;
    std::set<std::string, std::less<>> waiting_;
};

} // namespace kubecoro::detail
