#include "client_fixture.hpp"

#include <cstdio>
#include <fstream>
#include <thread>

#include <boost/asio/strand.hpp>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

const authority& ours()
{
    static const authority one("ours");
    return one;
}

server_tls loopback() { return {ours().issue("server", {"IP:127.0.0.1", "DNS:kubernetes"})}; }

cluster_config trusting(const std::string& ca)
{
    cluster_config c;
    c.ca = ca;
    return c;
}

void has(const failure& f, const std::string& part)
{
    INFO(f.describe());
    CHECK(f.describe().find(part) != std::string::npos);
}

/// A file that is removed with the test.
struct temporary_file
{
    std::string path;
    explicit temporary_file(const std::string& content)
    {
        char name[] = "/tmp/kubecoro-test-XXXXXX";
        const int fd = ::mkstemp(name);
        REQUIRE(fd >= 0);
        ::close(fd);
        path = name;
        write(content);
    }
    ~temporary_file() { std::remove(path.c_str()); }
    void write(const std::string& content) const { std::ofstream(path, std::ios::trunc) << content; }
};

/// Ends after all static objects of functions, as a global client of a program does.
std::optional<client> global_client;

} // namespace

TEST_CASE("tls: a global client may keep its connection until the program ends", "[client][integration]")
{
    // The context that the client refers to is never destroyed either.
    auto* the = new client_fixture;
    byte_server server(loopback());
    global_client = the->make(server.url(), trusting(ours().certificate()));
    CHECK(the->run(global_client->get(pods, "ns", "a")));
    static client_fixture* const kept = the;
    CHECK(kept == the);
}

TEST_CASE("tls: a response that comes before the whole request is sent is read", "[client][integration]")
{
    int refused = 0;
    for (int i = 0; i < 10; ++i) {
        client_fixture the;
        byte_server server(loopback());
        server.next([](peer& p) -> asio::awaitable<void> {
            co_await p.send(answer_text(413, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":413})",
                                        "Connection: close\r\n"));
            p.close();
        });
        auto c = the.make(server.url(), trusting(ours().certificate()));
        request r;
        r.method = "POST";
        r.target = "/api/v1/namespaces/x/configmaps";
        r.body = std::string(std::size_t{8} << 20, 'x');
        const auto got = the.run(c.raw(std::move(r)));
        // The reset may overtake the response; that must fail at once and not by a time limit.
        if (got)
            ++refused;
        else
            CHECK(got.error() == cond::unreachable);
        if (got) CHECK(got->head.status == 413);
    }
    CHECK(refused > 0);
}

TEST_CASE("tls: a certificate of the configured authority is accepted and the connection kept", "[client][integration]")
{
    client_fixture the;
    byte_server server(loopback());
    auto c = the.make(server.url(), trusting(ours().certificate()));
    for (int i = 0; i < 3; ++i) REQUIRE(the.run(c.get(pods, "ns", "a")));
    CHECK(server.accepted() == 1);
}

TEST_CASE("tls: a certificate that cannot be verified is reported with the reason", "[client][integration]")
{
    client_fixture the;
    byte_server server(loopback());
    const authority other("other");
    auto stranger = the.run(the.make(server.url(), trusting(other.certificate())).get(pods, "ns", "a"));
    REQUIRE_FALSE(stranger);
    CHECK(stranger.error().condition() == cond::unreachable);
    has(stranger.error(), "is not valid for \"127.0.0.1\": unable to get local issuer certificate");
    auto unknown = the.run(the.make(server.url()).get(pods, "ns", "a"));
    REQUIRE_FALSE(unknown);
    has(unknown.error(), "is not valid for");

    byte_server late(server_tls{ours().issue("server", {"IP:127.0.0.1"}, -1)});
    auto expired = the.run(the.make(late.url(), trusting(ours().certificate())).get(pods, "ns", "a"));
    REQUIRE_FALSE(expired);
    has(expired.error(), "certificate has expired");
}

TEST_CASE("tls: the certificate must contain the server's name", "[client][integration]")
{
    client_fixture the;
    byte_server server(server_tls{ours().issue("server", {"DNS:kubernetes"})});
    auto config = trusting(ours().certificate());
    auto address = the.run(the.make(server.url(), config).get(pods, "ns", "a"));
    REQUIRE_FALSE(address);
    has(address.error(), "\"127.0.0.1\": IP address mismatch");
    config.server_name = "elsewhere";
    auto name = the.run(the.make(server.url(), config).get(pods, "ns", "a"));
    REQUIRE_FALSE(name);
    has(name.error(), "\"elsewhere\": hostname mismatch");
    config.server_name = "kubernetes";
    CHECK(the.run(the.make(server.url(), config).get(pods, "ns", "a")));
}

