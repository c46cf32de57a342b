// Endpoints for bearers of tokens that an API server knows.
#include "running_endpoints.hpp"

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <deque>
#include <future>
#include <thread>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

/// An API server that knows two users, one of whom may read /metrics and /debug.
class cluster
{
public:
    cluster()
    {
        apiserver::server_options options;
        options.tokens = {{"reader-token", {"reader", {"monitoring"}}}, {"other-token", {"other"}}};
        apiserver::access_rule rule;
        rule.user = "reader";
        rule.verb = "get";
        options.rules = {rule};
        options.log = requests.handle();
        server = std::make_unique<apiserver::embedded_server>(io.get_executor(), options);
        thread = std::thread([this] { io.run(); });
    }
    ~cluster()
    {
        stop();
        work.reset();
        thread.join();
    }
    void stop() { CHECK(asio::co_spawn(io, server->stop(), asio::use_future).get()); }
    [[nodiscard]] access_filter filter(access_filter_options options = {})
    {
        return access_filter(client(io.get_executor(), std::make_shared<apiserver::in_process_transport>(*server)),
                             std::move(options));
    }

    testing::recording_logger requests;

private:
    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
    std::unique_ptr<apiserver::embedded_server> server;
    std::thread thread;
};

endpoint_options protecting(cluster& by, access_filter_options how = {})
{
    endpoint_options out;
    out.prometheus = std::make_shared<prometheus_metrics>();
    out.health = health_checks();
    out.debug = debug_pages();
    REQUIRE(out.debug->add("tasks", tasks_page([] { return std::vector<std::string>{"a task"}; })));
    how.metrics = out.prometheus;
    out.protect = by.filter(std::move(how));
    return out;
}

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

} // namespace

TEST_CASE("endpoints: metrics and debug pages are for those whom the API server lets get them",
          "[endpoints][integration][access]")
{
    cluster api;
    running_endpoints program(protecting(api));
    auto client = program.client();
    const auto anonymous = client.get("/metrics");
    CHECK(anonymous.status == 401);
    CHECK(anonymous.headers.at("www-authenticate") == "Bearer");
    CHECK(client.get("/metrics", bearer("unknown")).status == 401);
    CHECK(client.get("/metrics", "Authorization: Basic cmVhZGVyLXRva2Vu\r\n").status == 401);
    const auto forbidden = client.get("/metrics", bearer("other-token"));
    CHECK(forbidden.status == 403);
    CHECK(forbidden.body == "the user of the token may not get the nonResourceURL /metrics\n");
    CHECK(client.get("/metrics", bearer("reader-token")).status == 200);
    CHECK(client.get("/debug/tasks").status == 401);
    CHECK(client.get("/debug/tasks", bearer("other-token")).status == 403);
    CHECK(client.get("/debug/tasks", bearer("reader-token")).body == "a task\n");
    // Unauthenticated clients do not learn which pages there are.
    CHECK(client.get("/debug/nothing").status == 401);
    CHECK(client.get("/debug/nothing", bearer("reader-token")).status == 404);
    CHECK(client.get("/livez").status == 200);
    CHECK(client.get("/readyz").status == 200);
    CHECK(program.log().count("reader-token") + program.log().count("other-token") == 0);
}

TEST_CASE("endpoints: a token is reviewed once, whatever paths its bearer invents", "[endpoints][integration][access]")
{
    cluster api;
    access_filter_options how;
    how.time = std::make_shared<testing::virtual_clock>();
    running_endpoints program(protecting(api, how));
    auto client = program.client();
    for (int i = 0; i < 20; ++i) CHECK(client.get("/metrics", bearer("reader-token")).status == 200);
    CHECK(api.requests.count("tokenreviews") == 1);
    CHECK(api.requests.count("subjectaccessreviews") == 1);
    for (int i = 0; i < 20; ++i) CHECK(client.get("/debug/" + std::to_string(i), bearer("reader-token")).status == 404);
    CHECK(api.requests.count("tokenreviews") == 2);
}

TEST_CASE("endpoints: a flood of bad tokens reaches the API server as a trickle, and good ones pass",
          "[endpoints][integration][access]")
{
    cluster api;
    access_filter_options how;
    const auto clock = std::make_shared<testing::virtual_clock>();
    how.time = clock; // a moment that does not pass
    running_endpoints program(protecting(api, how));
    auto known = program.client();
    REQUIRE(known.get("/metrics", bearer("reader-token")).status == 200);
    std::deque<apiserver::raw_client> bad;
    const auto send = [&] {
        auto& each = bad.emplace_back(program.at());
        const auto token = "t" + std::to_string(bad.size());
        REQUIRE(each.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + bearer(token) + "\r\n"));
    };
    for (int i = 0; i < 9; ++i) send();
    for (auto& each : bad) CHECK(each.answer().status == 401);
    // 32 of the others wait.
    for (int i = 0; i < 51; ++i) send();
    CHECK(test::eventually([&] { return program.server().stats().requests == 1 + 9 + 51 - 32; }));
    CHECK(api.requests.count("tokenreviews") == 10);
    CHECK(known.get("/metrics", bearer("reader-token")).status == 200);
    auto fresh = std::async(std::launch::async, [&] {
        apiserver::raw_tls elsewhere;
        elsewhere.from = "127.0.0.3";
        return apiserver::raw_client(program.at(), elsewhere).get("/metrics", bearer("other-token")).status;
    });
    CHECK(advance_until(*clock, fresh) < 2s); // not after the 32
    CHECK(fresh.get() == 403);
}

TEST_CASE("endpoints: without an API server there is no access, and the log says why",
          "[endpoints][integration][access]")
{
    cluster api;
    testing::recording_logger log;
    access_filter_options how;
    how.log = log.handle();
    running_endpoints program(protecting(api, how));
    auto client = program.client();
    api.stop();
    const auto answer = client.get("/metrics", bearer("reader-token"));
    CHECK(answer.status == 500);
    CHECK(answer.body == "the token could not be reviewed; the log of the program says why\n");
    CHECK(log.count("tokens of clients cannot be reviewed") == 1);
    CHECK(log.count("reader-token") == 0);
    CHECK(client.get("/livez").status == 200);
}

TEST_CASE("endpoints: a token of another audience is not valid", "[endpoints][integration][access]")
{
    cluster api;
    access_filter_options how;
    how.audiences = {"another"};
    running_endpoints program(protecting(api, how));
    CHECK(program.client().get("/metrics", bearer("reader-token")).status == 401);
}

TEST_CASE("endpoints: a protected page is for those who may get its path", "[endpoints][integration][access]")
{
    cluster api;
    auto options = protecting(api);
    streamed_page page;
    page.path = "/series";
    page.begin = [] {
        return [](std::string& out) {
            out = "all of them";
            return false;
        };
    };
    options.pages.push_back(std::move(page));
    running_endpoints program(std::move(options));
    auto client = program.client();
    CHECK(client.get("/series").status == 401);
    CHECK(client.get("/series", bearer("other-token")).status == 403);
    const auto answer = client.get("/series", bearer("reader-token"));
    CHECK(answer.status == 200);
    CHECK(answer.body == "all of them");
}
