#include "coroutine_fixture.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <csignal>
#include <optional>

#include <sys/wait.h>
#include <unistd.h>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::latch;
using kubecoro::result;
using kubecoro::task_group;
using kubecoro::test::drain;
using kubecoro::test::start;

namespace {

asio::awaitable<result<>> hold(latch until, int& ended)
{
    const auto r = co_await until.wait();
    ++ended;
    co_return r;
}

asio::awaitable<result<>> fail_with(cond c) { co_return failure(c, "as instructed"); }

asio::awaitable<result<>> throw_something()
{
    throw std::runtime_error("unexpected");
    co_return result<>{};
}

asio::awaitable<result<>> spawn_another(task_group& group, latch until, int& ended)
{
    group.spawn("grandchild", hold(until, ended));
    co_return result<>{};
}

/// Takes several steps to end after a stop.
asio::awaitable<result<>> end_slowly(latch until, int& ended)
{
    const auto r = co_await until.wait();
    co_await kubecoro::finish_despite_cancellation();
    for (int i = 0; i < 5; ++i) co_await asio::post(asio::use_awaitable);
    ++ended;
    co_return r;
}

asio::awaitable<result<>> stop_group(task_group& group)
{
    group.stop();
    co_await asio::post(asio::use_awaitable); // the cancellation arrives here
    co_await asio::post(asio::use_awaitable);
    co_return failure(cond::internal, "continued after stop");
}

} // namespace

TEST_CASE("task_group: children start on the executor, run, end, and join waits for them", "[base][task_group]")
{
    asio::io_context context;
    task_group group(context.get_executor());
    const latch go;
    int ended = 0;
    CHECK(group.spawn("one", hold(go, ended)));
    CHECK(group.spawn("two", context.get_executor(), hold(go, ended)));
    CHECK(group.running() == 2);
    CHECK(group.names() == std::vector<std::string>{"one", "two"});
    const auto joined = start(context, group.join());
    const auto joined_too = start(context, group.join());
    drain(context);
    CHECK_FALSE(joined->done);
    go.settle({});
    drain(context);
    CHECK(ended == 2);
    CHECK(group.running() == 0);
    REQUIRE(joined->value);
    CHECK(joined->value->has_value());
    CHECK(joined_too->done);
    CHECK(group.first_failure().has_value());
    const auto again = start(context, group.join());
    drain(context);
    CHECK(again->done);
}

TEST_CASE("task_group: stop cancels every child, refuses new ones and may be repeated", "[base][task_group]")
{
    asio::io_context context;
    task_group group(context.get_executor());
    const latch never;
    int ended = 0;
    group.spawn("held", hold(never, ended));
    group.spawn("slow", end_slowly(never, ended));
    drain(context);
    const auto joined = start(context, group.join());
    group.stop();
    group.stop();
    CHECK_FALSE(group.spawn("late", hold(never, ended)));
    CHECK(group.running() == 2);
    drain(context);
    CHECK(ended == 2);
    CHECK(joined->done);
    CHECK(group.first_failure().has_value()); // cancelled does not count as a failure
}

TEST_CASE("task_group: a child that has not begun when the group stops never begins", "[base][task_group]")
{
    asio::io_context context;
    task_group group(context.get_executor());
    int ended = 0;
    group.spawn("unborn", hold(latch{}, ended));
    group.stop();
    const auto joined = start(context, group.join());
    drain(context);
    CHECK(ended == 0);
    CHECK(group.running() == 0);
    CHECK(joined->done);
}

TEST_CASE("task_group: failures and exceptions are logged once by name, the first is kept", "[base][task_group]")
{
    asio::io_context context;
    std::vector<std::string> lines;
    const kubecoro::logger log([&](const kubecoro::log_record& r) { lines.push_back(format(r)); });
    task_group group(context.get_executor(), log);
    group.spawn("quiet", fail_with(cond::cancelled));
    group.spawn("refused", fail_with(cond::forbidden));
    group.spawn("thrower", throw_something());
    drain(context);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "error a task failed task=refused failure=\"forbidden: as instructed\"");
    CHECK(lines[1] == "error a task failed task=thrower failure=\"internal: unexpected\"");
    REQUIRE(group.first_failure().has_error());
    CHECK(group.first_failure().error() == cond::forbidden);
}

