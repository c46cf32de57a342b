#include "http/request.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro::detail;

TEST_CASE("request_target: the query is decoded, the path is not", "[endpoints]")
{
    const auto t = parse_target("/readyz/a%2Fb?verbose&exclude=a%3Ab&exclude=c").value();
    CHECK(t.path == "/readyz/a%2Fb");
    CHECK(t.has("verbose"));
    CHECK_FALSE(t.has("x"));
    CHECK(t.value("verbose").empty());
    CHECK(t.values("exclude") == std::vector<std::string>{"a:b", "c"});
    CHECK(parse_target("/../../etc/passwd").value().path == "/../../etc/passwd");
}

TEST_CASE("request_target: other forms, broken escapes and floods of parameters are none", "[endpoints]")
{
    for (const char* bad : {"", "*", "http://a/b", "a:80", "/a b", "/%zz", "/x?a=%1", "/a#b"}) {
        INFO(bad);
        CHECK_FALSE(parse_target(bad));
    }
    std::string many = "/x?a=1";
    for (int i = 0; i < 63; ++i) many += "&a=1";
    CHECK(parse_target(many));
    CHECK_FALSE(parse_target(many + "&a"));
}

TEST_CASE("request_target: only addresses and localhost are of this machine", "[endpoints]")
{
    for (const char* good :
         {"localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]:80", "[::1]", "10.1.2.3"})
        CHECK(is_local_host(good));
    for (const char* bad : {"", "evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "[", "[x]:1"})
        CHECK_FALSE(is_local_host(bad));
}

TEST_CASE("request_target: JSON is for clients that ask for it before text", "[endpoints]")
{
    for (const char* json : {"application/json", "application/json;q=0.9, */*", "image/png, application/json"})
        CHECK(prefers_json(json));
    for (const char* text : {"", "*/*", "text/html, application/json", "application/jsonx", ",;,", "application/xml"})
        CHECK_FALSE(prefers_json(text));
}
