#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace kubecoro::bench {

/// Nanoseconds per key.
struct queue_times
{
    double add = 0;
    double get_done = 0;
};

/// The work queue by itself: a million distinct keys added, then handed out and given back as succeeded, one by one.
[[nodiscard]] boost::asio::awaitable<queue_times> measure_queue(boost::asio::any_io_executor executor);

} // namespace kubecoro::bench
