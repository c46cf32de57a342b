// Servers that are reached through a proxy; their names mean something only to the proxy.
#include "client_fixture.hpp"
#include "folder.hpp"
#include "proxy_server.hpp"

#include <kubecoro/testing/recording.hpp>

#include <cstdlib>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

using texts = std::vector<std::string>;

const authority& ours()
{
    static const authority one("ours");
    return one;
}

server_tls named(const std::string& name) { return {ours().issue("server", {name})}; }

cluster_config through(const std::string& proxy)
{
    cluster_config c;
    c.ca = ours().certificate();
    c.proxy_url = proxy;
    return c;
}

std::string at(const byte_server& server, const std::string& host)
{
    return host + ":" + std::to_string(server.port());
}

/// A watch has its own connection, on which an event arrives; requests share another one.
void check_requests_and_a_watch(proxy_behaviour behaviour, const std::string& login)
{
    client_fixture the;
    byte_server server(named("DNS:api.example"));
    proxy_server proxy(std::move(behaviour));
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        const std::string event = R"({"type":"ADDED","object":)" + pod_text("b") + "}\n";
        co_await p.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + event);
        co_await p.until_gone();
    });
    auto c = the.make("https://" + at(server, "api.example"), through(proxy.url(login)));
    auto stream = the.run(c.watch(pods, ""));
    REQUIRE(stream);
    const auto events = the.run((*stream)->next());
    REQUIRE(events);
    REQUIRE(events->size() == 1);
    CHECK(events->front().obj.name() == "b");
    for (int i = 0; i < 3; ++i) REQUIRE(the.run(c.get(pods, "ns", "a")));
    CHECK(proxy.asked() == texts(2, at(server, "api.example")));
    CHECK(server.accepted() == 2);
    // The proxy notices the end of the watch, and so does the server.
    stream->reset();
    server.wait_for_ended(1);
}

} // namespace

TEST_CASE("proxies: requests and a watch through CONNECT", "[client][integration][proxy]")
{
    check_requests_and_a_watch({}, {});
}

TEST_CASE("proxies: requests and a watch through CONNECT with a login", "[client][integration][proxy]")
{
    check_requests_and_a_watch({.login = "me:p@ss"}, "me:p@ss");
}

TEST_CASE("proxies: requests and a watch through a proxy that is reached over TLS", "[client][integration][proxy]")
{
    check_requests_and_a_watch({.tls = named("IP:127.0.0.1"), .login = "me:pw"}, "me:pw");
}

TEST_CASE("proxies: requests and a watch through SOCKS5", "[client][integration][proxy]")
{
    check_requests_and_a_watch({.socks = true}, {});
}

TEST_CASE("proxies: requests and a watch through SOCKS5 with a login", "[client][integration][proxy]")
{
    check_requests_and_a_watch({.socks = true, .login = "me:pw"}, "me:pw");
}

TEST_CASE("proxies: the server's certificate is verified through the tunnel", "[client][integration][proxy]")
{
    client_fixture the;
    byte_server server(named("DNS:other.example"));
    proxy_server proxy;
    auto c = the.make("https://" + at(server, "api.example"), through(proxy.url()));
    const auto got = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error().message().find("not valid for \"api.example\"") != std::string::npos);
}

TEST_CASE("proxies: the proxy's certificate is verified before it is sent the login", "[client][integration][proxy]")
{
    client_fixture the;
    byte_server server(named("DNS:api.example"));
    const authority stranger("stranger");
    proxy_server proxy({.tls = server_tls{stranger.issue("p", {"IP:127.0.0.1"})}, .login = "me:geheim"});
    auto c = the.make("https://" + at(server, "api.example"), through(proxy.url("me:geheim")));
    const auto got = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error() == cond::unreachable);
    CHECK(got.error().describe().find("not valid for \"127.0.0.1\"") != std::string::npos);
    CHECK(proxy.asked().empty());
    CHECK(server.accepted() == 0);
}

TEST_CASE("proxies: the authorities of a proxy follow their file", "[client][integration][proxy]")
{
    client_fixture the;
    byte_server server(named("DNS:api.example"));
    const authority theirs("theirs");
    proxy_server proxy({.tls = server_tls{theirs.issue("p", {"IP:127.0.0.1"})}});
    const folder files;
    auto config = through(proxy.url());
    files.write("ca", config.ca);
    config.ca_file = files.at("ca");
    config.ca.clear();
    auto c = the.make("https://" + at(server, "api.example"), config);
    CHECK_FALSE(the.run(c.get(pods, "ns", "a")));
    CHECK(proxy.asked().empty());
    files.write("ca", ours().certificate() + theirs.certificate());
    CHECK(the.run(c.get(pods, "ns", "a")));
}

