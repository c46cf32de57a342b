#include "client_fixture.hpp"

#include <kubecoro/test/gzip_bytes.hpp>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

client_options quick()
{
    client_options o;
    o.timeouts.answer_head = 50ms;
    o.timeouts.watch_head = 50ms;
    o.timeouts.body_idle = 50ms;
    o.timeouts.tls_handshake = 50ms;
    return o;
}

peer_script say(std::string bytes)
{
    struct speaker
    {
        static asio::awaitable<void> speak(peer& p, std::string text)
        {
            auto asked = co_await p.request();
            co_await p.send(std::move(text));
            co_await p.finish();
        }
    };
    return [bytes](peer& p) { return speaker::speak(p, bytes); };
}

} // namespace

TEST_CASE("sockets: one connection serves several requests", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    auto c = the.make(server.url());
    for (int i = 0; i < 5; ++i) {
        auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE(got);
        CHECK(got->name() == "default");
    }
    auto made = the.run(c.create(pods, "ns", pod_text("a")));
    REQUIRE(made);
    CHECK(server.accepted() == 1);
    CHECK(server.requests().back().ends_with("\r\n\r\n" + pod_text("a")));
    CHECK(server.requests().back().starts_with("POST /api/v1/namespaces/ns/pods HTTP/1.1\r\nHost: 127.0.0.1:"));
}

TEST_CASE("sockets: the body of a refusal is read, so that the request is repeated on its connection",
          "[client][integration]")
{
    client_fixture the;
    byte_server server;
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send(answer_text(429, R"({"kind":"Status","code":429})", "Retry-After: 0\r\n"));
        auto again = co_await p.request();
        co_await p.send(answer_text(200, pod_text("a")));
        co_await p.finish();
    });
    auto c = the.make(server.url());
    CHECK(the.run(c.create(pods, "ns", pod_text("a"))));
    CHECK(server.accepted() == 1);
}

TEST_CASE("sockets: compressed responses free their connection, damaged ones close it", "[client][gzip][integration]")
{
    client_fixture the;
    byte_server server;
    const auto body = gzip(pod_text("a"));
    const auto good = answer_text(200, body, "Content-Encoding: gzip\r\n");
    auto damage = body;
    damage.back() = static_cast<char>(damage.back() ^ 1);
    const auto bad = answer_text(200, damage, "Content-Encoding: gzip\r\n");
    server.next([&](peer& p) -> asio::awaitable<void> {
        for (const auto& text : {good, good, bad}) {
            auto asked = co_await p.request();
            co_await p.send(text);
        }
        co_await p.until_gone();
    });
    auto c = the.make(server.url(), {}, {.compression = compression::on});
    for (int i = 0; i < 2; ++i) REQUIRE(the.run(c.get(pods, "ns", "a")));
    auto broken = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(broken);
    CHECK(broken.error() == cond::corrupt);
    server.wait_for_ended(1);
    CHECK(server.accepted() == 1);
    REQUIRE(the.run(c.get(pods, "ns", "a")));
    CHECK(server.accepted() == 2);
    CHECK(server.requests().front().find("Accept-Encoding: gzip\r\n") != std::string::npos);
}

TEST_CASE("sockets: a connection closed by the server while idle is replaced transparently", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    auto c = the.make(server.url());
    for (int i = 0; i < 3; ++i) server.next(say(answer_text(200, pod_text("a"))));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(the.run(c.create(pods, "ns", "{}")));
        server.wait_for_ended(i + 1);
    }
    CHECK(server.accepted() == 3);
}

TEST_CASE("sockets: a GET survives one reset before its response", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        p.reset();
    });
    auto c = the.make(server.url());
    CHECK(the.run(c.get(pods, "ns", "a")));
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        p.reset();
    });
    auto other = the.make(server.url());
    auto write = the.run(other.create(pods, "ns", "{}"));
    REQUIRE_FALSE(write);
    CHECK(write.error().condition() == cond::unreachable);
    CHECK(write.error().method() == "POST");
}

TEST_CASE("sockets: chunks of any size arrive as sent", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        const std::string line = R"({"type":"ADDED","object":)" + pod_text("a") + "}\n";
        for (char c : line) co_await p.send(std::string("1\r\n") + c + "\r\n");
        co_await p.send("0\r\n\r\n");
        co_await p.until_gone();
    });
    auto c = the.make(server.url());
    auto stream = the.run(c.watch(pods, ""));
    REQUIRE(stream);
    auto batch = the.run((*stream)->next());
    REQUIRE(batch);
    REQUIRE(batch->size() == 1);
    CHECK(batch->front().obj.name() == "a");
    CHECK(the.run((*stream)->next())->empty());
}

