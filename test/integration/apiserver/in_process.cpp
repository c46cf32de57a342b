// Tests of the embedded server without sockets, in virtual time.
#include "running_server.hpp"

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <kubecoro/test/catch.hpp>

#include <chrono>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace kubecoro::apiserver;
using kubecoro::testing::runner;

namespace {

const std::string config_maps = "/api/v1/namespaces/default/configmaps";

struct world
{
    runner run;
    embedded_server server{run.executor(), options()};
    in_process_transport transport{server};

    server_options options()
    {
        server_options out;
        out.time = run.shared_clock();
        out.tokens.push_back({"good", {"bob"}});
        return out;
    }
    ~world() { CHECK(run.run(server.stop())); }

    result<std::unique_ptr<kubecoro::answer>> send(std::string method, std::string target, std::string body = {},
                                                   std::string token = {})
    {
        request r;
        r.method = std::move(method);
        r.target = std::move(target);
        if (!body.empty()) r.content_type = "application/json";
        r.body = std::move(body);
        if (!token.empty()) r.headers.emplace_back("Authorization", "Bearer " + token);
        return run.run(transport.send(std::move(r)));
    }
    std::unique_ptr<kubecoro::answer> watch(const std::string& query = {})
    {
        return send("GET", config_maps + "?watch=1" + query).value();
    }
};

asio::awaitable<result<std::string>> read_all(kubecoro::answer& from)
{
    std::string out;
    while (true) {
        auto piece = co_await from.read_some();
        if (!piece) co_return piece.error();
        if (piece->empty()) co_return out;
        out += *piece;
    }
}

asio::awaitable<result<std::string>> read_once(kubecoro::answer& from)
{
    auto piece = co_await from.read_some();
    if (!piece) co_return piece.error();
    co_return std::string(*piece);
}

} // namespace

TEST_CASE("in process: a request is answered with head and body", "[apiserver][in_process]")
{
    world w;
    auto created = w.send("POST", config_maps, config_map("a"));
    REQUIRE(created);
    CHECK((*created)->head().status == 201);
    CHECK((*created)->head().header("content-type") == "application/json");
    CHECK(w.run.run(read_all(**created)).value().find("\"a\"") != std::string::npos);

    auto missing = w.send("GET", config_maps + "/b");
    REQUIRE(missing);
    CHECK((*missing)->head().status == 404);
    CHECK(w.server.counters().requests == 2);
}

TEST_CASE("in process: a token determines the user", "[apiserver][in_process]")
{
    world w;
    CHECK(w.send("GET", config_maps, {}, "bad").value()->head().status == 401);
    CHECK(w.send("GET", config_maps, {}, "good").value()->head().status == 403);
    CHECK(w.send("GET", config_maps).value()->head().status == 200);
}

