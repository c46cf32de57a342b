// The dashboard's page and its streams, and clients that open too many of them or do not read.
#include "running_endpoints.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <atomic>
#include <deque>

using namespace kubecoro;
using namespace std::chrono_literals;
using apiserver::raw_client;

namespace {

/// Endpoints with one page, which counts how often it is rendered.
struct shown
{
    explicit shown(endpoint_limits limits = {}, std::string json = R"(["<b>"])")
        : program([&] {
              endpoint_options out;
              out.health = health_checks();
              out.debug = debug_pages();
              out.limits = limits;
              REQUIRE(out.debug->add("tasks", {[] { return std::string(); },
                                               [this, json] {
                                                   ++rendered;
                                                   return json;
                                               }}));
              return out;
          }())
    {
    }
    /// Opens a stream. @return whether a snapshot has begun to arrive.
    static bool view(raw_client& client)
    {
        return client.send(ask) && client.receive().find("200 OK") != std::string::npos;
    }
    static constexpr std::string_view ask = "GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    std::atomic<int> rendered{0};
    running_endpoints program;
};

std::string read_until(raw_client& client, std::string_view text)
{
    std::string all;
    while (all.find(text) == std::string::npos) {
        const auto more = client.receive();
        if (more.empty()) break;
        all += more;
    }
    return all;
}

} // namespace

TEST_CASE("endpoints: the dashboard is a page with a strict policy, and a stream of snapshots",
          "[endpoints][integration][dashboard]")
{
    shown s({.snapshot_period = 20ms});
    auto client = s.program.client();
    const auto page = client.get("/dashboard");
    CHECK(page.status == 200);
    CHECK(page.headers.at("content-type") == "text/html; charset=utf-8");
    CHECK(page.headers.at("content-security-policy").starts_with("default-src 'none'; style-src 'sha256-"));
    CHECK(page.headers.at("x-content-type-options") == "nosniff");
    CHECK(s.rendered == 0);
    REQUIRE(client.send(shown::ask));
    const auto text = read_until(client, "data: 3\n\n");
    CHECK(text.find("Content-Type: text/event-stream\r\n") != std::string::npos);
    CHECK(text.find("Content-Length") == std::string::npos);
    CHECK(text.find("event: tasks\ndata: [\"<b>\"]\n\nevent: SNAPSHOT\ndata: 1\n\n") != std::string::npos);
}

TEST_CASE("endpoints: without debug pages there is no dashboard", "[endpoints][integration][dashboard]")
{
    running_endpoints program({.health = health_checks()});
    auto client = program.client();
    CHECK(client.get("/dashboard").status == 404);
    CHECK(client.get("/dashboard/events").status == 404);
}

TEST_CASE("endpoints: of many streams a few are served, with one snapshot, and others wait for a place",
          "[endpoints][integration][dashboard]")
{
    shown s({.max_connections = 64, .max_streams = 8, .snapshot_period = 1h});
    std::deque<raw_client> streams, waiting;
    for (int i = 0; i < 8; ++i) REQUIRE(shown::view(streams.emplace_back(s.program.at())));
    for (int i = 0; i < 200; ++i) waiting.emplace_back(s.program.at()).send(shown::ask); // some have had to leave
    CHECK(s.program.client().get("/livez").status == 200);
    CHECK(s.rendered == 1);
    CHECK(s.program.server().stats().open_connections <= 65);
}

TEST_CASE("endpoints: an address that has all dashboards makes way for another one",
          "[endpoints][integration][dashboard]")
{
    shown s({.max_streams = 3, .snapshot_period = 1h});
    std::deque<raw_client> streams;
    for (int i = 0; i < 3; ++i) REQUIRE(shown::view(streams.emplace_back(s.program.at())));
    apiserver::raw_tls from_elsewhere;
    from_elsewhere.from = "127.0.0.3";
    raw_client other(s.program.at(), from_elsewhere);
    CHECK(shown::view(other)); // after three seconds
    CHECK(streams.front().closed_by_server());
    CHECK(s.program.server().stats().closed_by_server == 1);
}