TEST_CASE("proxies: a refused login is reported, and no login is shown or logged", "[client][integration][proxy]")
{
    for (const bool socks : {false, true}) {
        client_fixture the;
        byte_server server(named("DNS:api.example"));
        proxy_server proxy({.socks = socks, .login = "me:right"});
        testing::recording_logger lines;
        client_options options;
        options.log = lines.handle();
        auto c = the.make("https://" + at(server, "api.example"), through(proxy.url("me:geheim")), options);
        const auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::unauthorized);
        CHECK(got.error().describe().find("the user name and password of its URL") != std::string::npos);
        CHECK(got.error().describe().find("geheim") == std::string::npos);
        std::string all;
        for (const auto& line : lines.lines()) all += line + "\n";
        CHECK(all.find("the server is reached through a proxy") != std::string::npos);
        CHECK(all.find("geheim") == std::string::npos);
        CHECK(server.accepted() == 0);
    }
}

TEST_CASE("proxies: a plain HTTP server's requests are sent to the proxy itself", "[client][integration][proxy]")
{
    client_fixture the;
    proxy_server proxy({.login = "me:pw"});
    auto c = the.make("http://api.example/prefix", through(proxy.url("me:pw")));
    const auto got = the.run(c.get(pods, "ns", "a"));
    REQUIRE(got);
    CHECK(got->name() == "from-the-proxy");
    CHECK(proxy.asked() == texts{"GET http://api.example/prefix/api/v1/namespaces/ns/pods/a HTTP/1.1"});
}

TEST_CASE("proxies: one that never answers is given up with the time limit of connecting",
          "[client][integration][proxy]")
{
    for (const char* scheme : {"http", "socks5", "https"}) {
        client_fixture the;
        byte_server silent({}, false);
        silent.next([](peer& p) -> asio::awaitable<void> { co_await p.until_gone(); });
        client_options options;
        options.timeouts.connect = 50ms;
        options.timeouts.tls_handshake = 50ms;
        const auto url = std::string(scheme) + "://127.0.0.1:" + std::to_string(silent.port());
        auto c = the.make("https://api.example", through(url), options);
        const auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::timed_out);
        CHECK(got.error().message().find("the proxy 127.0.0.1:") != std::string::npos);
        // The connection was closed.
        silent.wait_for_ended(1);
    }
}

TEST_CASE("proxies: one that hangs up or is not there fails the request", "[client][integration][proxy]")
{
    client_fixture the;
    std::string gone;
    {
        byte_server closing;
        closing.next([](peer& p) -> asio::awaitable<void> {
            auto asked = co_await p.request();
            p.close();
        });
        gone = "http://127.0.0.1:" + std::to_string(closing.port());
        auto c = the.make("https://api.example", through(gone));
        const auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::unreachable);
        CHECK(got.error().message().find("closed the connection without a response") != std::string::npos);
    }
    auto c = the.make("https://api.example", through(gone));
    const auto got = the.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error().message().find("connect to the proxy 127.0.0.1:") == 0);
}

TEST_CASE("proxies: one that lies, floods or speaks something else ends the request", "[client][integration][proxy]")
{
    struct lie
    {
        const char* scheme;
        std::string says;
        const char* failure;
    };
    std::string flood = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 20'000; ++i) flood += "X-Filler: filler\r\n";
    const std::vector<lie> lies{{"http", flood, "header limit exceeded"},
                                {"http", "SSH-2.0-OpenSSH_9.6\r\n\r\n", "is not valid HTTP"},
                                {"http", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "before the server could"},
                                {"http", "HTTP/1.1 101 Switching\r\n\r\n", "switches protocols"},
                                {"http", "HTTP/1.1 302 Found\r\nLocation: http://evil\r\n\r\n", "302 Found"},
                                {"socks5", "HTTP/1.1 200 OK\r\n\r\n", "does not respond in SOCKS5"},
                                {"socks5", std::string(100'000, '\5'), "before the server could"},
                                {"https", "HTTP/1.1 200 OK\r\n\r\n", "does not respond in TLS"}};
    for (const auto& l : lies) {
        INFO(l.scheme << " " << l.failure);
        client_fixture the;
        byte_server liar({}, false);
        liar.next([says = l.says](peer& p) -> asio::awaitable<void> {
            co_await p.send(says);
            co_await p.until_gone();
        });
        auto c = the.make("https://api.example", through(std::string(l.scheme) + "://" + at(liar, "127.0.0.1")));
        const auto got = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error().describe().find(l.failure) != std::string::npos);
        // The connection was closed.
        liar.wait_for_ended(1);
    }
}

TEST_CASE("proxies: the environment selects one where the configuration names none", "[client][integration][proxy]")
{
    client_fixture the;
    byte_server server(named("DNS:api.example"));
    proxy_server proxy;
    REQUIRE(::setenv("HTTPS_PROXY", proxy.url().c_str(), 1) == 0);
    auto c = the.make("https://" + at(server, "api.example"), through({}));
    auto local = the.make(server.url(), through({}));
    REQUIRE(::unsetenv("HTTPS_PROXY") == 0);
    CHECK(the.run(c.get(pods, "ns", "a")));
    CHECK(proxy.asked() == texts{at(server, "api.example")});
    // Its certificate has another name; what matters is that the proxy was not asked.
    CHECK_FALSE(the.run(local.get(pods, "ns", "a")));
    CHECK(proxy.asked().size() == 1);
}
