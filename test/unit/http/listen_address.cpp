#include <kubecoro/http/detail/http_server.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;

TEST_CASE("listen_address: a port alone is one of the loopback interface", "[http]")
{
    const auto port = parse_listen_address("8080").value();
    CHECK(port.address.to_string() == "127.0.0.1");
    CHECK(port.port == 8080);
    CHECK_FALSE(port.everywhere);
    CHECK(parse_listen_address("localhost:1").value().address.is_loopback());
}

TEST_CASE("listen_address: a colon before the port means every interface", "[http]")
{
    const auto all = parse_listen_address(":8080").value();
    CHECK(all.everywhere);
    CHECK(all.port == 8080);
    CHECK_FALSE(parse_listen_address("0.0.0.0:8080").value().everywhere);
}

TEST_CASE("listen_address: addresses of both protocols", "[http]")
{
    CHECK(parse_listen_address("10.0.0.1:80").value().address.to_string() == "10.0.0.1");
    CHECK(parse_listen_address("[::1]:0").value().address.to_string() == "::1");
    CHECK(parse_listen_address("[::1]:0").value().port == 0);
}

TEST_CASE("listen_address: nothing and 0 switch the server off", "[http]")
{
    CHECK(parse_listen_address("").value().off);
    CHECK(parse_listen_address("0").value().off);
    CHECK_FALSE(parse_listen_address(":0").value().off);
}

TEST_CASE("listen_address: anything else is an error that says what is expected", "[http]")
{
    for (const char* bad : {"x", ":", ":x", ":65536", "-1", "1.2.3.4", "1.2.3.4:", "::1:80", "[1.2.3.4]:80",
                            "example.org:80", "[::1]", "localhost:80 ", ":80/"}) {
        const auto parsed = parse_listen_address(bad);
        INFO(bad);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error() == cond::misconfigured);
    }
    CHECK(parse_listen_address("a\x1b[2Jb:1").error().message().find('\x1b') == std::string::npos);
}
