// Signals of a program, in a process of its own.
#include <kubecoro/base/failure.hpp>
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
int status_of(const command& work)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience_seconds);
        std::_Exit(run_program(work, "test"));
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
        auto stopping = context.stop.wait();
        co_return co_await std::move(stopping);
    };
    CHECK(status_of(stops) == 0);
}

TEST_CASE("run_program: a signal ends the process when the program was about to stop by itself", "[program]")
{
    const auto stops = [](program_context context) -> asio::awaitable<result<>> {
        context.stop.settle({});
        std::raise(SIGTERM);
        const latch unsettled;
        auto never = unsettled.wait();
        co_return co_await std::move(never);
    };
    CHECK(status_of(stops) == 130);
}

TEST_CASE("run_program: signals have no effect once the work has ended, and the former handlers come back", "[program]")
{
    struct ::sigaction before = {};
    struct ::sigaction after = {};
    ::sigaction(SIGTERM, nullptr, &before);
    const command work = [](program_context) -> asio::awaitable<result<>> { co_return result<>{}; };
    CHECK(run_program(work, "test") == 0);
    CHECK(run_program(work, "test") == 0);
    ::sigaction(SIGTERM, nullptr, &after);
    CHECK(before.sa_handler == after.sa_handler);
}
