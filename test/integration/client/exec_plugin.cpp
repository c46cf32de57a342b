// Credential plugins as real programs: shell scripts that behave and misbehave.
#include "client_fixture.hpp"
#include "plugin_script.hpp"

#include "auth/exec_login.hpp"

#include <kubecoro/testing/virtual_clock.hpp>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

/// Shell text that prints a credential with this status.
std::string prints(const std::string& status)
{
    return R"(printf '%s' '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
           status + "}'";
}

std::string shown(const result<std::string>& token) { return token ? *token : token.error().describe(); }

/// Prints a new token in each run: t1, t2, ...
const std::string new_tokens =
    R"(printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t%s"}}' )"
    R"($(wc -l <runs))";

struct using_plugin : client_fixture
{
    byte_server server;

    client with(const plugin_script& script)
    {
        cluster_config c;
        c.login.exec = script.config();
        return make(server.url(), std::move(c));
    }
    std::vector<std::string> tokens() const
    {
        std::vector<std::string> out;
        for (const auto& r : server.requests()) {
            const std::string name = "Authorization: Bearer ";
            const auto at = r.find(name);
            out.push_back(at == r.npos ? "none" : r.substr(at + name.size(), r.find('\r', at) - at - name.size()));
        }
        return out;
    }
};

/// The plugin by itself, with virtual time for limits and expiry.
struct login_fixture : client_fixture
{
    std::shared_ptr<testing::virtual_clock> time = std::make_shared<testing::virtual_clock>();
    std::shared_ptr<const detail::exec_caller> caller;

    std::shared_ptr<detail::exec_login> login(const plugin_script& script, duration limit = 0s)
    {
        auto config = script.config();
        config.install_hint = "install it";
        return login(config, limit);
    }
    std::shared_ptr<detail::exec_login> login(const exec_config& config, duration limit = 0s)
    {
        caller = std::make_shared<const detail::exec_caller>(*null_metrics(), logger::silent(), limit);
        return std::make_shared<detail::exec_login>(
            detail::kept_executor(io.get_executor()),
            detail::exec_login::settings{
                .plugin = config, .interactive_info = "interactive", .info = "info", .time = time});
    }
    /// The token of the login.
    [[nodiscard]] asio::awaitable<result<std::string>> token(std::shared_ptr<detail::exec_login> of) const
    {
        const auto got = co_await of->credential(caller);
        if (!got) co_return got.error();
        co_return (*got)->token;
    }
    std::string why(const exec_config& config)
    {
        const auto l = login(config);
        const auto got = run(token(l));
        REQUIRE_FALSE(got);
        const auto c = got.error().condition();
        CHECK((c == cond::misconfigured || c == cond::unauthorized));
        return to_string(c).data() + (": " + got.error().message());
    }
};

} // namespace

TEST_CASE("exec: one run gives the token of all requests", "[client][exec]")
{
    const plugin_script script(new_tokens);
    using_plugin the;
    auto c = the.with(script);
    int ended = 0;
    for (int i = 0; i < 5; ++i)
        asio::co_spawn(the.io, c.get(pods, "ns", "a"), [&ended](std::exception_ptr e, result<object> got) {
            CHECK_FALSE(e);
            CHECK(got);
            ++ended;
        });
    while (ended != 5) the.io.run_one();
    CHECK(script.runs() == 1);
    CHECK(the.tokens() == std::vector<std::string>(5, "t1"));
}

TEST_CASE("exec: arguments, environment and the information for plugins arrive", "[client][exec]")
{
    const plugin_script script(R"(printf '%s|' "$@" >args; printf '%s' "$KUBERNETES_EXEC_INFO" >info; )"
                               R"(printf '%s' "$PROFILE:$HOME" >env; cat >stdin; )" +
                               prints(R"({"token":"t"})"));
    login_fixture the;
    auto config = script.config();
    config.arguments = {"get-token", "--cluster name", ""};
    config.variables = {{"PROFILE", "p=1"}, {"HOME", "/elsewhere"}};
    const auto l = the.login(config);
    CHECK(shown(the.run(the.token(l))) == "t");
    CHECK(script.file("args") == "get-token|--cluster name||");
    CHECK(script.file("info") == "info");
    CHECK(script.file("env") == "p=1:/elsewhere");
    CHECK(script.file("stdin").empty());
}

