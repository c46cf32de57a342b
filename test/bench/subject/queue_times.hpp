#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>

namespace kubecoro::bench {

/// Wall-clock nanoseconds per key.
struct queue_times
{
    /// Add, get, forget and done of one key after the other, repeatedly over a thousand keys.
    double cycle = 0;
    /// For this number of distinct keys: all added, then each got, forgotten and done.
    double add = 0;
    double get_done = 0;
    /// All added to an empty queue with delays between one and two hours.
    double add_after = 0;
    /// Resident bytes per key after that, not nanoseconds.
    double add_after_bytes = 0;
    /// Two threads add, four get and finish, until all keys are done.
    double contended = 0;
};

/// Measures the work queue by itself, with this number of keys.
[[nodiscard]] boost::asio::awaitable<queue_times> measure_queue(boost::asio::any_io_executor executor,
                                                                std::size_t keys);

} // namespace kubecoro::bench
