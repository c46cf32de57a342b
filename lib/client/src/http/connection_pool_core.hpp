#pragma once
// Decides which idle connections to keep, reuse and close. Sans-io.

#include <kubecoro/base/detail/expect.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace kubecoro::detail {

struct pool_limits
{
    /// Maximum number of idle connections; connections in use are not limited, because every watch holds one. client-go
    /// keeps 25: a program with more requests at once opens connections again and again.
    std::size_t max_idle = 100;
    std::chrono::steady_clock::duration idle_timeout = std::chrono::seconds{90};
};

/** Idle connections by id. The most recently used is reused first: the others age and are closed.

    Times passed in must never decrease. The caller must close all connections whose ids are returned in a list. */
class connection_pool_core
{
public:
    using id = std::uint64_t;
    using moment = std::chrono::steady_clock::time_point;

    explicit connection_pool_core(pool_limits limits = {}) : limits_(limits) {}

    /// Adds a connection that has become idle. Returns those to close, possibly including this one.
    [[nodiscard]] std::vector<id> put(id connection, moment now);
    /// The connection to reuse, or none. Call expire() first.
    [[nodiscard]] std::optional<id> take();
    /// Removes and returns connections that have been idle too long.
    [[nodiscard]] std::vector<id> expire(moment now);
    /// The connection that has been idle for the longest time, or none.
    [[nodiscard]] std::optional<id> oldest() const;
    /// Removes and returns it.
    [[nodiscard]] std::vector<id> remove_oldest();
    [[nodiscard]] std::size_t idle() const noexcept { return idle_.size(); }

private:
    struct entry
    {
        id connection;
        moment since;
    };
    pool_limits limits_;
    // Oldest at the front.
    std::deque<entry> idle_;
};

inline std::vector<connection_pool_core::id> connection_pool_core::put(id connection, moment now)
{
    auto close = expire(now);
    idle_.push_back({connection, now});
    while (idle_.size() > limits_.max_idle) {
        close.push_back(idle_.front().connection);
        idle_.pop_front();
    }
    return close;
}

inline std::optional<connection_pool_core::id> connection_pool_core::take()
{
    if (idle_.empty()) return std::nullopt;
    const id newest = idle_.back().connection;
    idle_.pop_back();
    return newest;
}

inline std::optional<connection_pool_core::id> connection_pool_core::oldest() const
{
    if (idle_.empty()) return std::nullopt;
    return idle_.front().connection;
}

inline std::vector<connection_pool_core::id> connection_pool_core::remove_oldest()
{
    KUBECORO_EXPECT(!idle_.empty());
    const id first = idle_.front().connection;
    idle_.pop_front();
    return {first};
}

inline std::vector<connection_pool_core::id> connection_pool_core::expire(moment now)
{
    std::vector<id> old;
    while (!idle_.empty() && now - idle_.front().since >= limits_.idle_timeout) {
        old.push_back(idle_.front().connection);
        idle_.pop_front();
    }
    return old;
}

} // namespace kubecoro::detail