TEST_CASE("exec: a token is renewed before it expires", "[client][exec]")
{
    login_fixture the;
    const auto second = std::chrono::floor<std::chrono::seconds>(the.time->wall_now()) + 100s;
    const auto seconds = std::to_string(second.time_since_epoch().count());
    const plugin_script script(
        "END=$(date -u -d @" + seconds +
        R"( +%Y-%m-%dT%H:%M:%SZ); printf '{"kind":"ExecCredential","apiVersion":)"
        R"("client.authentication.k8s.io/v1","status":{"token":"t%s","expirationTimestamp":"%s"}}' $(wc -l <runs) $END)");
    const auto l = the.login(script);
    CHECK(shown(the.run(the.token(l))) == "t1");
    the.time->advance(85s);
    CHECK(shown(the.run(the.token(l))) == "t1");
    the.time->advance(6s);
    CHECK(shown(the.run(the.token(l))) == "t2");
    // A token without life left is used, and the plugin asked again for the next request.
    the.time->advance(100s);
    CHECK(shown(the.run(the.token(l))) == "t3");
    CHECK(shown(the.run(the.token(l))) == "t4");
}

TEST_CASE("exec: a token may hold for ever", "[client][exec]")
{
    for (const std::string end : {"9999-12-31T23:59:59Z", "2600-01-01T00:00:00Z"}) {
        const plugin_script script(prints(R"({"token":"t","expirationTimestamp":")" + end + R"("})"));
        login_fixture the;
        const auto l = the.login(script);
        CHECK(shown(the.run(the.token(l))) == "t");
        the.time->advance(24h);
        CHECK(shown(the.run(the.token(l))) == "t");
        CHECK(script.runs() == 1);
    }
    const plugin_script long_ago(prints(R"({"token":"t","expirationTimestamp":"0001-01-01T00:00:00Z"})"));
    login_fixture the;
    const auto l = the.login(long_ago);
    CHECK(shown(the.run(the.token(l))) == "t");
    CHECK(shown(the.run(the.token(l))) == "t");
    CHECK(long_ago.runs() == 2);
}

TEST_CASE("exec: plugins work where the program lets the system collect its children", "[client][exec]")
{
    struct ignored_children
    {
        ignored_children() { std::signal(SIGCHLD, SIG_IGN); }
        ~ignored_children() { std::signal(SIGCHLD, SIG_DFL); }
    };
    const ignored_children ignored;
    const plugin_script script(new_tokens);
    login_fixture the;
    const auto l = the.login(script);
    CHECK(shown(the.run(the.token(l))) == "t1");
}

TEST_CASE("exec: a plugin inherits no files of the program", "[client][exec]")
{
    // A socket of Asio is open like this one: without FD_CLOEXEC.
    const int open = ::open("/dev/null", O_RDONLY);
    REQUIRE(open > STDERR_FILENO);
    const plugin_script script("[ -e /proc/$$/fd/" + std::to_string(open) + " ] && echo leaked >leak; " + new_tokens);
    login_fixture the;
    const auto l = the.login(script);
    CHECK(shown(the.run(the.token(l))) == "t1");
    CHECK(script.file("leak").empty());
    ::close(open);
}

TEST_CASE("exec: a refused token is renewed once, and the request repeated", "[client][exec]")
{
    const plugin_script script(new_tokens);
    using_plugin the;
    const auto refuse = [](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send(answer_text(401, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":401})"));
        co_await p.finish();
    };
    the.server.next(refuse);
    auto c = the.with(script);
    CHECK(the.run(c.get(pods, "ns", "a")));
    CHECK(script.runs() == 2);
    CHECK(the.tokens().back() == "t2");
}

TEST_CASE("exec: a refused token that the plugin returns again is an answer", "[client][exec]")
{
    const plugin_script script(prints(R"({"token":"same"})"));
    using_plugin the;
    the.server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send(answer_text(401, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":401})"));
        co_await p.finish();
    });
    auto c = the.with(script);
    const auto got = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error() == cond::unauthorized);
    CHECK(script.runs() == 2);
}

