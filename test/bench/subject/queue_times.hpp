#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>

namespace kubecoro::bench {

/// Nanoseconds a key, of the clock on the wall.
struct queue_times
{
    /// Add, get, forget and done of one key after the other, of a thousand keys again and again.
    double cycle = 0;
    /// Of so many distinct keys: all added, then each got, forgotten and done.
    double add = 0;
    double get_done = 0;
    /// All added to an empty queue for moments between an hour and two from now.
    double add_after = 0;
    /// Resident bytes a key after that, not nanoseconds.
    double add_after_bytes = 0;
    /// Two threads add, four take and give back, until all keys are done.
    double contended = 0;
};

/// The work queue by itself, with so many keys.
[[nodiscard]] boost::asio::awaitable<queue_times> measure_queue(boost::asio::any_io_executor executor,
                                                                std::size_t keys);

} // namespace kubecoro::bench
