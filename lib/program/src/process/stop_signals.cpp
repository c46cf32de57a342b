#include "process/stop_signals.hpp"

#include <boost/system/system_error.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

/// Signals within this time, in nanoseconds, count as one: a shell or timeout(1) signals both the process and its group.
constexpr std::int64_t one_request = 250'000'000;

constexpr int interrupted = 130;

// A signal handler refers to nothing but such objects.
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
/// When the first signal came, on the monotonic clock; 0 = none yet.
std::atomic<std::int64_t> first_at{0};
/// Written to at the first signal; -1 = signals have no effect.
std::atomic<int> wakes{-1};

std::int64_t monotonic_now() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

extern "C" void on_stop_signal(int)
{
    const int kept = errno;
    const int end = wakes.load();
    const auto now = monotonic_now();
    std::int64_t first = 0;
    if (end >= 0 && first_at.compare_exchange_strong(first, now))
        static_cast<void>(::write(end, "", 1) == 1); // the pipe is empty
    else if (end >= 0 && now - first > one_request)
        std::_Exit(interrupted);
    errno = kept;
}

void handle(int which, struct ::sigaction& former)
{
    struct ::sigaction how = {};
    how.sa_handler = on_stop_signal;
    how.sa_flags = SA_RESTART;
    ::sigaction(which, &how, &former);
}

} // namespace

stop_signals::stop_signals(asio::io_context& io, latch stop) : stop_(std::move(stop)), arrived_(io)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw boost::system::system_error(errno, boost::system::system_category(), "pipe");
    write_end_ = ends[1];
    arrived_.assign(ends[0]);
    first_at = 0;
    wakes = write_end_;
    await_first();
    handle(SIGINT, former_interrupt_);
    handle(SIGTERM, former_termination_);
}

stop_signals::~stop_signals()
{
    ignore();
    ::sigaction(SIGINT, &former_interrupt_, nullptr);
    ::sigaction(SIGTERM, &former_termination_, nullptr);
    ::close(write_end_);
}

void stop_signals::ignore() noexcept
{
    wakes = -1;
    boost::system::error_code ignored;
    arrived_.cancel(ignored);
}

void stop_signals::await_first()
{
    arrived_.async_wait(asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code& ec) {
        if (ec || stop_.settle({})) return;
        // The program was about to stop by itself.
        std::_Exit(interrupted);
    });
}

} // namespace kubecoro::detail
