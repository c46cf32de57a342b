// Credential plugins that return client certificates, and clients that share a plugin.
#include "client_fixture.hpp"
#include "plugin_script.hpp"

#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

using names = std::vector<std::string>;

struct certified : client_fixture
{
    authority ours{"ours"};
    std::shared_ptr<testing::virtual_clock> time = std::make_shared<testing::virtual_clock>();

    [[nodiscard]] server_tls tls() const { return {ours.issue("server", {"IP:127.0.0.1"}), ours.certificate()}; }
    /// An ExecCredential with a certificate of this name.
    [[nodiscard]] std::string credential(const std::string& name, const std::string& token = {}) const
    {
        const auto me = ours.issue(name, {});
        boost::json::object status{{"clientCertificateData", me.certificate}, {"clientKeyData", me.key}};
        if (!token.empty()) status["token"] = token;
        return boost::json::serialize(boost::json::object{
            {"kind", "ExecCredential"}, {"apiVersion", "client.authentication.k8s.io/v1"}, {"status", status}});
    }
    [[nodiscard]] client with(const plugin_script& script, const byte_server& to)
    {
        cluster_config c;
        c.ca = ours.certificate();
        c.login.exec = script.config();
        return with(std::move(c), to);
    }
    [[nodiscard]] client with(cluster_config c, const byte_server& to)
    {
        client_options o;
        o.time = time;
        return make(to.url(), std::move(c), std::move(o));
    }
    [[nodiscard]] bool works(const client& c) { return run(c.get(pods, "ns", "a")).has_value(); }
};

peer_script refuses()
{
    return [](peer& p) -> asio::awaitable<void> {
        for (;;) {
            auto asked = co_await p.request();
            co_await p.send(answer_text(401, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":401})"));
        }
    };
}

/// Prints the file credential-N in its N-th run.
const std::string prints_the_next = "cat credential-$(wc -l <runs | tr -d ' ')";

} // namespace

TEST_CASE("exec: a client certificate of a plugin is used for TLS, with a token or without", "[client][exec]")
{
    for (const std::string token : {"", "t"}) {
        certified the;
        byte_server server(the.tls());
        const plugin_script script(prints_the_next);
        script.write("credential-1", the.credential("one", token));
        const auto c = the.with(script, server);
        CHECK(the.works(c));
        CHECK(the.works(c));
        CHECK(server.clients() == names{"one"});
        CHECK(script.runs() == 1);
        const auto sent = server.requests().back();
        CHECK((sent.find("Authorization: Bearer t\r\n") != sent.npos) == !token.empty());
        if (token.empty()) CHECK(sent.find("Authorization") == sent.npos);
    }
}

TEST_CASE("exec: another client certificate of a plugin drains the connections of the old one", "[client][exec]")
{
    certified the;
    byte_server server(the.tls());
    const plugin_script script(prints_the_next);
    script.write("credential-1", the.credential("one"));
    script.write("credential-2", the.credential("two"));
    script.write("credential-3", the.credential("two", "t"));
    const auto c = the.with(script, server);
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send(
            std::string("HTTP/1.1 200 X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"));
        co_await p.until_gone();
    });
    auto watch = the.run(c.watch(pods, "ns"));
    REQUIRE(watch);
    const auto waiting = the.start((*watch)->next());
    server.next(refuses());
    CHECK(the.works(c));
    CHECK(script.runs() == 2);
    while (!*waiting) the.io.run_one();
    REQUIRE(**waiting);
    CHECK((*waiting)->value().empty());
    CHECK(server.clients() == names{"one", "one", "two"});
}

TEST_CASE("exec: a certificate that cannot be used fails the request, without a word of the key", "[client][exec]")
{
    certified the;
    byte_server server(the.tls());
    const plugin_script script(prints_the_next);
    const auto mixed = boost::json::serialize(boost::json::object{
        {"kind", "ExecCredential"},
        {"apiVersion", "client.authentication.k8s.io/v1"},
        {"status", boost::json::object{{"clientCertificateData", the.ours.issue("a", {}).certificate},
                                       {"clientKeyData", the.ours.issue("b", {}).key}}}});
    script.write("credential-1", mixed);
    const auto got = the.run(the.with(script, server).get(pods, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error() == cond::misconfigured);
    CHECK_THAT(got.error().describe(), Catch::Contains("credential plugin " + script.path()) &&
                                           Catch::Contains("the key does not belong to the certificate"));
    CHECK(got.error().describe().find("PRIVATE") == std::string::npos);
    CHECK(server.accepted() == 0);
}

TEST_CASE("exec: a server that refuses everything runs the plugin once, not with each request", "[client][exec]")
{
    certified the;
    byte_server server;
    for (int i = 0; i < 3; ++i) server.next(refuses());
    // The plugin has another token in each run.
    const plugin_script script(
        R"(printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t%s"}}' )"
        R"($(wc -l <runs))");
    cluster_config config;
    config.login.exec = script.config();
    const auto c = the.with(config, server);
    for (int i = 0; i < 20; ++i) {
        const auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::unauthorized);
    }
    CHECK(script.runs() == 2);
    // The first request was repeated with the second token.
    CHECK(server.requests().size() == 21);
    the.time->advance(10s);
    CHECK_FALSE(the.works(c));
    CHECK(script.runs() == 3);
}

