// The conversations with proxies: CONNECT and SOCKS5, as scripts and over a stream.
#include "connect/socket_connector.hpp"
#include "scripted_connection.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <functional>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::test;
namespace asio = boost::asio;
using namespace std::string_literals;

namespace {

const tunnel_target api{"api.example", "6443"};

proxy_address proxy(const std::string& url) { return *proxy_address::parse(url); }

using maker = std::function<std::unique_ptr<tunnel_core>()>;

maker http(const std::string& url = "http://p:3128", tunnel_target server = api)
{
    return [=] { return make_http_tunnel(proxy(url), server); };
}

maker socks(const std::string& url = "socks5://p", tunnel_target server = api)
{
    return [=] { return make_socks5_tunnel(proxy(url), server); };
}

/// Feeds the answers in pieces of that size. Returns "open after: " and all that was sent, "waits", or the failure.
std::string talk(tunnel_core& core, const std::vector<std::string>& answers, std::size_t piece)
{
    std::string sent = core.begin();
    for (std::string_view rest : answers) {
        while (!rest.empty()) {
            auto next = core.feed(rest.substr(0, piece));
            if (!next) {
                // A failure is final.
                CHECK_FALSE(core.feed("x"));
                return next.error().describe();
            }
            rest.remove_prefix(std::min(piece, rest.size()));
            if (next->open) return rest.empty() ? "open after: " + sent : "open before the end";
            sent += next->send;
        }
    }
    return "waits";
}

/// The same however the answers are split.
std::string outcome(const maker& make, const std::vector<std::string>& answers)
{
    const auto whole = talk(*make(), answers, std::string::npos);
    for (const std::size_t piece : {1, 2, 3, 7}) CHECK(talk(*make(), answers, piece) == whole);
    return whole;
}

void has(const std::string& text, const std::string& part)
{
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
}

const std::string bound("\x05\x00\x00\x01\x7f\x00\x00\x01\x12\x34", 10);

} // namespace

