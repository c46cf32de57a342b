// Text of requests, addresses and base64.
#include "address/server_address.hpp"
#include "http/request_text.hpp"

#include <kubecoro/client/client.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;

TEST_CASE("request text: a GET has neither body nor length", "[client][http]")
{
    request r;
    r.method = "GET";
    r.target = "/api/v1/pods?limit=5";
    r.headers = {{"User-Agent", "x"}};
    CHECK(*request_text(r, "h:6443", "/prefix") == "GET /prefix/api/v1/pods?limit=5 HTTP/1.1\r\nHost: h:6443\r\n"
                                                   "Accept: application/json\r\nUser-Agent: x\r\n\r\n");
}

TEST_CASE("request text: writes give their length, even when empty", "[client][http]")
{
    request r;
    r.method = "POST";
    r.target = "/a";
    r.accept = "";
    CHECK(*request_text(r, "h", "") == "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    r.body = "{}";
    r.content_type = "application/json";
    CHECK(*request_text(r, "h", "") ==
          "POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
}

TEST_CASE("request text: no field can end or forge a line", "[client][http]")
{
    const auto refused = [](auto change) {
        request r;
        r.method = "GET";
        r.target = "/a";
        change(r);
        auto made = request_text(r, "h", "");
        REQUIRE_FALSE(made);
        CHECK(made.error().condition() == cond::invalid);
        CHECK(made.error().message().find("secret") == std::string::npos);
    };
    refused([](request& r) { r.method = "GET /x"; });
    refused([](request& r) { r.method = ""; });
    refused([](request& r) { r.target = "a"; });
    refused([](request& r) { r.target = "/a b"; });
    refused([](request& r) { r.target = "/a\r\nX: y"; });
    refused([](request& r) { r.target = "/\xc3\xa4"; });
    refused([](request& r) { r.headers = {{"Authorization", "Bearer secret\r\nX: y"}}; });
    refused([](request& r) { r.headers = {{"X: y\r\nZ", "secret"}}; });
    refused([](request& r) { r.content_type = std::string("a\0b", 3); });
}

TEST_CASE("server address: the parts of a URL", "[client]")
{
    auto a = server_address::parse("https://127.0.0.1:6443");
    REQUIRE(a);
    CHECK(a->tls);
    CHECK(a->host == "127.0.0.1");
    CHECK(a->port == "6443");
    CHECK(a->prefix.empty());
    CHECK(a->authority() == "127.0.0.1:6443");
    auto b = server_address::parse("https://k8s.example.com/k8s/clusters/c-1/");
    REQUIRE(b);
    CHECK(b->port == "443");
    CHECK(b->prefix == "/k8s/clusters/c-1");
    CHECK(b->authority() == "k8s.example.com");
    auto c = server_address::parse("http://[::1]:80");
    REQUIRE(c);
    CHECK_FALSE(c->tls);
    CHECK(c->host == "::1");
    CHECK(c->authority() == "[::1]");
}

TEST_CASE("server address: IPv6 addresses are displayed in brackets", "[client]")
{
    const auto endpoint = [](const char* url) { return server_address::parse(url)->endpoint(); };
    CHECK(endpoint("https://[fd00::1]:6443") == "[fd00::1]:6443");
    CHECK(endpoint("https://[fd00::1]") == "[fd00::1]:443");
    CHECK(endpoint("http://h") == "h:80");
    CHECK(endpoint("https://10.0.0.1:6443/prefix") == "10.0.0.1:6443");
}

TEST_CASE("server address: invalid addresses are rejected", "[client]")
{
    for (const char* url : {"", "h", "h:6443", "tcp://h", "https://", "https://:6443", "https://h:0", "https://h:65536",
                            "https://h:99999999999999999999", "https://h:x", "https://u:p@h", "https://h?a=b",
                            "https://h#f", "https://h /",
                            // Such a host would end the line of a CONNECT, or the name that is looked up.
                            "https://a%0d%0aX%3a%20y%0d%0a:443", "https://a%00b", "https://a%40b", "https://%5b::1%5d",
                            "https://a%3a1", "https://.h", "https://a..b", "https://h..", "https://.", "https://*.h",
                            "https://-h", "https://h-", "https://h:443:443", "https://a;b", "https://[v1.h]"}) {
        INFO(url);
        auto got = server_address::parse(url);
        REQUIRE_FALSE(got);
        CHECK(got.error().condition() == cond::misconfigured);
    }
}

TEST_CASE("server address: names of servers are host names or addresses", "[client]")
{
    const std::string label(63, 'a');
    for (const std::string& good : std::initializer_list<std::string>{
             "h", "H.Example.com", "a-b.c_d.1", "h.", "1.2.3.4", "::1", "fd00::1", label, label + "." + label + "."}) {
        INFO(good);
        CHECK(is_host(good));
    }
    for (const std::string& bad :
         std::initializer_list<std::string>{"",
                                            ".",
                                            ".h",
                                            "..h",
                                            "a..b",
                                            "h..",
                                            " h",
                                            "h ",
                                            "a b",
                                            "h\n",
                                            std::string("h\0", 2),
                                            std::string("h\0.x", 4),
                                            std::string("1.2.3.4\0x", 9),
                                            "*",
                                            "*.h",
                                            "a*.h",
                                            "-h",
                                            "h-",
                                            "a.-b",
                                            "h:443",
                                            "h/",
                                            "[::1]",
                                            "::1%lo",
                                            "1.2.3.4/",
                                            "h,x",
                                            "h=x",
                                            "h\xc3\xa4",
                                            label + "a",
                                            label + "." + label + "." + label + "." + label + "." + label}) {
        INFO(bad);
        CHECK_FALSE(is_host(bad));
    }
}

TEST_CASE("client: a TLS server name that is no host name is refused", "[client]")
{
    boost::asio::io_context io;
    cluster_config config{.server = "https://h"};
    for (const char* name : {".h", "..", "*.h", "h ", "-"}) {
        INFO(name);
        config.server_name = name;
        const auto made = client::create(io.get_executor(), config);
        REQUIRE_FALSE(made);
        CHECK(made.error() == cond::misconfigured);
        CHECK(made.error().message() == "tls-server-name: neither a host name nor an address");
    }
    config.server_name = "h";
    CHECK(client::create(io.get_executor(), config));
}

TEST_CASE("server address: a scheme is added to a host, and to nothing else", "[client]")
{
    CHECK(with_scheme("h", true) == "https://h");
    CHECK(with_scheme("h:6443", true) == "https://h:6443");
    CHECK(with_scheme("[::1]:8080", false) == "http://[::1]:8080");
    CHECK(server_address::parse(with_scheme("h:6443/", true))->endpoint() == "h:6443");
    for (const char* other : {"", "http://h", "https://h", "https://h/", "h/path", "h/path/", "ftp://h"})
        CHECK(with_scheme(other, true) == other);
}

TEST_CASE("yaml: a map takes the members of others with <<, which replace those before it", "[client]")
{
    const auto read = [](const std::string& text) {
        const auto documents = parse_documents(text, "the file");
        REQUIRE(documents);
        return boost::json::serialize(documents->at(0).at("r"));
    };
    const std::string maps = "a: &a {x: 1, v: 1}\nb: &b {v: 2, z: 2}\nr: ";
    CHECK(read(maps + "{<<: *a, v: 3}") == R"({"x":1,"v":3})");
    CHECK(read(maps + "{v: 3, <<: *a}") == R"({"v":1,"x":1})");
    CHECK(read(maps + "{<<: [*b, *a], w: 0}") == R"({"x":1,"v":2,"z":2,"w":0})");
    CHECK(read(maps + "{\"<<\": [*a]}") == R"({"<<":[{"x":1,"v":1}]})");
    CHECK_FALSE(parse_documents(maps + "{<<: [1]}", "the file"));
}
