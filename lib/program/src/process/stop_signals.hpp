#pragma once

#include <kubecoro/base/latch.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <csignal>

namespace kubecoro::detail {

/** SIGINT and SIGTERM of a program. The first settles its latch, a later one ends the process.

    The handler itself ends the process, not the event loop: work that blocks the loop is a reason for a second signal. One
    object at a time; the former handlers are back when it is destroyed. */
class stop_signals
{
public:
    stop_signals(boost::asio::io_context& io, latch stop);
    stop_signals(const stop_signals&) = delete;
    stop_signals& operator=(const stop_signals&) = delete;
    ~stop_signals();

    /// Signals have no effect from now on.
    void ignore() noexcept;

private:
    void await_first();

    latch stop_;
    boost::asio::posix::stream_descriptor arrived_;
    int write_end_ = -1;
    struct ::sigaction former_interrupt_ = {};
    struct ::sigaction former_termination_ = {};
};

} // namespace kubecoro::detail