TEST_CASE("exec: clients of one context with one configuration share the runs of their plugin", "[client][exec]")
{
    certified the;
    byte_server server;
    byte_server elsewhere;
    const plugin_script script(
        R"(printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t%s"}}' )"
        R"($(wc -l <runs))");
    cluster_config config;
    config.login.exec = script.config();
    {
        const auto a = the.with(config, server);
        const auto b = the.with(config, server);
        const auto first = the.start(a.get(pods, "ns", "a"));
        const auto second = the.start(b.get(pods, "ns", "a"));
        while (!*first || !*second) the.io.run_one();
        CHECK(**first);
        CHECK(**second);
        CHECK(script.runs() == 1);
        // Another cluster, and other settings, are on their own.
        CHECK(the.works(the.with(config, elsewhere)));
        CHECK(script.runs() == 2);
        auto changed = config;
        changed.login.exec->variables = {{"PROFILE", "other"}};
        CHECK(the.works(the.with(changed, server)));
        CHECK(script.runs() == 3);
        client_fixture other;
        CHECK(other.run(other.make(server.url(), config).get(pods, "ns", "a")));
        CHECK(script.runs() == 4);
    }
    // The credentials go with the last client.
    CHECK(the.works(the.with(config, server)));
    CHECK(script.runs() == 5);
}

TEST_CASE("exec: runs are counted by their outcome", "[client][exec]")
{
    certified the;
    byte_server server;
    const plugin_script script(
        R"([ -e broken ] && exit 1; )"
        R"(printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}}')");
    script.write("broken", "");
    cluster_config config;
    config.login.exec = script.config();
    const auto numbers = std::make_shared<testing::recording_metrics>();
    client_options o;
    o.metrics = numbers;
    o.log = logger::silent();
    const auto c = the.make(server.url(), config, o);
    CHECK_FALSE(the.works(c));
    CHECK_FALSE(the.works(c));
    script.remove("broken");
    CHECK(the.works(c));
    CHECK(the.works(c));
    const std::string name = "rest_client_exec_plugin_call_total";
    CHECK(numbers->value(name, {{"code", "1"}, {"call_status", "plugin_execution_error"}}) == 2);
    CHECK(numbers->value(name, {{"code", "0"}, {"call_status", "no_error"}}) == 1);
    // One that does not exist.
    cluster_config missing;
    missing.login.exec = exec_config{};
    missing.login.exec->command = "/does/not/exist";
    CHECK_FALSE(the.works(the.make(server.url(), missing, o)));
    CHECK(numbers->value(name, {{"code", "1"}, {"call_status", "plugin_not_found_error"}}) == 1);
}

TEST_CASE("exec: a client that ends during a run leaves it to the other one", "[client][exec]")
{
    certified the;
    byte_server server;
    const plugin_script script(
        R"(while [ ! -e go ]; do sleep 0.01; done; )"
        R"(printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}}')");
    cluster_config config;
    config.login.exec = script.config();
    std::optional<client> a = the.with(config, server);
    const auto b = the.with(config, server);
    const auto first = the.start(a->get(pods, "ns", "a"));
    while (script.runs() == 0) the.io.poll();
    a.reset();
    the.stop.emit(asio::cancellation_type::terminal);
    while (!*first) the.io.run_one();
    const auto second = the.start(b.get(pods, "ns", "a"));
    script.write("go", "");
    while (!*second) the.io.run_one();
    CHECK(**second);
    CHECK(script.runs() == 1);
}

TEST_CASE("exec: other credentials have precedence over a plugin, which then does not run", "[client][exec]")
{
    certified the;
    byte_server server(the.tls());
    const plugin_script script("exit 1");
    cluster_config config;
    config.ca = the.ours.certificate();
    config.login.exec = script.config();
    const auto me = the.ours.issue("me", {});
    config.client_certificate = me.certificate;
    config.client_key = me.key;
    CHECK(the.works(the.with(config, server)));

    byte_server open;
    for (auto part : {&credentials::token, &credentials::username}) {
        cluster_config other;
        other.login.exec = script.config();
        other.login.*part = "x";
        CHECK(the.works(the.with(other, open)));
    }
    cluster_config alone;
    alone.login.exec = script.config();
    const auto c = the.with(alone, open);
    request own;
    own.method = "GET";
    own.target = "/version";
    own.headers.emplace_back("authorization", "Bearer mine");
    CHECK(the.run(c.raw(own)));
    const auto sent = open.requests().back();
    CHECK(sent.find("Bearer mine\r\n") != sent.npos);
    CHECK(sent.find("Authorization:") == sent.npos);
    CHECK(script.runs() == 0);
}