TEST_CASE("in process: a watch delivers events and ends by its timeout in virtual time", "[apiserver][in_process]")
{
    world w;
    auto watch = w.watch("&timeoutSeconds=600");
    auto reading = w.run.spawn(read_all(*watch));
    REQUIRE(w.run.run(w.server.execute("POST", config_maps, config_map("a"))));
    REQUIRE(w.run.run(w.server.execute("DELETE", config_maps + "/a")));
    const auto begun = w.run.clock().now();
    REQUIRE(w.run.run_until([&] { return reading.done(); }));
    CHECK(w.run.clock().now() - begun == std::chrono::seconds{600});
    const std::string text = reading.outcome().value();
    CHECK(text.find("ADDED") < text.find("DELETED"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    watch.reset();
    w.run.run_until_idle();
    CHECK(w.server.counters().open_watches == 0);
}

TEST_CASE("in process: a cut breaks watches off, the server continues", "[apiserver][in_process]")
{
    world w;
    auto watch = w.watch();
    auto reading = w.run.spawn(read_once(*watch));
    w.run.run_until_idle();
    CHECK_FALSE(reading.done());
    w.server.cut_connections();
    w.run.run_until_idle();
    REQUIRE(reading.done());
    CHECK(reading.outcome().error() == cond::unreachable);
    CHECK(w.run.run(read_once(*watch)).error() == cond::unreachable);
    CHECK(w.send("GET", config_maps).value()->head().status == 200);
}

TEST_CASE("in process: a request in progress during a cut fails", "[apiserver][in_process]")
{
    world w;
    request r;
    r.method = "GET";
    r.target = config_maps + "?resourceVersion=100000";
    auto sending = w.run.spawn(w.transport.send(r)); // waits for three seconds
    w.run.run_until_idle();
    CHECK_FALSE(sending.done());
    w.server.cut_connections();
    REQUIRE(w.run.run_until([&] { return sending.done(); }));
    REQUIRE_FALSE(sending.outcome());
    CHECK(sending.outcome().error() == cond::unreachable);
    CHECK(sending.outcome().error().target() == r.target);
}

TEST_CASE("in process: refusing and stopped servers are unreachable", "[apiserver][in_process]")
{
    world w;
    w.server.refuse_connections(true);
    CHECK(w.send("GET", config_maps).error() == cond::unreachable);
    w.server.refuse_connections(false);
    auto watch = w.watch();
    auto reading = w.run.spawn(read_all(*watch));
    CHECK(w.run.run(w.server.stop()));
    REQUIRE(w.run.run_until([&] { return reading.done(); }));
    CHECK(reading.outcome().value().empty()); // a clean end
    CHECK(w.send("GET", config_maps).error() == cond::unreachable);
    CHECK(w.run.run(w.server.execute("GET", config_maps)).error() == cond::unreachable);
    CHECK(w.run.run(w.server.stop()));
}

TEST_CASE("in process: a cancelled read closes the watch", "[apiserver][in_process]")
{
    world w;
    auto watch = w.watch();
    auto reading = w.run.spawn(read_once(*watch));
    w.run.run_until_idle();
    reading.cancel();
    w.run.run_until_idle();
    REQUIRE(reading.done());
    CHECK(reading.outcome().error() == cond::cancelled);
    w.run.run_until_idle();
    CHECK(w.server.counters().open_watches == 0);
}

TEST_CASE("direct access: objects, versions, compaction, manifests", "[apiserver][in_process]")
{
    world w;
    const auto before = w.run.run(w.server.resource_version()).value();
    CHECK(w.run
              .run(w.server.load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n---\n"
                                 "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: default}\n",
                                 "two.yaml"))
              .value() == 2);
    CHECK(w.run.run(w.server.objects("configmaps")).value().size() == 2);
    CHECK(w.run.run(w.server.resource_version()).value() > before);
    REQUIRE(w.run.run(w.server.compact()));

    const auto bad = w.run.run(w.server.load("kind: [", "bad.yaml"));
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message().find("bad.yaml") != std::string::npos);
    const auto refused = w.run.run(w.server.execute("POST", config_maps, config_map("a")));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::already_exists);
    CHECK(refused.error().target() == config_maps);
}

namespace {

/// Runs an operation and records whether it threw. Does not start it after a cancellation, for which Asio would throw.
template<class T>
asio::awaitable<result<>> see(asio::awaitable<result<T>> operation, bool& threw)
{
    const auto before = co_await asio::this_coro::cancellation_state;
    if (before.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    try {
        const auto done = co_await std::move(operation);
        co_return done ? result<>() : result<>(done.error());
    } catch (...) {
        threw = true;
    }
    co_return failure(cond::internal);
}

asio::awaitable<result<>> use_and_stop(embedded_server& server, bool& threw)
{
    auto outcome = co_await catch_failure(see(server.execute("POST", config_maps, config_map("a")), threw));
    if (outcome) outcome = co_await catch_failure(see(server.objects("configmaps"), threw));
    if (outcome) outcome = co_await catch_failure(see(server.stop(), threw));
    co_await finish_despite_cancellation();
    const auto finished = co_await server.stop();
    co_return finished ? outcome : finished;
}

} // namespace

TEST_CASE("direct access: cancellation at any step returns a failure, a second stop completes a cancelled one",
          "[apiserver][in_process][every_step]")
{
    bool threw = false;
    bool cancelled = false;
    const auto attempts = testing::cancel_after_every_step(
        [&](runner& r) {
            server_options options;
            options.time = r.shared_clock();
            auto server = std::make_shared<embedded_server>(r.executor(), std::move(options));
            return testing::scenario{use_and_stop(*server, threw), server};
        },
        [&](const result<>& outcome) {
            if (outcome) return;
            cancelled = true;
            CHECK(outcome.error() == cond::cancelled);
        });
    REQUIRE(attempts);
    CHECK(*attempts > 5);
    CHECK(cancelled);
    CHECK_FALSE(threw);
}

TEST_CASE("kubeconfig: names server, authority and token; failures to write name the path", "[apiserver][tls]")
{
    kubeconfig_entry entry;
    entry.server = "https://127.0.0.1:1";
    entry.ca_certificate = test_identity().ca_certificate;
    entry.token = "to\"ken";
    const std::string text = kubeconfig_text(entry);
    CHECK(text.find("server: \"https://127.0.0.1:1\"") != std::string::npos);
    CHECK(text.find("token: \"to\\\"ken\"") != std::string::npos);
    CHECK(text.find("certificate-authority-data: LS0tLS1CRUdJTi") != std::string::npos);
    const auto failed = write_private_file("/nonexistent/directory/file", text);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message().find("/nonexistent/directory/file") != std::string::npos);
}
