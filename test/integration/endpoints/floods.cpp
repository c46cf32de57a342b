// Clients that cost the server work: scrapes, debug pages, TLS handshakes, connections.
#include "running_endpoints.hpp"

#include "certificates.hpp"
#include "folder.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <deque>
#include <future>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using apiserver::raw_client;
using apiserver::raw_tls;
using asio::ip::tcp;

namespace {

/// Metrics that take a while to collect.
struct slow_collector final : prometheus::Collectable
{
    explicit slow_collector(testing::virtual_clock& c) : clock(c) {}
    [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override
    {
        ++collected;
        clock.advance(300ms);
        return {};
    }
    testing::virtual_clock& clock;
    mutable std::atomic<int> collected = 0;
};

/// Connections from another address than those of raw_client.
struct flood
{
    explicit flood(const running_endpoints& program) : at(asio::ip::address_v4::loopback(), program.at().port) {}
    void connect(std::string_view bytes = {})
    {
        auto& s = sockets.emplace_back(io);
        s.open(tcp::v4());
        s.bind({asio::ip::make_address("127.0.0.2"), 0});
        s.connect(at);
        if (!bytes.empty()) asio::write(s, asio::buffer(bytes.data(), bytes.size()));
    }
    asio::io_context io;
    tcp::endpoint at;
    std::deque<tcp::socket> sockets;
};

} // namespace

TEST_CASE("endpoints: a flood of scrapes is answered with the page of an earlier one", "[endpoints][integration]")
{
    auto clock = std::make_shared<testing::virtual_clock>();
    auto numbers = std::make_shared<prometheus_metrics>();
    auto slow = std::make_shared<slow_collector>(*clock);
    numbers->add(slow);
    running_endpoints program({.health = health_checks(), .prometheus = numbers, .time = clock});
    auto client = program.client();
    const auto first = client.get("/metrics");
    CHECK(first.status == 200);
    CHECK(first.headers.count("age") == 0);
    for (int i = 0; i < 50; ++i) {
        const auto again = client.get("/metrics", i % 2 == 0 ? "" : "Accept-Encoding: gzip\r\n");
        CHECK(again.status == 200);
        CHECK((i % 2 == 0 ? again.body == first.body : again.headers.at("content-encoding") == "gzip"));
        CHECK(again.headers.at("age") == "0");
    }
    CHECK(client.send("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    CHECK(client.head().headers.at("content-length") == std::to_string(first.body.size()));
    CHECK(slow->collected == 1);
    CHECK(client.get("/livez").status == 200);
    CHECK(program.log().count("metrics are requested so often that clients get the same ones again") == 1);
    clock->advance(3s);
    CHECK(client.get("/metrics").body.find("kubecoro_endpoints_repeated_pages_total 51") != std::string::npos);
    CHECK(slow->collected == 2);
}

TEST_CASE("endpoints: requests for debug pages beyond the budget have their turns, and probes and metrics are answered",
          "[endpoints][integration]")
{
    auto clock = std::make_shared<testing::virtual_clock>();
    const debug_pages pages;
    std::atomic<int> made = 0;
    REQUIRE(pages.add("slow", tasks_page([&] {
                          ++made;
                          clock->advance(300ms);
                          return std::vector<std::string>{"task"};
                      })));
    running_endpoints program({.health = health_checks(),
                               .prometheus = std::make_shared<prometheus_metrics>(),
                               .debug = pages,
                               .time = clock});
    CHECK(program.client().get("/debug/slow").status == 200);
    flood others(program);
    for (int i = 0; i < 20; ++i) others.connect("GET /debug/slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(test::eventually([&] { return program.server().stats().open_connections >= 20; }));
    auto other = program.client();
    CHECK(other.get("/livez").status == 200);
    CHECK(other.get("/metrics").status == 200);
    CHECK(other.get("/debug").body == "/debug/slow\n");
    CHECK(made == 1);
    auto asked = std::async(std::launch::async, [&] { return program.client().get("/debug/slow").status; });
    // Two pages cost 3 s of waiting each: its own turn comes after one of the flood's, not after twenty.
    CHECK(advance_until(*clock, asked) < 9s);
    CHECK(asked.get() == 200);
    CHECK(made <= 4);
    clock->advance(16s); // half of answer_timeout
    CHECK(test::eventually([&] {
        return program.client().get("/metrics").body.find(R"(requests_total{code="503",endpoint="debug"})") !=
               std::string::npos;
    }));
}

TEST_CASE("endpoints: a flood of small requests has its turns, and a probe of another address its own",
          "[endpoints][integration]")
{
    auto clock = std::make_shared<testing::virtual_clock>();
    running_endpoints program({.health = health_checks(), .limits = {.max_requests_per_second = 10}, .time = clock});
    flood others(program);
    for (int i = 0; i < 40; ++i) others.connect("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 40; }));
    CHECK(test::eventually([&] { return program.server().stats().requests == 3; })); // a fifth of a second's, and one
    auto probe = std::async(std::launch::async, [&] { return program.client().get("/livez").status; });
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 41; }));
    CHECK(advance_until(*clock, probe) < 2s); // after the 37 it would be four
    CHECK(probe.get() == 200);
}

TEST_CASE("endpoints: debug pages and the dashboard's page are compressed on request", "[endpoints][integration]")
{
    const debug_pages pages;
    REQUIRE(pages.add("long", tasks_page([] { return std::vector<std::string>{std::string(5000, 'x')}; })));
    running_endpoints program({.debug = pages});
    auto client = program.client();
    const auto plain = client.get("/dashboard");
    const auto dashboard = client.get("/dashboard", "Accept-Encoding: gzip\r\n");
    CHECK(dashboard.headers.at("content-encoding") == "gzip");
    CHECK(dashboard.headers.at("vary") == "Accept-Encoding");
    CHECK(dashboard.body.starts_with("\x1f\x8b"));
    CHECK(dashboard.body.size() < plain.body.size());
    const auto debug = client.get("/debug/long", "Accept-Encoding: gzip\r\n");
    CHECK(debug.headers.at("content-encoding") == "gzip");
    CHECK(debug.body.starts_with("\x1f\x8b"));
    CHECK(debug.body.size() < 500);
}

TEST_CASE("endpoints: requests for details of health have their turns, and brief ones do not wait",
          "[endpoints][integration]")
{
    auto clock = std::make_shared<testing::virtual_clock>();
    const health_checks checks;
    REQUIRE(checks.add_ready_detail("clusters", [&] {
        clock->advance(300ms);
        return std::string("2 of 3 ready");
    }));
    auto limits = endpoint_limits();
    limits.answer_timeout = 10s;
    running_endpoints program({.health = checks, .limits = limits, .time = clock});
    auto client = program.client();
    const auto ask = [&] { return client.get("/readyz?verbose").body; };
    CHECK(ask().find("[+]clusters 2 of 3 ready\n") != std::string::npos);
    auto second = std::async(std::launch::async, ask);
    CHECK(program.client().get("/readyz").body == "ok");
    CHECK(program.client().get("/readyz/clusters").body == "ok");
    CHECK(advance_until(*clock, second) >= 1s);
    CHECK(second.get().find("[+]clusters 2 of 3 ready\n") != std::string::npos);
}

TEST_CASE("endpoints: health is never compressed", "[endpoints][integration]")
{
    const health_checks checks;
    for (int i = 0; i < 200; ++i) REQUIRE(checks.add_ready("check-" + std::to_string(i), [] { return result<>(); }));
    running_endpoints program({.health = checks});
    const auto answer = program.client().get("/readyz?verbose", "Accept-Encoding: gzip\r\n");
    CHECK(answer.headers.count("content-encoding") == 0);
    CHECK(answer.body.size() > 3000);
}

TEST_CASE("endpoints: a flood of handshakes has its turns, and a probe of another address its own",
          "[endpoints][integration][tls]")
{
    auto clock = std::make_shared<testing::virtual_clock>();
    const test::authority root("root");
    test::folder files;
    files.write(root.issue("operator", {"IP:127.0.0.1"}));
    auto numbers = std::make_shared<prometheus_metrics>();
    running_endpoints program({.tls = {files.at("tls.crt"), files.at("tls.key")},
                               .health = health_checks(),
                               .prometheus = numbers,
                               .limits = {.max_handshakes_per_second = 4},
                               .time = clock});
    flood others(program);
    constexpr std::string_view hello("\x16\x03\x01\x02\x00\x01\x00", 7); // the begin of a ClientHello
    for (int i = 0; i < 60; ++i) others.connect(hello);
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 60; }));
    auto probe = std::async(std::launch::async, [&] {
        raw_tls tls;
        tls.ca = root.certificate();
        tls.from = "127.0.0.3"; // behind the address of the flood
        return raw_client(program.at(), tls).get("/livez").status;
    });
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 61; }));
    int turns = 0;
    while (probe.wait_for(50ms) != std::future_status::ready && turns < 40) {
        clock->advance(250ms);
        ++turns;
    }
    CHECK(turns < 30); // after 60 others it would be 60
    CHECK(probe.get() == 200);
    clock->advance(20s);
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 0; }));
    CHECK(numbers->text().find(R"(connections_total{outcome="closed_without_handshake"} )") != std::string::npos);
}

