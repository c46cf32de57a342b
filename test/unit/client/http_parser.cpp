#include "http/http_parser.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using detail::http_parser;

namespace {

struct read_answer
{
    int status = 0;
    std::string body;
    bool done = false;
    bool keep_alive = false;
    std::size_t left = 0;
    std::optional<failure> failed;
    answer_head head;
};

/// Feeds `wire` in pieces of `step` bytes, keeping the bytes not consumed, as a connection does.
read_answer read(const std::string& wire, std::size_t step, bool end = true, detail::http_limits limits = {})
{
    http_parser p(false, limits);
    read_answer out;
    std::string pending;
    for (std::size_t at = 0; at < wire.size() && !p.done() && !out.failed; at += step) {
        pending += wire.substr(at, step);
        for (bool more = true; more && !p.done();) {
            auto fed = p.feed(pending);
            if (!fed) {
                out.failed = fed.error();
                break;
            }
            out.body.append(fed->body);
            pending.erase(0, fed->consumed);
            more = fed->consumed > 0;
        }
    }
    if (!out.failed && !p.done() && end)
        if (auto ended = p.end_of_input(); !ended) out.failed = ended.error();
    out.left = pending.size();
    out.status = p.head().status;
    out.head = p.head();
    out.done = p.done();
    out.keep_alive = p.keep_alive();
    return out;
}

const std::string with_length =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello";
const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "3\r\nabc\r\n1;ext=\"v\"\r\nd\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";

} // namespace

TEST_CASE("http parser: every framing in every chunking gives the same response", "[client][http]")
{
    for (std::size_t step = 1; step <= 200; ++step) {
        INFO("step " << step);
        auto a = read(with_length, step);
        REQUIRE_FALSE(a.failed);
        CHECK(a.status == 200);
        CHECK(a.body == "hello");
        CHECK(a.done);
        CHECK(a.keep_alive);
        CHECK(a.head.header("content-type") == "application/json");
        CHECK(a.head.header("x-a") == "1");

        auto b = read(chunked, step);
        REQUIRE_FALSE(b.failed);
        CHECK(b.body == "abcd0123456789");
        CHECK(b.done);
        CHECK(b.keep_alive);
        CHECK(b.head.header("trailer").empty());

        auto c = read("HTTP/1.1 200 OK\r\n\r\nuntil the end", step);
        REQUIRE_FALSE(c.failed);
        CHECK(c.body == "until the end");
        CHECK(c.done);
        CHECK_FALSE(c.keep_alive);
    }
}

TEST_CASE("http parser: each piece of a body is a view into the input", "[client][http]")
{
    http_parser p;
    std::string_view rest = chunked;
    std::vector<std::string_view> found;
    while (!p.done()) {
        const auto fed = p.feed(rest);
        REQUIRE(fed);
        if (!fed->body.empty()) found.push_back(fed->body);
        rest.remove_prefix(fed->consumed);
    }
    REQUIRE(found == std::vector<std::string_view>{"abc", "d", "0123456789"});
    for (const auto piece : found) CHECK(piece.data() == chunked.data() + chunked.rfind(piece));
    CHECK(rest.empty());
}

TEST_CASE("http parser: interim responses are skipped", "[client][http]")
{
    for (std::size_t step = 1; step <= 60; ++step) {
        auto a = read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + with_length, step);
        REQUIRE_FALSE(a.failed);
        CHECK(a.status == 200);
        CHECK(a.body == "hello");
        CHECK(a.head.header("link").empty());
    }
    std::string many;
    for (int i = 0; i < 9; ++i) many += "HTTP/1.1 100 Continue\r\n\r\n";
    auto endless = read(many + with_length, 1000);
    REQUIRE(endless.failed);
    CHECK(endless.failed->condition() == cond::corrupt);
    CHECK(read("HTTP/1.1 101 Switching Protocols\r\n\r\n", 1000).failed);
}