TEST_CASE("tls: a certificate with a Common Name only is rejected with that reason", "[client][integration]")
{
    for (const char* name : {"kubernetes", "127.0.0.1"}) {
        INFO(name);
        client_fixture the;
        byte_server server(server_tls{ours().issue_legacy(name)});
        auto config = trusting(ours().certificate());
        config.server_name = name;
        const auto got = the.run(the.make(server.url(), config).get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::unreachable);
        has(got.error(), "relies on the legacy Common Name field");
        config.ca.clear();
        config.insecure = true;
        CHECK(the.run(the.make(server.url(), config).get(pods, "ns", "a")));
    }
}

TEST_CASE("tls: a wrong scheme in either direction is reported with the right one", "[client][integration]")
{
    client_fixture the;
    byte_server secret(loopback());
    const auto clear = the.run(the.make("http" + secret.url().substr(5)).get(pods, "ns", "a"));
    REQUIRE_FALSE(clear);
    has(clear.error(), "its address must begin with https://");
    byte_server open;
    open.next([](peer& p) -> asio::awaitable<void> {
        co_await p.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request");
        co_await p.until_gone();
    });
    const auto shaken =
        the.run(the.make("https" + open.url().substr(4), trusting(ours().certificate())).get(pods, "ns", "a"));
    REQUIRE_FALSE(shaken);
    CHECK(shaken.error() == cond::unreachable);
    has(shaken.error(), "its address must begin with http://");
}

TEST_CASE("tls: insecure accepts any certificate", "[client][integration]")
{
    client_fixture the;
    byte_server server(server_tls{authority("unknown").issue("server", {"DNS:elsewhere"}, -1)});
    cluster_config config;
    config.insecure = true;
    CHECK(the.run(the.make(server.url(), config).get(pods, "ns", "a")));
}

TEST_CASE("tls: client certificates are sent, and a missing one is reported", "[client][integration]")
{
    client_fixture the;
    auto tls = loopback();
    tls.client_authority = ours().certificate();
    byte_server server(tls);
    auto config = trusting(ours().certificate());
    auto nobody = the.run(the.make(server.url(), config).get(pods, "ns", "a"));
    REQUIRE_FALSE(nobody);
    CHECK(nobody.error().condition() == cond::unreachable);
    const auto me = ours().issue("me", {});
    config.client_certificate = me.certificate;
    config.client_key = me.key;
    CHECK(the.run(the.make(server.url(), config).get(pods, "ns", "a")));
}

TEST_CASE("tls: unusable settings are reported before connecting", "[client][integration]")
{
    asio::io_context io;
    const auto refused = [&](auto change, const std::string& why) {
        cluster_config config;
        config.server = "https://127.0.0.1:1";
        change(config);
        auto made = client::create(io.get_executor(), config);
        REQUIRE_FALSE(made);
        CHECK(made.error().condition() == cond::misconfigured);
        has(made.error(), why);
        CHECK(made.error().describe().find("PRIVATE") == std::string::npos);
    };
    const auto me = ours().issue("me", {}), you = ours().issue("you", {});
    refused([](auto& c) { c.server = "tcp://x"; }, "server address");
    refused([](auto& c) { c.ca = "nonsense"; }, "certificate-authority: not PEM");
    refused([](auto& c) { c.ca = "nonsense", c.origin = "context x of /k/config"; },
            "context x of /k/config: certificate-authority: not PEM");
    refused([&](auto& c) { c.client_certificate = me.certificate; }, "must be given together");
    refused([&](auto& c) { c.client_key = me.key; }, "must be given together");
    refused([&](auto& c) { c.client_certificate = me.certificate, c.client_key = you.key; }, "does not match");
    refused([&](auto& c) { c.client_certificate = "x", c.client_key = you.key; }, "client-certificate: ");
    refused([&](auto& c) { c.client_certificate = me.certificate, c.client_key = "x"; }, "client-key: ");
    refused([&](auto& c) { c.insecure = true, c.ca = ours().certificate(); }, "mutually exclusive");
}

