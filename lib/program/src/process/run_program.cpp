#include <kubecoro/program/run_program.hpp>

#include "process/stop_signals.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

/// For a loop that is busy when the command is cancelled: a program is blocked beyond it.
constexpr std::chrono::seconds patience_of_watcher{1};
/// For what is left when the program's work has ended.
constexpr std::chrono::seconds patience_at_end{2};

void on_user_signal(asio::signal_set& signals, const std::function<void(bool more)>& call)
{
    signals.async_wait([&signals, &call](const boost::system::error_code& ec, int which) {
        if (ec) return;
        call(which == SIGUSR1);
        on_user_signal(signals, call);
    });
}

/// Opens /dev/null in place of closed standard streams: the next socket would otherwise get that number, and receive
/// the program's output.
void fill_closed_streams()
{
    int fd = 0;
    while ((fd = ::open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO) {
    }
    if (fd >= 0) ::close(fd);
}

} // namespace

int run_program(const std::function<asio::awaitable<result<>>(program_context)>& main, std::string_view name,
                saturating_duration grace)
{
    const auto show = [name](const failure& why) {
        std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(name.size()), name.data(), why.describe().c_str());
    };
    return detail::run_hooked(main, {.on_failure = show}, grace);
}

int detail::run_hooked(const std::function<asio::awaitable<result<>>(program_context)>& main,
                       const program_hooks& hooks, duration longest)
{
    fill_closed_streams();
    std::signal(SIGPIPE, SIG_IGN);
    asio::io_context io(1);
    const program_context context{io.get_executor(), {}};
    asio::cancellation_signal cancel;
    asio::steady_timer grace(io);
    std::optional<detail::stop_signals> signals;
    const auto cancel_after_grace = [&] {
        if (longest == duration::zero()) return;
        grace.expires_after(std::min<duration>(longest, std::chrono::hours{24 * 365}));
        grace.async_wait([&](const boost::system::error_code& ec) {
            if (ec) return;
            signals->alive();
            cancel.emit(asio::cancellation_type::terminal);
        });
    };
    signals.emplace(io, context.stop, cancel_after_grace,
                    longest == duration::zero() ? longest : saturating_sum(longest, patience_of_watcher));
    asio::signal_set users(io);
    if (hooks.on_verbosity) {
        users.add(SIGUSR1);
        users.add(SIGUSR2);
        on_user_signal(users, hooks.on_verbosity);
    }

    std::optional<result<>> outcome;
    auto whole = catch_failure(main(context));
    const auto on_end = [&](std::exception_ptr thrown, result<> ended) {
        outcome = thrown ? result<>(to_failure(thrown)) : ended;
        signals->ignore();
        grace.cancel();
        users.cancel();
    };
    asio::co_spawn(io, std::move(whole), asio::bind_cancellation_slot(cancel.slot(), on_end));
    while (!outcome && io.run_one() != 0) {
    }
    // Operations that outlive the program's work, such as a peer that never answers a goodbye, do not hold up its end.
    io.run_for(patience_at_end);

    if (!outcome || *outcome) return 0;
    if (outcome->error() == cond::cancelled) return 130;
    hooks.on_failure(outcome->error());
    return 1;
}

} // namespace kubecoro