TEST_CASE("task_group: children may spawn children and stop their group", "[base][task_group]")
{
    asio::io_context context;
    task_group group(context.get_executor());
    const latch never;
    int ended = 0;
    group.spawn("parent", spawn_another(group, never, ended));
    drain(context);
    CHECK(group.names() == std::vector<std::string>{"grandchild"});
    group.spawn("stopper", stop_group(group));
    const auto joined = start(context, group.join());
    drain(context);
    CHECK(joined->done);
    CHECK(ended == 1);
    CHECK(group.first_failure().has_value());
}

TEST_CASE("task_group: cancelling a join leaves the children running", "[base][task_group]")
{
    asio::io_context context;
    task_group group(context.get_executor());
    const latch go;
    int ended = 0;
    group.spawn("held", hold(go, ended));
    const auto joined = start(context, group.join());
    drain(context);
    joined->cancel();
    drain(context);
    REQUIRE(joined->value);
    CHECK(joined->value->error() == cond::cancelled);
    CHECK(group.running() == 1);
    go.settle({});
    drain(context);
    CHECK(ended == 1);
}

TEST_CASE("task_group: children destroyed with their context count as ended", "[base][task_group]")
{
    auto context = std::make_unique<asio::io_context>();
    task_group group(context->get_executor());
    int ended = 0;
    group.spawn("begun", hold(latch{}, ended));
    drain(*context);
    group.spawn("not begun", hold(latch{}, ended));
    CHECK(group.running() == 2);
    context.reset();
    CHECK(group.running() == 0);
    CHECK(ended == 0);
}

TEST_CASE("task_group: a joiner and its children may be destroyed with their context", "[base][task_group]")
{
    auto context = std::make_unique<asio::io_context>();
    task_group group(context->get_executor());
    int ended = 0;
    const latch go;
    group.spawn("held", hold(go, ended));
    const auto joined = start(*context, group.join());
    const auto waiting = start(*context, go.wait());
    drain(*context);
    group.spawn("not begun", hold(go, ended));
    context.reset(); // the last child destroyed settles the joiner's latch
    CHECK(group.running() == 0);
    CHECK_FALSE(joined->done);
    CHECK_FALSE(waiting->done);
    CHECK(go.settle({}));
}

TEST_CASE("task_group: an owner released with its group is destroyed with the last child", "[base][task_group]")
{
    struct owner
    {
        explicit owner(asio::any_io_executor e) : group(std::move(e)) {}
        int ended = 0;
        task_group group;
    };
    auto context = std::make_unique<asio::io_context>();
    auto given_up = std::make_shared<owner>(context->get_executor());
    const std::weak_ptr<owner> watched = given_up;
    given_up->group.keep_until_ended(given_up); // no child runs, so nothing is kept
    CHECK(given_up.use_count() == 1);
    const latch go;
    given_up->group.spawn("held", hold(go, given_up->ended));
    given_up->group.spawn("held as well", hold(go, given_up->ended));
    drain(*context);
    given_up->group.keep_until_ended(given_up);
    given_up.reset();
    CHECK_FALSE(watched.expired());
    SECTION("when it ends")
    {
        go.settle({});
        drain(*context);
    }
    SECTION("when it is destroyed with its context") { context.reset(); }
    CHECK(watched.expired());
}