TEST_CASE("tls: a handshake that never completes ends at its deadline, or by cancellation", "[client][integration]")
{
    client_fixture the;
    byte_server server(loopback(), false);
    server.next([](peer& p) { return p.until_gone(); });
    client_options quick;
    quick.timeouts.tls_handshake = 50ms;
    auto c = the.make(server.url(), trusting(ours().certificate()), quick);
    auto late = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(late);
    CHECK(late.error().condition() == cond::timed_out);
    has(late.error(), "TLS handshake");

    server.next([&](peer& p) -> asio::awaitable<void> {
        asio::post(the.io, [&] { the.stop.emit(asio::cancellation_type::terminal); });
        co_await p.until_gone();
    });
    auto stopped = the.run(the.make(server.url(), trusting(ours().certificate())).get(pods, "ns", "a"));
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().condition() == cond::cancelled);
    server.wait_for_ended(2);
}

TEST_CASE("tls: every kind of cancellation ends an open watch", "[client][integration]")
{
    const auto lets_all_in = [](watch_stream& from) -> asio::awaitable<result<std::vector<watch_event>>> {
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        co_return co_await from.next();
    };
    for (const auto how :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        client_fixture the;
        byte_server server(loopback());
        server.next([](peer& p) -> asio::awaitable<void> {
            auto asked = co_await p.request();
            co_await p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            co_await p.until_gone();
        });
        auto c = the.make(server.url(), trusting(ours().certificate()));
        auto stream = the.run(c.watch(pods, ""));
        REQUIRE(stream);
        asio::post(the.io, [&] { asio::post(the.io, [&] { the.stop.emit(how); }); });
        auto batch = the.run(lets_all_in(**stream));
        REQUIRE_FALSE(batch);
        CHECK(batch.error().condition() == cond::cancelled);
        server.wait_for_ended(1);
    }
}

TEST_CASE("tls: a body that ends without close_notify is incomplete", "[client][integration]")
{
    client_fixture the;
    byte_server server(loopback());
    const auto script = [](bool clean) {
        return [clean](peer& p) -> asio::awaitable<void> {
            auto asked = co_await p.request();
            co_await p.send("HTTP/1.1 200 OK\r\n\r\n" + pod_text("a"));
            if (clean)
                co_await p.finish();
            else
                p.close();
        };
    };
    const peer_script clean = script(true), cut = script(false);
    server.next(clean);
    server.next(cut);
    auto c = the.make(server.url(), trusting(ours().certificate()));
    CHECK(the.run(c.get(pods, "ns", "a")));
    auto broken = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(broken);
    CHECK(broken.error().condition() == cond::unreachable);
}

TEST_CASE("tls: a token file is read again after a 401", "[client][integration]")
{
    client_fixture the;
    byte_server server(loopback());
    server.next([](peer& p) -> asio::awaitable<void> {
        for (;;) {
            auto asked = co_await p.request();
            const bool known = asked.find("Authorization: Bearer new\r\n") != std::string::npos;
            auto text = answer_text(401, R"({"kind":"Status","code":401,"reason":"Unauthorized"})");
            if (known) text = answer_text(200, pod_text("a"));
            co_await p.send(text);
        }
    });
    temporary_file token("old\n");
    auto config = trusting(ours().certificate());
    config.login.token_file = token.path;
    auto c = the.make(server.url(), config);
    auto refused = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().condition() == cond::unauthorized);
    CHECK(server.requests().size() == 1);
    token.write("new\n");
    CHECK(the.run(c.get(pods, "ns", "a")));
    CHECK(server.requests().size() == 3);
    CHECK(the.run(c.get(pods, "ns", "a")));
    CHECK(server.requests().size() == 4);
    CHECK(server.accepted() == 1);
}

TEST_CASE("tls: many coroutines on many threads share one client", "[client][integration]")
{
    byte_server server(loopback());
    asio::io_context io{4};
    cluster_config config = trusting(ours().certificate());
    config.server = server.url();
    auto c = client::create(io.get_executor(), config);
    REQUIRE(c);
    std::atomic<int> good{0};
    auto ask = [](client from, std::atomic<int>& count) -> asio::awaitable<void> {
        for (int i = 0; i < 20; ++i) {
            auto got = co_await from.get(pods, "ns", "a");
            if (got) ++count;
        }
    };
    for (int i = 0; i < 8; ++i)
        asio::co_spawn(asio::make_strand(io), ask(*c, good), [](std::exception_ptr e) {
            if (e) std::rethrow_exception(e);
        });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { io.run(); });
    for (auto& t : threads) t.join();
    CHECK(good == 160);
    CHECK(server.accepted() <= 8);
}
