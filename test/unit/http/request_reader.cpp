#include <kubecoro/http/detail/request_reader.hpp>

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/framing_cases.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using state = request_reader::state;

namespace {

/// The limits of a server whose requests have no bodies.
request_limits limits(std::size_t head) { return {.head = head}; }

state after(std::string_view bytes, std::size_t limit = 1024)
{
    request_reader r{limits(limit)};
    r.feed(bytes);
    return r.where();
}

} // namespace

TEST_CASE("request_reader: reads a request in pieces of any size", "[http]")
{
    const std::string text = "GET /metrics?x=1 HTTP/1.1\r\nHost: a:1\r\nAccept: text/plain\r\n"
                             "Accept-Encoding: gzip\r\nAuthorization: Bearer t\r\n\r\n";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        request_reader r{limits(1024)};
        std::string input;
        for (std::size_t at = 0; at < text.size(); at += size) {
            input += text.substr(at, size);
            input.erase(0, r.feed(input));
        }
        REQUIRE(r.where() == state::complete);
        const auto head = r.take();
        CHECK(head.method == "GET");
        CHECK(head.target == "/metrics?x=1");
        CHECK(head.host == "a:1");
        CHECK(head.header("accept") == "text/plain");
        CHECK(head.header("accept-encoding") == "gzip");
        CHECK(head.header("authorization") == "Bearer t");
        CHECK(head.keep_alive);
        CHECK(r.where() == state::idle);
    }
}

TEST_CASE("request_reader: pipelined requests are read one at a time", "[http]")
{
    request_reader r{limits(1024)};
    std::string input = "GET /a HTTP/1.1\r\nHost: h\r\n\r\nHEAD /b HTTP/1.0\r\n\r\n";
    input.erase(0, r.feed(input));
    REQUIRE(r.where() == state::complete);
    CHECK(r.take().target == "/a");
    input.erase(0, r.feed(input));
    REQUIRE(r.where() == state::complete);
    const auto second = r.take();
    CHECK(second.method == "HEAD");
    CHECK_FALSE(second.keep_alive);
    CHECK(input.empty());
}

TEST_CASE("request_reader: a request that announces a body is refused", "[http]")
{
    CHECK(after("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx") == state::has_body);
    CHECK(after("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == state::has_body);
    CHECK(after("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n") == state::complete);
}

TEST_CASE("request_reader: a head has a limit, whether it is one line or many", "[http]")
{
    CHECK(after("GET /" + std::string(2000, 'x')) == state::head_too_large);
    std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
    while (many.size() < 2000) many += "A: " + std::string(100, 'b') + "\r\n";
    CHECK(after(many) == state::head_too_large);
    CHECK(after(many, 4000) == state::head);
}

TEST_CASE("request_reader: what is no HTTP is malformed", "[http]")
{
    CHECK(after("\x16\x03\x01\x02\x00\x01\r\n\r\n") == state::malformed);
    CHECK(after("GET\r\n\r\n") == state::malformed);
    CHECK(after("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n") == state::malformed);
    CHECK(after("GET / HTTP/1.1\r\nHost: h\r\nbad header\r\n\r\n") == state::malformed);
    CHECK(after("") == state::idle);
}

TEST_CASE("request_reader: at most a hundred headers", "[http]")
{
    std::string head = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (std::size_t i = 1; i < request_limits().headers; ++i) head += "A:\r\n";
    CHECK(request_limits().headers == 100);
    CHECK(after(head + "\r\n") == state::complete);
    CHECK(after(head + "A:\r\n") == state::head_too_large);
}

TEST_CASE("request_reader: a request with two readings is refused, and nothing behind it is read", "[http]")
{
    for (const auto& c : test::framing_cases()) {
        INFO(c.title);
        request_reader r{limits(1024)};
        std::string input = c.head + "\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n";
        input.erase(0, r.feed(input));
        const auto now = r.where();
        r.feed(input);
        CHECK(r.where() == now);
        CHECK((now == state::complete || now == state::has_body) == (c.refusal == 0 || c.refusal == 501));
        if (c.refusal == 400) CHECK(now == state::malformed);
    }
}

TEST_CASE("request_reader: a line end before a request is passed over", "[http]")
{
    request_reader r{limits(1024)};
    CHECK(r.feed("\r\n") == 2);
    CHECK(r.where() == state::idle);
    r.feed("GET http://localhost/a HTTP/1.1\r\nHost: other\r\n\r\n");
    REQUIRE(r.where() == state::complete);
    const auto head = r.take();
    CHECK(head.target == "/a");
    CHECK(head.host == "localhost");
}