TEST_CASE("task_group: destruction with running children aborts and names them", "[base][task_group]")
{
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], 2);
        std::signal(SIGABRT, SIG_DFL); // not the test framework's handler
        asio::io_context context;
        int ended = 0;
        {
            task_group group(context.get_executor());
            group.spawn("forgotten", hold(latch{}, ended));
        }
        _exit(0);
    }
    close(pipe_ends[1]);
    std::string said;
    char buffer[512];
    for (ssize_t n = 0; (n = read(pipe_ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<std::size_t>(n));
    close(pipe_ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(said.find("forgotten") != std::string::npos);
}

TEST_CASE("task_group: the owner learns of the first failure, before its child has ended", "[base][task_group]")
{
    asio::io_context context;
    std::vector<std::string> lines;
    const kubecoro::logger log([&](const kubecoro::log_record& r) { lines.push_back(format(r)); },
                               kubecoro::log_level::debug);
    std::vector<std::string> told;
    std::size_t running = 0;
    std::optional<task_group> group;
    group.emplace(context.get_executor(), log, [&](const std::string& name, const failure& why) {
        told.push_back(name + ": " + why.message());
        running = group->running();
        group->stop();
    });
    int ended = 0;
    group->spawn("quiet", fail_with(cond::cancelled));
    group->spawn("thrower", throw_something());
    group->spawn("refused", fail_with(cond::forbidden));
    group->spawn("held", hold(latch{}, ended));
    drain(context);
    CHECK(told == std::vector<std::string>{"thrower: unexpected"});
    CHECK(running == 3);
    CHECK(ended == 1);
    CHECK(group->running() == 0);
    // The end of the owner is the owner's line.
    CHECK(lines == std::vector<std::string>{"debug a task failed task=refused failure=\"forbidden: as instructed\""});
}

TEST_CASE("task_group: an owner that throws is logged, and the child has ended", "[base][task_group]")
{
    asio::io_context context;
    std::vector<std::string> lines;
    const kubecoro::logger log([&](const kubecoro::log_record& r) { lines.push_back(format(r)); });
    task_group group(context.get_executor(), log,
                     [](const std::string&, const failure&) { throw std::runtime_error("no way"); });
    group.spawn("thrower", throw_something());
    drain(context);
    CHECK(lines == std::vector<std::string>{"error the failure of a task could not be handled failure=\"no way\""});
    CHECK(group.running() == 0);
}

TEST_CASE("task_group: a child that is destroyed while its context runs has failed", "[base][task_group]")
{
    asio::io_context context;
    std::vector<std::string> told;
    const auto note = [&](const std::string& name, const failure& why) { told.push_back(name + ": " + why.message()); };
    task_group group(context.get_executor(), kubecoro::logger::silent(), note);
    // Asio destroys a coroutine that it has no memory to resume, with the handler that would have resumed it.
    std::shared_ptr<void> handler;
    const auto wait = [&]() -> asio::awaitable<result<>> {
        co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
            [&](auto resume) { handler = std::make_shared<decltype(resume)>(std::move(resume)); }, asio::use_awaitable);
        co_return result<>{};
    };
    group.spawn("waiter", wait());
    drain(context);
    CHECK(group.running() == 1);
    handler.reset();
    drain(context);
    CHECK(group.running() == 0);
    REQUIRE(told.size() == 1);
    CHECK(told[0].rfind("waiter: it was destroyed before its end", 0) == 0);
}

TEST_CASE("task_group: a local group ends its children before its coroutine ends, whichever allocation fails",
          "[base][task_group]")
{
    const auto work = [](int& ended, std::uint64_t nth) -> asio::awaitable<result<>> {
        const auto executor = co_await asio::this_coro::executor;
        task_group group(executor, kubecoro::logger::silent());
        auto stopped = group.stopped();
        for (int n = 0; n < 3; ++n) group.spawn("child", hold(latch{}, ended));
        co_await asio::post(asio::use_awaitable);
        kubecoro::test::fail_allocation(nth);
        co_await std::move(stopped);
        kubecoro::test::fail_allocation(0);
        co_return result<>{};
    };
    for (std::uint64_t nth = 1; nth <= 6; ++nth) {
        CAPTURE(nth);
        asio::io_context context;
        int ended = 0;
        const auto working = start(context, work(ended, nth));
        drain(context);
        CHECK(working->done);
        CHECK(ended == 3);
    }
}
