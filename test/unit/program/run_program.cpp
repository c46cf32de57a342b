// Signals of a program, in a process of its own.
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/program/run_program.hpp>
#include <kubecoro/test/catch.hpp>

#include <csignal>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace asio = boost::asio;
using namespace kubecoro;

/// Ends a child that would run for ever, which then has no exit status.
constexpr unsigned patience_seconds = 60;

/// The exit status of a process that runs the command; -1 if a signal has ended it.
int status_of(const std::function<asio::awaitable<result<>>(program_context)>& work,
              duration grace = std::chrono::hours{1})
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience_seconds);
        std::_Exit(run_program(work, "test", grace));
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("run_program: a second signal ends the process even while work blocks the event loop", "[program]")
{
    const auto blocks = [](program_context) -> asio::awaitable<result<>> {
        for (;;) std::raise(SIGTERM);
        co_return result<>{};
    };
    CHECK(status_of(blocks) == 130);
}

TEST_CASE("run_program: the first signal settles the stop, and one right behind it is the same request", "[program]")
{
    const auto stops = [](program_context context) -> asio::awaitable<result<>> {
        std::raise(SIGINT);
        std::raise(SIGTERM);
        co_return co_await context.stop.wait();
    };
    CHECK(status_of(stops) == 0);
}

TEST_CASE("run_program: a signal ends the process when the program was about to stop by itself", "[program]")
{
    const auto stops = [](program_context context) -> asio::awaitable<result<>> {
        context.stop.settle({});
        std::raise(SIGTERM);
        const latch unsettled;
        co_return co_await unsettled.wait();
    };
    CHECK(status_of(stops) == 130);
}

TEST_CASE("run_program: signals have no effect once the work has ended, and the former handlers come back", "[program]")
{
    struct ::sigaction before = {};
    struct ::sigaction after = {};
    ::sigaction(SIGTERM, nullptr, &before);
    const auto work = [](program_context) -> asio::awaitable<result<>> { co_return result<>{}; };
    CHECK(run_program(work, "test") == 0);
    CHECK(run_program(work, "test") == 0);
    ::sigaction(SIGTERM, nullptr, &after);
    CHECK(before.sa_handler == after.sa_handler);
}

TEST_CASE("run_program: a command that does not look at the stop is cancelled after the grace period", "[program]")
{
    const auto waits = [](program_context) -> asio::awaitable<result<>> {
        std::raise(SIGTERM);
        const latch unsettled; // such as has_synced() of an informer whose server cannot be reached
        const auto ended = co_await unsettled.wait();
        co_return ended;
    };
    CHECK(status_of(waits, std::chrono::milliseconds{1}) == 130);
}

TEST_CASE("run_program: a command that ends within the grace period is not cancelled", "[program]")
{
    const auto stops = [](program_context context) -> asio::awaitable<result<>> {
        std::raise(SIGTERM);
        const auto asked = co_await context.stop.wait();
        const auto own = co_await asio::this_coro::cancellation_state;
        if (own.cancelled() != asio::cancellation_type::none) co_return failure(cond::internal, "cancelled too early");
        co_return asked;
    };
    CHECK(status_of(stops) == 0);
}

TEST_CASE("run_program: a signal ends a program whose event loop is blocked", "[program]")
{
    int never[2];
    REQUIRE(::pipe(never) == 0);
    const auto blocks = [from = never[0]](program_context) -> asio::awaitable<result<>> {
        std::raise(SIGTERM);
        char c = 0;
        while (::read(from, &c, 1) != 0) continue; // as a file on a network volume that hangs
        co_return result<>{};
    };
    CHECK(status_of(blocks, std::chrono::milliseconds{1}) == 130);
    ::close(never[0]);
    ::close(never[1]);
}

TEST_CASE("run_program: a grace period of nothing is no limit", "[program]")
{
    const auto stops = [](program_context context) -> asio::awaitable<result<>> {
        std::raise(SIGTERM);
        const auto asked = co_await context.stop.wait();
        const auto slept = co_await sleep_for(*real_clock(), std::chrono::milliseconds{1});
        co_return slept ? asked : slept;
    };
    CHECK(status_of(stops, duration::zero()) == 0);
}