TEST_CASE("http tunnel: asks for the server by name, and opens with any 2xx", "[client][proxy]")
{
    CHECK(outcome(http(), {"HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n"}) ==
          "open after: CONNECT api.example:6443 HTTP/1.1\r\nHost: api.example:6443\r\n\r\n");
    CHECK(outcome(http("http://u:p@p"), {"HTTP/1.0 204 \r\nContent-Length: 7\r\n\r\n"}) ==
          "open after: CONNECT api.example:6443 HTTP/1.1\r\nHost: api.example:6443\r\n"
          "Proxy-Authorization: Basic dTpw\r\n\r\n");
    has(outcome(http("http://p", {"fd00::1", "443"}), {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"}),
        "CONNECT [fd00::1]:443 HTTP/1.1\r\nHost: [fd00::1]:443\r\n");
    has(outcome(http(), {"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"}), "open after");
    CHECK(outcome(http(), {"HTTP/1.1 200 OK\r\nX: y\r\n"}) == "waits");
}

TEST_CASE("http tunnel: a refusal shows the proxy's words, bounded and printable", "[client][proxy]")
{
    CHECK(outcome(http(), {"HTTP/1.1 403 Forbidden\r\nContent-Length: 900\r\n\r\n"}) ==
          "unreachable: the proxy p:3128 does not connect to api.example:6443: 403 Forbidden");
    has(outcome(http(), {"HTTP/1.1 503 \xc2\x9b[2Jgone\r\n\r\n"}), "503  [2Jgone");
    const auto wordy = outcome(http(), {"HTTP/1.1 502 " + std::string(3000, 'x') + "\r\n\r\n"});
    CHECK(wordy.size() < 400);
    has(wordy, "502 xxx");
    CHECK(outcome(http(), {"HTTP/1.1 407 \r\n\r\n"}).find("unauthorized: ") == 0);
    has(outcome(http(), {"HTTP/1.1 407 Login\r\n\r\n"}), "407 Login; put a user name and password into its URL");
    has(outcome(http("http://u:p@p"), {"HTTP/1.1 407 No\r\n\r\n"}), "it refuses the user name and password");
    has(outcome(http(), {"HTTP/1.1 302 Found\r\nLocation: http://x\r\n\r\n"}), "unreachable: ");
}

TEST_CASE("http tunnel: a proxy that repeats the login does not bring it into a failure", "[client][proxy]")
{
    const auto plain = outcome(http("http://user:geheim@p"), {"HTTP/1.1 407 user:geheim is wrong\r\n\r\n"});
    CHECK(plain.find("geheim") == plain.npos);
    const auto encoded = outcome(http("http://user:geheim@p"), {"HTTP/1.1 407 dXNlcjpnZWhlaW0=\r\n\r\n"});
    CHECK(encoded.find("dXNl") == encoded.npos);
    // Also where the bound on the words would cut it.
    const auto cut =
        outcome(http("http://user:geheim@p"), {"HTTP/1.1 403 " + std::string(190, 'x') + " dXNlcjpnZWhlaW0=\r\n\r\n"});
    CHECK(cut.find("dXNl") == cut.npos);
}

TEST_CASE("http tunnel: what is not HTTP, too long, endless or too early fails", "[client][proxy]")
{
    has(outcome(http(), {"SSH-2.0-OpenSSH_9\r\n\r\n"}), "corrupt: the proxy p:3128: the response is not valid HTTP");
    has(outcome(http(), {"HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"}), "corrupt: the proxy");
    std::string many = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 3000; ++i) many += "X: yyyy\r\n";
    has(outcome(http(), {many + "\r\n"}), "corrupt: the proxy");
    // A head that never ends is given up as soon as it is too long.
    has(outcome(http(), {"HTTP/1.1 200 " + std::string(20'000, 'x')}), "corrupt: the proxy");
    // A control character is not passed on either.
    has(outcome(http(), {"HTTP/1.1 503 \x1b[2J\r\n\r\n"}), "bad reason");
    std::string endless;
    for (int i = 0; i < 20; ++i) endless += "HTTP/1.1 100 Continue\r\n\r\n";
    has(outcome(http(), {endless}), "interim responses");
    has(outcome(http(), {"\x15\x03\x01"s}), "corrupt: the proxy p:3128: ");
    // The server has not been asked yet: these bytes are the proxy's.
    has(talk(*http()(), {"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n"}, std::string::npos), "before the server could");
}

TEST_CASE("socks5: names are sent unresolved, addresses as such", "[client][proxy]")
{
    const auto hello = "\x05\x01\x00"s;
    CHECK(outcome(socks(), {"\x05\x00"s, bound}) ==
          "open after: " + hello + "\x05\x01\x00\x03\x0b"s + "api.example\x19\x2b");
    CHECK(outcome(socks("socks5://p", {"10.0.0.7", "443"}), {"\x05\x00"s, bound}) ==
          "open after: " + hello + "\x05\x01\x00\x01\x0a\x00\x00\x07\x01\xbb"s);
    CHECK(outcome(socks("socks5://p", {"::1", "80"}), {"\x05\x00"s, bound}) ==
          "open after: " + hello + "\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x00\x50"s);
    // The proxy's own address is of any type.
    has(outcome(socks(), {"\x05\x00"s, "\x05\x00\x00\x04"s + std::string(18, 'x')}), "open after");
    has(outcome(socks(), {"\x05\x00"s, "\x05\x00\x00\x03\x03"s + "abc12"}), "open after");
    has(outcome(socks(), {"\x05\x00"s, "\x05\x00\x00\x03\x00"s + "12"}), "open after");
    has(outcome(socks("socks5://p", {std::string(256, 'x'), "80"}), {"\x05\x00"s}), "misconfigured: the server's name");
    CHECK(outcome(socks(), {"\x05\x00"s, bound.substr(0, 9)}) == "waits");
}

TEST_CASE("socks5: the login is sent only where the proxy asks for it", "[client][proxy]")
{
    const auto login = "socks5://me:pw@p";
    const auto request = "\x05\x01\x00\x03\x0b"s + "api.example\x19\x2b";
    CHECK(outcome(socks(login), {"\x05\x02"s, "\x01\x00"s, bound}) ==
          "open after: \x05\x02\x00\x02\x01\x02me\x02pw"s + request);
    CHECK(outcome(socks(login), {"\x05\x00"s, bound}) == "open after: \x05\x02\x00\x02"s + request);
    const auto refused = outcome(socks(login), {"\x05\x02"s, "\x01\x01"s});
    CHECK(refused == "unauthorized: the proxy p:1080 refuses the user name and password of its URL");
    has(outcome(socks(login), {"\x05\xff"s}), "unauthorized: the proxy p:1080 accepts neither");
    has(outcome(socks(), {"\x05\xff"s}), "unauthorized: the proxy p:1080 asks for a login");
    // A method that was not offered.
    has(outcome(socks(), {"\x05\x02"s}), "corrupt: the proxy p:1080 does not respond in SOCKS5");
    has(outcome(socks(login), {"\x05\x01"s}), "corrupt");
}

TEST_CASE("socks5: refusals have words, and other bytes fail", "[client][proxy]")
{
    const auto refusal = [](char code) { return outcome(socks(), {"\x05\x00"s, "\x05"s + code}); };
    CHECK(refusal(2) == "unreachable: the proxy p:1080 does not connect to api.example:6443: not allowed by its rules");
    has(refusal(5), "connection refused");
    has(refusal(8), "address type not supported");
    has(refusal(9), "reply 9");
    has(refusal('\xff'), "reply 255");
    has(outcome(socks(), {"HTTP/1.1 400 Bad Request\r\n"}), "corrupt: the proxy p:1080 does not respond in SOCKS5");
    has(outcome(socks(), {"\x04\x00"s}), "does not respond in SOCKS5");
    has(outcome(socks(), {"\x05\x00"s, "\x04"s}), "does not respond in SOCKS5");
    has(outcome(socks(), {"\x05\x00"s, "\x05\x00\x00\x02\x00"s}), "does not respond in SOCKS5");
    has(outcome(socks("socks5://u:p@p"), {"\x05\x02"s, "\x02"s}), "does not respond in SOCKS5");
    has(talk(*socks()(), {"\x05\x00"s, bound + "x"}, std::string::npos), "before the server could");
    has(talk(*socks()(), {"\x05\x00"s + "x"}, std::string::npos), "before the server could");
    has(talk(*socks("socks5://u:p@p")(), {"\x05\x02"s, "\x01\x00x"s}, std::string::npos), "before the server could");
}

namespace {

struct conversation
{
    std::shared_ptr<wire> line = std::make_shared<wire>();
    std::unique_ptr<tunnel_core> core;
    std::unique_ptr<byte_stream> stream;

    conversation(connection_script script, const maker& make) : core(make())
    {
        line->written.emplace_back();
        stream = std::make_unique<scripted_stream>(line, std::move(script), 0);
    }
    asio::awaitable<result<>> open() { return open_tunnel(*stream, *core, "the proxy p"); }
};

} // namespace

TEST_CASE("tunnel: sends and receives until the stream leads to the server", "[client][proxy]")
{
    testing::runner the;
    conversation one({.pieces = {"\x05"s, "\x02"s, "\x01\x00"s, bound.substr(0, 3), bound.substr(3)}},
                     socks("socks5://me:pw@p"));
    CHECK(the.run(one.open()));
    CHECK(one.line->written[0] == "\x05\x02\x00\x02\x01\x02me\x02pw\x05\x01\x00\x03\x0b"s + "api.example\x19\x2b");

    conversation gone({.pieces = {"HTTP/1.1 200", ""}}, http());
    const auto ended = the.run(gone.open());
    REQUIRE_FALSE(ended);
    CHECK(ended.error().describe() == "unreachable: the proxy p closed the connection without a response");

    conversation reset({.then = failure(cond::unreachable, "read from the proxy p: reset")}, http());
    CHECK(the.run(reset.open()).error().message() == "read from the proxy p: reset");

    conversation deaf({.write_fails = failure(cond::unreachable, "write to the proxy p: reset")}, socks());
    CHECK(the.run(deaf.open()).error().message() == "write to the proxy p: reset");
}

TEST_CASE("tunnel: may be cancelled or destroyed at every step", "[client][proxy]")
{
    const auto make = [](testing::runner&) {
        auto one = std::make_shared<conversation>(
            connection_script{.pieces = {"\x05"s, "\x02"s, "\x01\x00"s, bound.substr(0, 3), bound.substr(3)}},
            socks("socks5://me:pw@p"));
        return testing::scenario{catch_failure(one->open()), one};
    };
    CHECK(testing::stop_after_every_step(make).value() > 1);
    const auto cancelled = testing::cancel_after_every_step(make, [](const result<>& r) {
        if (!r) CHECK(r.error() == cond::cancelled);
    });
    CHECK(cancelled.value() > 1);
}
