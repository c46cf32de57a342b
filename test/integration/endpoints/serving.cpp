// Tests of the answers of an endpoint_server, of its start and its stop.
#include "running_endpoints.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <stdexcept>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

TEST_CASE("endpoints: health is answered for all checks, for one, and in words", "[endpoints][integration]")
{
    health_checks checks;
    std::atomic<bool> good{true};
    REQUIRE(checks.add_ready("informers", [&good]() -> result<> {
        if (good) return {};
        return failure{cond::retry_later, "secret reason"};
    }));
    running_endpoints program({.health = checks});
    auto client = program.client();
    for (const char* path : {"/livez", "/healthz", "/readyz", "/readyz/informers", "/livez/ping"}) {
        const auto answer = client.get(path);
        CHECK(answer.status == 200);
        CHECK(answer.body == "ok");
    }
    CHECK(client.get("/readyz?verbose").body == "[+]ping ok\n[+]informers ok\nreadyz check passed\n");
    good = false;
    CHECK(client.get("/readyz").status == 500);
    CHECK(client.get("/readyz/informers").body == "informers failed: reason withheld\n");
    CHECK(client.get("/livez").status == 200);
    CHECK(client.get("/readyz?exclude=informers").body == "ok");
    CHECK(client.get("/livez/informers").status == 404);
    CHECK(client.get("/readyz/").status == 500);
    checks.remove("informers");
    CHECK(client.get("/readyz").status == 200);
    CHECK(client.get("/readyz/informers").status == 404);
    CHECK(program.log().count("a health check fails") == 0); // the checks have a log of their own
    CHECK(program.server().stats().connections == 1);
}

TEST_CASE("endpoints: the log says what is served at an address", "[endpoints][integration]")
{
    running_endpoints health({.health = health_checks()});
    CHECK(health.log().count("paths=\"/livez /healthz /readyz\"") == 1);
    endpoint_options all;
    all.pages.push_back(text_page("/report", [] { return std::string(); }));
    all.prometheus = std::make_shared<prometheus_metrics>();
    all.debug.emplace();
    running_endpoints others(std::move(all));
    CHECK(others.log().count("paths=\"/report /metrics /debug /dashboard\"") == 1);
}

TEST_CASE("endpoints: metrics are served as text, compressed on request", "[endpoints][integration]")
{
    auto numbers = std::make_shared<prometheus_metrics>();
    numbers->make_counter("workqueue_adds_total", {{"name", "pods"}})->add(3);
    running_endpoints program({.prometheus = numbers});
    auto client = program.client();
    const auto plain = client.get("/metrics");
    CHECK(plain.status == 200);
    CHECK(plain.headers.at("content-type") == "text/plain; version=0.0.4; charset=utf-8");
    CHECK(plain.body.find("workqueue_adds_total{name=\"pods\"} 3\n") != std::string::npos);
    CHECK(plain.body.find("process_resident_memory_bytes ") != std::string::npos);
    const auto packed = client.get("/metrics", "Accept-Encoding: gzip\r\n");
    CHECK(packed.headers.at("content-encoding") == "gzip");
    CHECK(packed.body.size() < plain.body.size() / 2);
    const auto own = client.get("/metrics").body;
    CHECK(own.find(R"(kubecoro_endpoints_requests_total{code="200",endpoint="metrics"} 2)") != std::string::npos);
    CHECK(own.find("kubecoro_endpoints_open_connections 1\n") != std::string::npos);
    CHECK(client.get("/livez").status == 404);
}

TEST_CASE("endpoints: metrics that cannot be made are an answer, and cost neither the connection nor the log",
          "[endpoints][integration]")
{
    struct broken_collector final : prometheus::Collectable
    {
        [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override
        {
            throw std::runtime_error("a reason for the log");
        }
    };
    const auto broken = std::make_shared<broken_collector>();
    auto numbers = std::make_shared<prometheus_metrics>();
    numbers->add(broken);
    running_endpoints program({.health = health_checks(), .prometheus = numbers});
    auto client = program.client();
    for (int i = 0; i < 3; ++i) {
        const auto answer = client.get("/metrics");
        CHECK(answer.status == 500);
        CHECK(answer.body.find("reason for the log") == std::string::npos);
    }
    CHECK(client.get("/livez").status == 200);
    CHECK(program.server().stats().connections == 1);
    CHECK(program.log().count("a reason for the log") == 1);
    CHECK(program.log().count("a task failed") == 0);
}

TEST_CASE("endpoints: what is not served is not found, and other methods are refused", "[endpoints][integration]")
{
    running_endpoints program({.health = health_checks()});
    auto client = program.client();
    for (const char* path : {"/", "/metrics", "/x", "/livezx", "/livez/x", "/../etc/passwd", "/livez/../../etc/passwd",
                             "/%2e%2e/etc/passwd", "//etc/passwd", "/livez%00", "/readyz/%70ing"}) {
        INFO(path);
        CHECK(client.get(path).status == 404);
    }
    for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"}) {
        const auto refused = client.request(method, "/livez", {});
        CHECK(refused.status == 405);
        CHECK(refused.headers.at("allow") == "GET, HEAD");
    }
    CHECK(client.get("*").status == 400);
    CHECK(program.log().count("a request was refused method=GET target=/ status=404") == 1);
    CHECK(program.log().count("a request was refused") == 1);
}

