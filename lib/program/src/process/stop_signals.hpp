#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace kubecoro::detail {

/** SIGINT and SIGTERM of a program. The first settles its latch, a later one ends the process.

    Neither of the two that end the process needs the event loop, which may be blocked: the handler itself does it at a second
    signal, and a thread of this object some time after the first. One object at a time; the former handlers are back when it is
    destroyed. */
class stop_signals
{
public:
    /// @param on_first  Called on the loop after the latch is settled.
    /// @param longest   From the first signal to the end of the process, unless ignore() or alive() is called. 0 = no limit.
    stop_signals(boost::asio::io_context& io, latch stop, std::function<void()> on_first, duration longest);
    stop_signals(const stop_signals&) = delete;
    stop_signals& operator=(const stop_signals&) = delete;
    ~stop_signals();

    /// Signals have no effect from now on.
    void ignore() noexcept;
    /// The loop runs: the first signal does not end the process any more.
    void alive() noexcept { loop_runs_.store(true); }

private:
    void await_first();
    void watch(duration longest);

    latch stop_;
    std::function<void()> on_first_;
    boost::asio::posix::stream_descriptor arrived_;
    int write_end_ = -1;
    /// Ends of a pipe that the handler writes to for the thread.
    std::array<int, 2> watched_{-1, -1};
    std::atomic<bool> loop_runs_{false};
    std::thread watcher_;
    struct ::sigaction former_interrupt_ = {};
    struct ::sigaction former_termination_ = {};
};

} // namespace kubecoro::detail