TEST_CASE("endpoints: HEAD of a stream has no length", "[endpoints][integration][dashboard]")
{
    shown s({.snapshot_period = 1h});
    auto client = s.program.client();
    REQUIRE(client.send("HEAD /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const auto head = client.head();
    CHECK(head.status == 200);
    CHECK(head.headers.at("content-type") == "text/event-stream");
    CHECK(head.headers.count("content-length") == 0);
    CHECK(client.closed_by_server());
    CHECK(s.rendered == 0);
}

TEST_CASE("endpoints: when a viewer goes its place is free, and when all go nothing is rendered",
          "[endpoints][integration][dashboard]")
{
    shown s({.max_streams = 1, .snapshot_period = 5ms});
    for (int i = 0; i < 3; ++i) {
        CHECK(test::eventually([&] {
            auto client = s.program.client();
            return shown::view(client);
        }));
    }
    CHECK(test::eventually([&] { return s.program.server().stats().open_connections == 0; }));
    const int before = s.rendered;
    for (int i = 0; i < 50; ++i) CHECK(s.program.client().get("/livez").status == 200);
    CHECK(s.rendered == before);
}

TEST_CASE("endpoints: a viewer that does not read is dropped at the answer's deadline",
          "[endpoints][integration][dashboard]")
{
    shown s({.max_answer_bytes = 16 << 20, .answer_timeout = 200ms, .snapshot_period = 1ms},
            '"' + std::string(3'000'000, 'x') + '"');
    auto deaf = s.program.client();
    REQUIRE(deaf.send(shown::ask));
    CHECK(test::eventually([&] { return s.program.server().stats().closed_by_server == 1; }));
    CHECK(test::eventually([&] { return s.program.server().stats().open_connections == 0; }));
    CHECK(test::eventually([&] { return s.program.server().stats().answer_bytes == 0; }));
}

TEST_CASE("endpoints: a stream ends after its time, and at the stop", "[endpoints][integration][dashboard]")
{
    shown brief({.snapshot_period = 1h, .stream_time = 30ms});
    auto viewer = brief.program.client();
    CHECK(shown::view(viewer));
    CHECK(viewer.closed_by_server());
    shown s({.snapshot_period = 1h, .grace = 1h});
    auto waiting = s.program.client();
    CHECK(shown::view(waiting));
    CHECK(s.program.stop());
    CHECK(waiting.closed_by_server());
}

TEST_CASE("endpoints: a page of another site opens no stream", "[endpoints][integration][dashboard]")
{
    shown s;
    auto client = s.program.client();
    CHECK(client.get("/dashboard/events", "Sec-Fetch-Site: cross-site\r\n").status == 403);
    CHECK(client.get("/dashboard/events", "Sec-Fetch-Site: same-site\r\n").status == 403);
    CHECK(s.rendered == 0);
    REQUIRE(client.send("GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n\r\n"));
    CHECK(client.receive().find("200 OK") != std::string::npos);
}

TEST_CASE("endpoints: the data of a protected dashboard needs a token, its page does not",
          "[endpoints][integration][dashboard]")
{
    endpoint_options options;
    options.debug = debug_pages();
    std::string asked;
    options.protect = access_filter([&asked](std::string token, std::string path) {
        asked = path;
        return [](bool good) -> boost::asio::awaitable<result<access_verdict>> {
            co_return good ? access_verdict::allowed : access_verdict::unauthenticated;
        }(token == "good");
    });
    running_endpoints program(std::move(options));
    auto client = program.client();
    CHECK(client.get("/dashboard").status == 200);
    CHECK(client.get("/dashboard/events").status == 401);
    CHECK(client.get("/dashboard/events", "Authorization: Bearer bad\r\n").status == 401);
    REQUIRE(client.send("GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\n\r\n"));
    CHECK(read_until(client, "SNAPSHOT").find("200 OK") != std::string::npos);
    CHECK(asked == "/dashboard");
}