TEST_CASE("endpoints: HEAD has the length of the body and no body", "[endpoints][integration]")
{
    running_endpoints program({.health = health_checks()});
    auto client = program.client();
    REQUIRE(client.send("HEAD /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const auto head = client.head();
    CHECK(head.status == 200);
    CHECK(head.headers.at("content-length") == "2");
    REQUIRE(client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    CHECK(client.answer().body == "ok");
}

TEST_CASE("endpoints: a server of the loopback interface answers for no foreign name", "[endpoints][integration]")
{
    running_endpoints program({.health = health_checks()});
    auto client = program.client();
    REQUIRE(client.send("GET /livez HTTP/1.1\r\nHost: attacker.example\r\n\r\n"));
    CHECK(client.answer().status == 421);
    running_endpoints open({.address = ":0", .health = health_checks()});
    auto other = open.client();
    REQUIRE(other.send("GET /livez HTTP/1.1\r\nHost: operator.system.svc\r\n\r\n"));
    CHECK(other.answer().status == 200);
}

TEST_CASE("endpoints: an address in use is an error that names it", "[endpoints][integration]")
{
    running_endpoints first;
    asio::io_context io;
    const std::string address = "127.0.0.1:" + std::to_string(first.server().port());
    endpoint_server second(io.get_executor(), {.address = address});
    const auto started = second.start();
    REQUIRE_FALSE(started);
    CHECK(started.error() == cond::misconfigured);
    CHECK(started.error().message().find(address) != std::string::npos);
    CHECK_FALSE(second.listening());
}

TEST_CASE("endpoints: a server that is off starts and stops", "[endpoints][integration]")
{
    running_endpoints off({.address = "0"});
    CHECK_FALSE(off.server().listening());
    CHECK(off.server().url().empty());
}

TEST_CASE("endpoints: stopping answers the request in progress, closes idle connections and refuses new ones",
          "[endpoints][integration]")
{
    health_checks checks;
    latch asked;
    latch go;
    REQUIRE(checks.add_ready(
        "slow",
        [asked, go]() -> asio::awaitable<result<>> {
            asked.settle({});
            co_return co_await go.wait();
        },
        0s));
    running_endpoints program({.health = checks, .limits = {.grace = 30s}});
    const auto at = program.at();
    auto idle = program.client();
    CHECK(idle.get("/livez").status == 200);
    auto busy = program.client();
    REQUIRE(busy.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    REQUIRE(test::eventually([&] { return asked.settled(); }));
    program.server().request_stop();
    CHECK(idle.closed_by_server());
    go.settle({});
    const auto answer = busy.answer();
    CHECK(answer.status == 200);
    CHECK(answer.headers.at("connection") == "close");
    CHECK(program.stop());
    CHECK_THROWS(apiserver::raw_client(at));
    CHECK(program.server().start().error() == cond::cancelled);
}

TEST_CASE("endpoints: at the end of the grace period a check that hangs is cancelled", "[endpoints][integration]")
{
    health_checks checks;
    latch asked;
    REQUIRE(checks.add_ready(
        "hangs",
        [asked]() -> asio::awaitable<result<>> {
            asked.settle({});
            const latch never;
            co_return co_await never.wait();
        },
        0s));
    running_endpoints program({.health = checks, .limits = {.grace = 50ms}});
    auto client = program.client();
    REQUIRE(client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    REQUIRE(test::eventually([&] { return asked.settled(); }));
    CHECK(program.stop());
    CHECK(client.closed_by_server());
}

TEST_CASE("endpoints: the context may end before the server, which has nothing left then", "[endpoints][integration]")
{
    std::unique_ptr<endpoint_server> server;
    {
        asio::io_context io;
        server = std::make_unique<endpoint_server>(io.get_executor(), endpoint_options{.address = "127.0.0.1:0"});
        REQUIRE(server->start());
        apiserver::raw_client client({"127.0.0.1", server->port(), false});
        io.poll();
        CHECK(server->stats().open_connections == 1);
    }
    CHECK(server->start().error() == cond::cancelled);
    server->request_stop();
}

TEST_CASE("endpoints: debug pages are listed, and served as text and JSON", "[endpoints][integration]")
{
    const debug_pages pages;
    REQUIRE(pages.add("tasks", tasks_page([] { return std::vector<std::string>{"<script>"}; })));
    running_endpoints program({.debug = pages});
    auto client = program.client();
    CHECK(client.get("/debug").body == "/debug/tasks\n");
    CHECK(client.get("/debug/").body == "/debug/tasks\n");
    const auto text = client.get("/debug/tasks");
    CHECK(text.body == "<script>\n");
    CHECK(text.headers.at("content-type") == "text/plain; charset=utf-8");
    CHECK(text.headers.at("x-content-type-options") == "nosniff");
    const auto json = client.get("/debug/tasks?format=json");
    CHECK(json.body == R"(["<script>"])");
    CHECK(json.headers.at("content-type") == "application/json");
    CHECK(client.get("/debug/tasks", "Accept: application/json\r\n").body == json.body);
    CHECK(client.get("/debug/tasks?format=text", "Accept: application/json\r\n").body == text.body);
    for (const char* path : {"/debug/x", "/debug/../metrics", "/debugx", "/debug/tasks/"})
        CHECK(client.get(path).status == 404);
    CHECK(client.get("/debug/tasks?cluster=eu").status == 404); // it is not divided by cluster
    CHECK(pages.remove("tasks"));
    CHECK(client.get("/debug/tasks").status == 404);
    REQUIRE(pages.add("queues", queues_page([] {
                          return std::vector<in_cluster<workqueue_stats>>{{.cluster = "eu", .value = {}},
                                                                          {.cluster = "asia", .value = {}}};
                      })));
    CHECK(client.get("/debug/queues").body.find("cluster asia: ") != std::string::npos);
    const auto one = client.get("/debug/queues?cluster=eu").body;
    CHECK(one.find("cluster eu: ") == 0);
    CHECK(one.find("asia") == std::string::npos);
    CHECK(client.get("/debug/queues?cluster=africa&format=json").body == "[]");
}
