#include "process/stop_signals.hpp"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <poll.h>
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
/// The same for the thread; -1 = there is none.
std::atomic<int> wakes_watcher{-1};

std::int64_t monotonic_now() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void wake(int end) noexcept
{
    if (end >= 0) static_cast<void>(::write(end, "", 1) == 1); // the pipe is empty
}

/// @return whether there is something to read, or the other end is closed, within the time; negative = however long it takes.
bool readable(int fd, int milliseconds) noexcept
{
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    int ready = 0;
    do ready = ::poll(&wanted, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

std::array<int, 2> make_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw boost::system::system_error(errno, boost::system::system_category(), "pipe");
    return ends;
}

extern "C" void on_stop_signal(int)
{
    const int kept = errno;
    const int end = wakes.load();
    const auto now = monotonic_now();
    std::int64_t first = 0;
    if (end >= 0 && first_at.compare_exchange_strong(first, now)) {
        wake(end);
        wake(wakes_watcher.load());
    } else if (end >= 0 && now - first > one_request)
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

stop_signals::stop_signals(asio::io_context& io, latch stop, std::function<void()> on_first, duration longest)
    : stop_(std::move(stop)), on_first_(std::move(on_first)), arrived_(io)
{
    const auto ends = make_pipe();
    write_end_ = ends[1];
    arrived_.assign(ends[0]);
    first_at = 0;
    wakes = write_end_;
    await_first();
    if (longest > duration::zero()) watch(longest);
    handle(SIGINT, former_interrupt_);
    handle(SIGTERM, former_termination_);
}

stop_signals::~stop_signals()
{
    ignore();
    ::sigaction(SIGINT, &former_interrupt_, nullptr);
    ::sigaction(SIGTERM, &former_termination_, nullptr);
    ::close(write_end_);
    wakes_watcher = -1;
    if (watched_[1] >= 0) ::close(watched_[1]);
    if (watcher_.joinable()) watcher_.join();
    if (watched_[0] >= 0) ::close(watched_[0]);
}

void stop_signals::watch(duration longest)
{
    watched_ = make_pipe();
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(longest).count();
    const auto milliseconds = static_cast<int>(std::min<std::int64_t>(limit, std::numeric_limits<int>::max()));
    watcher_ = std::thread([this, from = watched_[0], milliseconds] {
        char first = 0;
        readable(from, -1);
        // Nothing is there to be read: the object is being destroyed.
        if (::read(from, &first, 1) != 1 || readable(from, milliseconds) || loop_runs_.load()) return;
        std::_Exit(interrupted);
    });
    wakes_watcher = watched_[1];
}

void stop_signals::ignore() noexcept
{
    wakes = -1;
    alive();
    boost::system::error_code ignored;
    arrived_.cancel(ignored);
}

void stop_signals::await_first()
{
    arrived_.async_wait(asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code& ec) {
        if (ec) return;
        // If it is settled, the program was about to stop by itself.
        if (!stop_.settle({})) std::_Exit(interrupted);
        on_first_();
    });
}

} // namespace kubecoro::detail
