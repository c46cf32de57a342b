#include <kubecoro/client/detail/incoming_head.hpp>

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/framing_cases.hpp>

#include <memory>

using namespace kubecoro;
using detail::incoming_head;
using state = incoming_head::state;

namespace {

/// As a server reads it: unused bytes are passed again together with the next ones.
std::unique_ptr<incoming_head> read(std::string_view text, std::size_t piece, std::string* rest = nullptr)
{
    auto out = std::make_unique<incoming_head>(1024, 8);
    std::string waiting;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        waiting += text.substr(at, piece);
        waiting.erase(0, out->feed(waiting));
    }
    if (rest) *rest = waiting;
    return out;
}

const std::string post = "POST /a HTTP/1.1\r\nHost: h\r\n";
const std::string get = "GET /a HTTP/1.1\r\nHost: h\r\n";

state expected_of(int refusal)
{
    return refusal == 0 ? state::complete : refusal == 501 ? state::unknown_coding : state::malformed;
}

} // namespace

TEST_CASE("incoming_head: a request with two readings is refused", "[client][serve]")
{
    for (const auto& c : test::framing_cases())
        for (const std::size_t piece : {1, 2, 3, 7, 4096}) {
            INFO(c.title << " in pieces of " << piece);
            CHECK(read(c.head + "\r\n", piece)->where() == expected_of(c.refusal));
        }
}

TEST_CASE("incoming_head: bytes and lines have a limit", "[client][serve]")
{
    std::string head = get;
    for (int i = 0; i < 7; ++i) head += "A: b\r\n";
    CHECK(read(head + "\r\n", 3)->where() == state::complete);
    CHECK(read(head + "A: b\r\n", 3)->where() == state::too_large);
    head = get + "A: ";
    head.resize(1024 - 4, 'x');
    CHECK(read(head + "\r\n\r\n", 100)->where() == state::complete);
    CHECK(read(head + "x\r\n\r\n", 100)->where() == state::too_large);
    CHECK(read(head + "xxxx", 100)->where() == state::too_large);
}

TEST_CASE("incoming_head: what follows a head is left, and no refused head is consumed", "[client][serve]")
{
    std::string rest;
    CHECK(read(get + "\r\nGET /b", 4096, &rest)->where() == state::complete);
    CHECK(rest == "GET /b");
    CHECK(read("\r\n" + post + "Content-Length: 3\r\n\r\nabc", 1, &rest)->where() == state::complete);
    CHECK(rest == "abc");
    const std::string twice = post + "Transfer-Encoding: gzip\r\n\r\nGET /b HTTP/1.1\r\n\r\n";
    const auto refused = read(twice, 4096);
    REQUIRE(refused->where() == state::malformed);
    CHECK(refused->feed(get + "\r\n") == 0);
    CHECK(refused->where() == state::malformed);
}

TEST_CASE("incoming_head: parts of a head", "[client][serve]")
{
    const std::string text = "PUT /a?b=c HTTP/1.1\r\nHost: h:1\r\nACCEPT: \t x y \t\r\nEmpty:\r\naccept: z\r\n"
                             "Content-Length: 007\r\n\r\n";
    const auto h = read(text, 1);
    REQUIRE(h->where() == state::complete);
    CHECK(h->text() == text);
    CHECK(h->method() == "PUT");
    CHECK(h->target() == "/a?b=c");
    CHECK(h->host() == "h:1");
    CHECK(h->value("Accept") == "x y");
    CHECK(h->value("empty").empty());
    CHECK(h->value("none").empty());
    CHECK(h->content_length() == 7);
    CHECK_FALSE(h->chunked());
    CHECK(h->fields().size() == 5);
    CHECK(read(post + "Transfer-Encoding: chunked\r\n\r\n", 9)->chunked());
    CHECK(read("", 1)->where() == state::idle);
    CHECK(read("\r\n", 1)->where() == state::idle); // the end of the last body
    CHECK(read("G", 1)->where() == state::partial);
}

TEST_CASE("incoming_head: an absolute target names path and host", "[client][serve]")
{
    const auto parts = [](const std::string& target) {
        const auto h = read("GET " + target + " HTTP/1.1\r\nHost: other\r\n\r\n", 4096);
        CHECK(h->where() == state::complete);
        return std::string(h->host()) + " " + h->target();
    };
    CHECK(parts("http://h:6443/api/v1/pods?limit=1") == "h:6443 /api/v1/pods?limit=1");
    CHECK(parts("HTTPS://h/api") == "h /api");
    CHECK(parts("http://[::1]:80") == "[::1]:80 /");
    CHECK(parts("http://h?a=b") == "h /?a=b");
    CHECK(parts("/http://h/x") == "other /http://h/x");
    CHECK(parts("*") == "other *");
}

TEST_CASE("incoming_head: whether the connection goes on", "[client][serve]")
{
    const auto keeps = [](const std::string& version, const std::string& headers) {
        return read("GET / HTTP/" + version + "\r\nHost: h\r\n" + headers + "\r\n", 4096)->keep_alive();
    };
    CHECK(keeps("1.1", ""));
    CHECK_FALSE(keeps("1.1", "Connection: close\r\n"));
    CHECK_FALSE(keeps("1.1", "Connection: keep-alive\r\nConnection: upgrade, CLOSE\r\n"));
    CHECK_FALSE(keeps("1.0", ""));
    CHECK(keeps("1.0", "Connection: Keep-Alive\r\n"));
    CHECK(read(get + "\r\n", 1)->reads_chunks());
    CHECK_FALSE(read("GET / HTTP/1.0\r\n\r\n", 1)->reads_chunks());
}