TEST_CASE("sockets: a watch has its own connection and other requests continue", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        co_await p.until_gone();
    });
    auto c = the.make(server.url());
    auto stream = the.run(c.watch(pods, ""));
    REQUIRE(stream);
    for (int i = 0; i < 2; ++i) REQUIRE(the.run(c.get(pods, "ns", "a")));
    CHECK(server.accepted() == 2);
    stream->reset();
    server.wait_for_ended(1);
}

TEST_CASE("sockets: a silent server is abandoned at the deadline", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    auto hang = [](peer& p) { return p.until_gone(); };
    auto stall = [](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
        co_await p.until_gone();
    };
    server.next(hang);
    server.next(hang);
    server.next(stall);
    server.next(stall);
    auto c = the.make(server.url(), cluster_config(), quick());
    CHECK(the.run(c.get(pods, "ns", "a")).error().condition() == cond::timed_out);
    CHECK(the.run(c.watch(pods, "ns")).error().condition() == cond::timed_out);
    CHECK(the.run(c.get(pods, "ns", "a")).error().condition() == cond::timed_out);
    CHECK(the.run(c.list(pods, "ns")).error().condition() == cond::timed_out);
    // Each attempt closed its connection.
    server.wait_for_ended(4);
}

TEST_CASE("sockets: broken responses are reported with their reason", "[client][integration]")
{
    struct breakage
    {
        std::string bytes;
        cond expected;
    };
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    const std::vector<breakage> all = {
        {ok + "Content-Length: 100\r\n\r\n{", cond::unreachable},
        {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n{", cond::unreachable},
        {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", cond::unreachable},
        {ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", cond::corrupt},
        {ok + "X: " + std::string(200'000, 'x') + "\r\n\r\n", cond::corrupt},
        {"SSH-2.0-OpenSSH\r\n\r\n", cond::corrupt},
        {"", cond::unreachable},
        {answer_text(200, ""), cond::corrupt},
        {answer_text(200, "{\"kind\":"), cond::corrupt},
        {answer_text(204, ""), cond::corrupt},
        {answer_text(302, "", "Location: http://127.0.0.1:1/\r\n"), cond::invalid},
        {answer_text(404, R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})"), cond::not_found},
        {answer_text(500, "oops"), cond::internal},
    };
    for (const auto& one : all) {
        INFO(one.bytes.substr(0, 100));
        client_fixture the;
        byte_server server;
        // Twice, because a GET is repeated when no response has begun.
        server.next(say(one.bytes));
        server.next(say(one.bytes));
        auto c = the.make(server.url());
        auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        INFO(got.error().describe());
        CHECK(got.error().condition() == one.expected);
        CHECK(got.error().target() == "/api/v1/namespaces/ns/pods/a");
    }
}

TEST_CASE("sockets: a port without a listener is unreachable and named", "[client][integration]")
{
    client_fixture the;
    unsigned short free_port;
    {
        byte_server server;
        free_port = server.port();
    }
    auto c = the.make("http://127.0.0.1:" + std::to_string(free_port));
    auto got = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error().condition() == cond::unreachable);
    CHECK(got.error().describe().find("127.0.0.1:" + std::to_string(free_port)) != std::string::npos);
}

TEST_CASE("sockets: names are resolved and every address is tried", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    auto c = the.make("http://localhost:" + std::to_string(server.port()));
    CHECK(the.run(c.get(pods, "ns", "a")));
}

TEST_CASE("sockets: cancellation ends a request at any stage and closes its connection", "[client][integration]")
{
    // Bytes that the server has sent when the cancellation comes.
    const std::vector<std::string> sent = {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"};
    for (const auto& bytes : sent) {
        INFO(bytes);
        client_fixture the;
        byte_server server;
        server.next([&](peer& p) -> asio::awaitable<void> {
            auto asked = co_await p.request();
            if (!bytes.empty()) co_await p.send(bytes);
            asio::post(the.io, [&] { the.stop.emit(asio::cancellation_type::terminal); });
            co_await p.until_gone();
        });
        auto c = the.make(server.url());
        auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error().condition() == cond::cancelled);
        server.wait_for_ended(1);
    }
}

TEST_CASE("sockets: cancellation ends an open watch", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    server.next([&](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        co_await p.until_gone();
    });
    auto c = the.make(server.url());
    auto stream = the.run(c.watch(pods, ""));
    REQUIRE(stream);
    asio::post(the.io, [&] { asio::post(the.io, [&] { the.stop.emit(asio::cancellation_type::terminal); }); });
    auto batch = the.run((*stream)->next());
    REQUIRE_FALSE(batch);
    CHECK(batch.error().condition() == cond::cancelled);
    server.wait_for_ended(1);
}