TEST_CASE("http parser: responses without a body end with their head", "[client][http]")
{
    for (const char* status : {"204 No Content", "304 Not Modified"}) {
        auto a = read(std::string("HTTP/1.1 ") + status + "\r\n\r\n", 7);
        CHECK_FALSE(a.failed);
        CHECK(a.done);
        CHECK(a.keep_alive);
    }
    auto empty = read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1);
    CHECK(empty.done);
    auto closing = read("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 1);
    CHECK(closing.done);
    CHECK_FALSE(closing.keep_alive);
    auto old = read("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 1);
    CHECK(old.body == "x");
    CHECK_FALSE(old.keep_alive);
}

TEST_CASE("http parser: bytes after the response are not consumed", "[client][http]")
{
    auto a = read(with_length + "HTTP/1.1 200 OK", 1000);
    CHECK(a.done);
    CHECK(a.left == 15);
}

TEST_CASE("http parser: a truncated response is unreachable wherever it is cut", "[client][http]")
{
    for (const auto* whole : {&with_length, &chunked})
        for (std::size_t n = 0; n < whole->size(); ++n) {
            INFO("cut at " << n);
            auto a = read(whole->substr(0, n), 1000);
            REQUIRE(a.failed);
            CHECK(a.failed->condition() == cond::unreachable);
        }
}

TEST_CASE("http parser: anything but HTTP is corrupt", "[client][http]")
{
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    for (const auto& text :
         {std::string("SSH-2.0-OpenSSH_9\r\n\r\n"), std::string("HTTP/2.0 200 OK\r\n\r\n"),
          std::string("HTTP/1.1 2x0 OK\r\n\r\n"), ok + "no colon\r\n\r\n", ok + "A b: c\r\n\r\n",
          ok + "Content-Length: -1\r\n\r\n", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
          ok + "Content-Length: 99999999999999999999999\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
          ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcdefgh\r\n0\r\n\r\n",
          ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"})
        for (std::size_t step : {std::size_t{1}, std::size_t{1000}}) {
            INFO(text);
            auto a = read(text, step);
            REQUIRE(a.failed);
            CHECK(a.failed->condition() == cond::corrupt);
        }
}

TEST_CASE("http parser: headers are limited in total and one by one", "[client][http]")
{
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    std::string many = ok;
    for (int i = 0; i < 10000; ++i) many += "X-Field-" + std::to_string(i) + ": value\r\n";
    const std::string one = ok + "X: " + std::string(70'000, 'x') + "\r\n\r\n";
    for (const std::string* text : {static_cast<const std::string*>(&many), &one})
        for (std::size_t step : {std::size_t{1000}, std::size_t{1'000'000}}) {
            auto a = read(*text, step);
            REQUIRE(a.failed);
            CHECK(a.failed->condition() == cond::corrupt);
        }
    auto fits = read(ok + "X: " + std::string(30'000, 'x') + "\r\nContent-Length: 0\r\n\r\n", 4096);
    CHECK_FALSE(fits.failed);
    std::string trailers = ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n";
    for (int i = 0; i < 10000; ++i) trailers += "X-Field-" + std::to_string(i) + ": value\r\n";
    CHECK(read(trailers + "\r\n", 1'000'000).failed);
}

TEST_CASE("http parser: a TLS alert is distinguished from broken HTTP", "[client][http]")
{
    detail::http_parser alerted;
    const auto fed = alerted.feed("\x15");
    REQUIRE_FALSE(fed);
    CHECK(fed.error() == cond::corrupt);
    CHECK(fed.error().message().find("https://") != std::string::npos);
    CHECK_FALSE(alerted.feed("\x03\x01"));
    // Only at the beginning of a response.
    detail::http_parser parser;
    REQUIRE(parser.feed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"));
    const auto body = parser.feed("\x15");
    REQUIRE(body);
    CHECK(body->body == "\x15");
}
