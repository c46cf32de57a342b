// Credential plugins with a failure at each call of the system in turn, and with an output that ends, stalls or is cut at
// each byte: a run ends with credentials or one clear failure, and leaves no file, no process and no other run behind.
#include "auth/exec_login.hpp"
#include "client_fixture.hpp"
#include "failing_calls.hpp"
#include "plugin_script.hpp"

#include <kubecoro/testing/virtual_clock.hpp>

#include <cerrno>
#include <iterator>
#include <set>
#include <string>

#include <sys/wait.h>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

const std::string credential =
    R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"s3cret"}})";

std::ptrdiff_t open_files()
{
    const fs::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

/// A login of the plugin, in real processes and virtual time.
struct one_login : client_fixture
{
    explicit one_login(const plugin_script& script, duration limit = 0s)
        : caller(std::make_shared<const detail::exec_caller>(*null_metrics(), logger::silent(), limit)),
          login(std::make_shared<detail::exec_login>(
              detail::kept_executor(io.get_executor()),
              detail::exec_login::settings{
                  .plugin = script.config(), .interactive_info = "{}", .info = "{}", .time = time}))
    {
    }

    asio::awaitable<result<std::string>> token()
    {
        const auto got = co_await login->credential(caller);
        if (!got) co_return got.error();
        co_return (*got)->token;
    }

    std::shared_ptr<testing::virtual_clock> time = std::make_shared<testing::virtual_clock>();
    std::shared_ptr<const detail::exec_caller> caller;
    std::shared_ptr<detail::exec_login> login;
};

/// Credentials, or one clear failure without a secret.
void check_outcome(const result<std::string>& got, const plugin_script& script)
{
    if (got) {
        CHECK(*got == "s3cret");
        return;
    }
    const auto& why = got.error();
    INFO(why.describe());
    CHECK((why == cond::misconfigured || why == cond::unauthorized || why == cond::unreachable ||
           why == cond::timed_out));
    CHECK_THAT(why.message(), Catch::Contains("credential plugin " + script.path()));
    CHECK(why.describe().find("s3cret") == std::string::npos);
}

struct attempt
{
    bool reached;
    bool succeeded;
    std::vector<std::string> calls;
};

attempt run_with_failure(std::size_t nth, call_failure how)
{
    const plugin_script script("printf '%s' '" + credential + "'");
    attempt out{};
    const auto files = open_files();
    {
        one_login the(script);
        {
            failing_calls calls(nth, how);
            const auto got = the.run(the.token());
            const bool reached = nth != 0 && calls.calls().size() >= nth;
            INFO("call " << nth << (reached ? ", " + calls.calls()[nth - 1] : std::string()));
            check_outcome(got, script);
            out = {reached, got.has_value(), calls.calls()};
        }
        CHECK_FALSE(has_children());
        CHECK(script.runs() <= 1);
        // The failure is not kept, and the next request has credentials.
        const auto again = the.run(the.token());
        REQUIRE(again);
        CHECK(script.runs() <= 2);
    }
    CHECK(open_files() == files);
    return out;
}

/// @return the number of calls that a failure was tried at, and of those that it did not matter to.
std::pair<std::size_t, std::size_t> fail_each(call_failure how)
{
    std::size_t nth = 1;
    std::size_t succeeded = 0;
    for (; nth < 100; ++nth) {
        const auto a = run_with_failure(nth, how);
        if (!a.reached) break;
        if (a.succeeded) ++succeeded;
    }
    return {nth - 1, succeeded};
}

} // namespace

TEST_CASE("exec I/O: each call of the system that a run makes fails", "[client][exec][every_io]")
{
    const auto calls = run_with_failure(0, call_failure::error).calls;
    for (const char* name : {"pipe2", "epoll_ctl", "posix_spawnp", "pidfd_open", "read", "fcntl", "waitpid"}) {
        INFO(name);
        CHECK(std::set<std::string>(calls.begin(), calls.end()).contains(name));
    }
    const auto [tried, succeeded] = fail_each(call_failure::error);
    CHECK(tried >= 7);
    CHECK(succeeded < tried);
}

TEST_CASE("exec I/O: calls of the system that signals interrupt are made again", "[client][exec][every_io]")
{
    const auto [tried, succeeded] = fail_each(call_failure::interrupted);
    CHECK(tried >= 7);
    CHECK(succeeded == tried);
}

TEST_CASE("exec I/O: the pipe ends early, or a byte at a time arrives", "[client][exec][every_io]")
{
    CHECK(fail_each(call_failure::ended).first >= 7);
    const auto [tried, succeeded] = fail_each(call_failure::short_read);
    CHECK(tried >= 7);
    CHECK(succeeded == tried);
}

TEST_CASE("exec I/O: the output ends at each byte, and the plugin well or badly", "[client][exec][every_io]")
{
    const auto files = open_files();
    for (std::size_t size = 0; size <= credential.size(); ++size)
        for (const std::string end : {"exit 0", "exit 1", "kill -9 $$"}) {
            INFO(size << " bytes, " << end);
            const plugin_script script("printf '%s' '" + credential.substr(0, size) + "'; " + end);
            one_login the(script);
            const auto got = the.run(the.token());
            check_outcome(got, script);
            CHECK(got.has_value() == (size == credential.size() && end == "exit 0"));
            CHECK(script.runs() == 1);
            CHECK_FALSE(has_children());
        }
    CHECK(open_files() == files);
}

TEST_CASE("exec I/O: an output in pieces of one byte is read whole", "[client][exec][every_io]")
{
    const plugin_script script("dd if=out bs=1 2>/dev/null");
    script.write("out", credential);
    one_login the(script);
    const auto got = the.run(the.token());
    check_outcome(got, script);
    CHECK(got);
}

TEST_CASE("exec I/O: a plugin that stalls at any byte is killed at its limit", "[client][exec][every_io]")
{
    const auto files = open_files();
    const auto stall_after = [](std::size_t size, const std::string& then) {
        INFO(size << " bytes, " << then);
        const plugin_script script("printf '%s' '" + credential.substr(0, size) + "'; " + then);
        one_login the(script, 60s);
        const auto got = the.start(the.token());
        while (script.file("stalled").empty()) the.io.poll();
        the.time->advance(60s);
        while (!*got) the.io.run_one();
        REQUIRE_FALSE(**got);
        CHECK((*got)->error() == cond::timed_out);
        check_outcome(**got, script);
        CHECK_FALSE(has_children());
    };
    for (std::size_t size = 0; size <= credential.size(); size += 10)
        stall_after(size, "echo 1 >stalled; exec sleep 1000");
    stall_after(credential.size(), "echo 1 >stalled; exec sleep 1000");
    // Its output has ended, and it has not.
    stall_after(credential.size(), "exec >/dev/null; echo 1 >stalled; exec sleep 1000");
    CHECK(open_files() == files);
}
