#pragma once
// Which idle connections to keep, hand out and close. Sans-io.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace kubecoro::detail {

struct pool_limits
{
    /// Idle connections kept; those in use are not limited, because every watch holds one. 25 is client-go's number.
    std::size_t max_idle = 25;
    std::chrono::steady_clock::duration idle_timeout = std::chrono::seconds{90};
};

/** Idle connections by number, the most recently used first out: the others grow old and are closed.

    Inputs are times that never go back. Every call that returns numbers hands them over for closing. */
class connection_pool_core
{
public:
    using id = std::uint64_t;
    using moment = std::chrono::steady_clock::time_point;

    explicit connection_pool_core(pool_limits limits = {}) : limits_(limits) {}

    /// A connection has become idle. Returns what has to be closed; perhaps itself.
    [[nodiscard]] std::vector<id> put(id connection, moment now);
    /// The connection to use next, or none. Call expire first.
    [[nodiscard]] std::optional<id> take();
    /// Those idle for too long.
    [[nodiscard]] std::vector<id> expire(moment now);
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

} // namespace kubecoro::detail