TEST_CASE("endpoints: clients that send nothing take no turn for a handshake", "[endpoints][integration][tls]")
{
    auto clock = std::make_shared<testing::virtual_clock>();
    const test::authority root("root");
    test::folder files;
    files.write(root.issue("operator", {"IP:127.0.0.1"}));
    running_endpoints program({.tls = {files.at("tls.crt"), files.at("tls.key")},
                               .health = health_checks(),
                               .limits = {.max_handshakes_per_second = 1},
                               .time = clock});
    flood silent(program);
    for (int i = 0; i < 20; ++i) silent.connect();
    raw_tls tls;
    tls.ca = root.certificate();
    CHECK(raw_client(program.at(), tls).get("/livez").status == 200);
}

TEST_CASE("endpoints: a flood of connections displaces those of its own address", "[endpoints][integration]")
{
    running_endpoints program({.health = health_checks(), .limits = {.max_connections = 8}});
    auto probe = program.client(); // the oldest, and idle
    CHECK(probe.get("/livez").status == 200);
    flood others(program);
    for (int i = 0; i < 200; ++i) others.connect();
    CHECK(test::eventually([&] { return program.server().stats().connections == 201; }));
    CHECK(program.server().stats().open_connections <= 8);
    CHECK(probe.get("/livez").status == 200);
}