TEST_CASE("exec: a plugin that fails is named with the reason, and the request not sent", "[client][exec]")
{
    login_fixture the;
    const auto because = [&](const std::string& text) {
        const plugin_script script(text);
        const auto message = the.why(script.config());
        CHECK_THAT(message, Catch::Contains("credential plugin " + script.path()));
        CHECK(message.find("s3cret") == message.npos);
        return message;
    };
    CHECK_THAT(because("echo s3cret; exit 3"), Catch::Contains("unauthorized: ") && Catch::Contains("exit code 3"));
    CHECK_THAT(because("kill -9 $$"), Catch::Contains("signal 9"));
    CHECK_THAT(because("echo s3cret"),
               Catch::Contains("misconfigured: ") && Catch::Contains("not an object in JSON or YAML"));
    CHECK_THAT(because("head -c 2000000 /dev/zero"), Catch::Contains("longer than 1048576 bytes"));
    CHECK_THAT(because("yes s3cret"), Catch::Contains("longer than 1048576 bytes"));
    exec_config missing;
    missing.command = "kubecoro-has-no-such-plugin";
    missing.install_hint = "install it";
    CHECK_THAT(the.why(missing),
               Catch::Contains("misconfigured: ") && Catch::Contains("No such file") && Catch::Contains("install it"));
    exec_config asks;
    asks.command = "cat";
    asks.interactive = exec_config::interactive_mode::always;
    if (::isatty(STDIN_FILENO) == 0) CHECK_THAT(the.why(asks), Catch::Contains("terminal"));

    const plugin_script broken("exit 1");
    using_plugin requests;
    auto c = requests.with(broken);
    const auto got = requests.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error().target() == "/api/v1/namespaces/ns/pods/a");
    CHECK(requests.server.accepted() == 0);
    // The next request tries again.
    CHECK_FALSE(requests.run(c.get(pods, "ns", "a")));
    CHECK(broken.runs() == 2);
}

namespace {

/// True if the process whose number the script has written to `pid` is gone.
bool has_ended(const plugin_script& script)
{
    const auto pid = std::stoi(script.file("pid"));
    return ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// Runs the context until the script has written its number.
void until_it_runs(client_fixture& the, const plugin_script& script)
{
    the.io.restart();
    while (script.file("pid").find('\n') == std::string::npos) the.io.poll();
}

} // namespace

TEST_CASE("exec: a plugin that hangs is killed at its limit", "[client][exec]")
{
    const plugin_script script("echo $$ >pid; exec sleep 1000");
    login_fixture the;
    const auto l = the.login(script, 60s);
    const auto got = the.start(the.token(l));
    until_it_runs(the, script);
    the.time->advance(60s);
    while (!*got) the.io.run_one();
    REQUIRE_FALSE(**got);
    CHECK((*got)->error() == cond::timed_out);
    CHECK(has_ended(script));
}

TEST_CASE("exec: a plugin is killed with its context", "[client][exec]")
{
    const plugin_script script("echo $$ >pid; exec sleep 1000");
    {
        login_fixture the;
        const auto l = the.login(script);
        const auto got = the.start(the.token(l));
        until_it_runs(the, script);
        CHECK_FALSE(has_ended(script));
    }
    CHECK(has_ended(script));
}

TEST_CASE("exec: a request that is cancelled leaves the run to the others", "[client][exec]")
{
    const plugin_script script("echo $$ >pid; while [ ! -e go ]; do sleep 0.01; done; " + new_tokens);
    login_fixture the;
    const auto l = the.login(script);
    const auto first = the.start(the.token(l));
    until_it_runs(the, script);
    the.stop.emit(asio::cancellation_type::terminal);
    while (!*first) the.io.run_one();
    REQUIRE_FALSE(**first);
    CHECK((*first)->error() == cond::cancelled);
    const auto second = the.start(the.token(l));
    std::ofstream(fs::path(script.path()).parent_path() / "go").close();
    while (!*second) the.io.run_one();
    CHECK(shown(**second) == "t1");
    CHECK(script.runs() == 1);
}
