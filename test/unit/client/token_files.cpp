// The token file of a client, and the lines about it.
#include "rest_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

TEST_CASE("client: a token file that cannot be read is reported once in five minutes, not with each request",
          "[client][rest]")
{
    const token_file file;
    file.write("T1");
    world the;
    auto c = the.make({.token_file = file.path()});
    const auto ask = [&](const char* token) {
        the.net->replies = {{.body = {pod("a")}}};
        REQUIRE(the.run.run(c.get(pods, "ns", "a")));
        CHECK(the.net->header(the.net->seen.size() - 1, "Authorization") == std::string("Bearer ") + token);
    };
    const auto reports = [&] {
        return std::count_if(the.lines.begin(), the.lines.end(),
                             [](const auto& l) { return l.find("the token file cannot be read") != l.npos; });
    };
    ask("T1");
    std::filesystem::remove(file.path());
    the.run.advance(1min);
    for (int i = 0; i < 5; ++i) ask("T1");
    CHECK(reports() == 1);
    the.run.advance(5min);
    ask("T1");
    CHECK(reports() == 2);
    file.write(" ");
    for (int i = 0; i < 5; ++i) ask("T1");
    CHECK(reports() == 3);
    file.write("T2");
    ask("T2");
    CHECK(reports() == 3);
}

TEST_CASE("client: a token file on a file system that hangs delays requests for a quarter of a second",
          "[client][rest]")
{
    const token_file file;
    file.write("T1");
    world the;
    auto c = the.make({.token_file = file.path()});
    const auto token_of_a_request = [&] {
        the.net->replies = {{.body = {pod("a")}}};
        REQUIRE(the.run.run(c.get(pods, "ns", "a")));
        return the.net->header(the.net->seen.size() - 1, "Authorization");
    };
    const auto duration_of = [](const auto& act) {
        const auto begun = std::chrono::steady_clock::now();
        act();
        return std::chrono::steady_clock::now() - begun;
    };
    CHECK(token_of_a_request() == "Bearer T1");
    // Its readers wait for a writer that writes nothing.
    std::filesystem::remove(file.path());
    REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
    const int writer = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(writer >= 0);
    the.run.advance(1min);
    const auto ask = [&] { CHECK(token_of_a_request() == "Bearer T1"); };
    CHECK(duration_of(ask) < 5s);
    // The read still hangs: later requests do not wait.
    CHECK(duration_of([&] {
              for (int i = 0; i < 20; ++i) ask();
          }) < 2s);
    CHECK(std::count_if(the.lines.begin(), the.lines.end(), [](const auto& l) {
              return l.find("the token file cannot be read") != l.npos && l.find("has not ended") != l.npos;
          }) == 1);

    CHECK(::write(writer, "T2", 2) == 2);
    ::close(writer);
    std::filesystem::remove(file.path());
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (token_of_a_request() != "Bearer T2" && std::chrono::steady_clock::now() < end) {
    }
    CHECK(token_of_a_request() == "Bearer T2");
}

TEST_CASE("client: the sink of its log may use the client", "[client][rest]")
{
    const token_file missing;
    testing::runner run;
    const auto net = std::make_shared<scripted_transport>();
    std::optional<client> c;
    int lines = 0;
    client_options o;
    o.time = net->time = run.shared_clock();
    o.log = logger([&](const log_record&) {
        ++lines;
        // On a thread, so that a lock that is held shows.
        const auto used = std::async(std::launch::async, [&] {
            asio::io_context other;
            asio::co_spawn(other, c->get(pods, "ns", "told"), asio::detached);
            other.poll();
        });
        CHECK(used.wait_for(10s) == std::future_status::ready);
    });
    c.emplace(run.executor(), net, std::move(o), credentials{.token = "T", .token_file = missing.path()});
    net->replies = {{.hangs_before_head = true}, {.body = {pod("a")}}};
    CHECK(run.run(c->get(pods, "ns", "a")));
    CHECK(lines == 1);
    REQUIRE(net->seen.size() == 2);
    CHECK(net->seen[0].target.ends_with("/told"));
}
