#include <kubecoro/http/detail/http_service.hpp>

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/framing_cases.hpp>

namespace asio = boost::asio;
using namespace kubecoro::detail;
using state = request_reader::state;

namespace {

/// The limits of the embedded server.
constexpr request_limits wide{.headers = 1000, .body = 3u << 20};

/// Answers refused requests alone.
struct refusing final : http_service
{
    asio::awaitable<std::optional<http_reply>> answer(incoming_request&, connection&) override
    {
        co_return std::nullopt;
    }
};

http_reply refuse(state why) { return refusing().refusal(why); }

/// Feeds bytes as a connection does: unused bytes are passed again together with the next ones.
struct feeder
{
    request_reader reader{wide};
    std::string waiting;

    state give(std::string_view bytes)
    {
        waiting += bytes;
        waiting.erase(0, reader.feed(waiting));
        return reader.where();
    }
};

const std::string first = "POST /a?b=c HTTP/1.1\r\nHost: h\r\nACCEPT: x\r\nContent-Length: 5\r\n\r\nhello";
const std::string second =
    "PUT /d HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
const std::string third = "GET /e HTTP/1.0\r\n\r\n";

} // namespace

TEST_CASE("request_reader: reads consecutive requests split at any position", "[http]")
{
    const std::string all = first + second + third;
    for (std::size_t piece = 1; piece <= all.size(); piece += piece < 12 ? 1 : 31) {
        INFO(piece);
        feeder f;
        std::vector<incoming_request> got;
        for (std::size_t at = 0; at < all.size(); at += piece) {
            for (auto now = f.give(std::string_view(all).substr(at, piece)); now == state::complete; now = f.give({}))
                got.push_back(f.reader.take());
        }
        REQUIRE(got.size() == 3);
        CHECK(f.reader.where() == state::idle);
        CHECK(f.waiting.empty());
        CHECK(got[0].method == "POST");
        CHECK(got[0].target == "/a?b=c");
        CHECK(got[0].header("accept") == "x");
        CHECK(got[0].body == "hello");
        CHECK(got[0].keep_alive);
        CHECK(got[1].body == "abcde");
        CHECK(got[2].target == "/e");
        CHECK_FALSE(got[2].keep_alive);
        CHECK_FALSE(got[2].may_chunk);
    }
}

TEST_CASE("request_reader: the limit of a body is lowered while it arrives", "[http]")
{
    const auto fed = [](const std::string& head) {
        feeder f;
        REQUIRE(f.give("POST /a HTTP/1.1\r\nHost: h\r\n" + head) == state::body);
        f.reader.limit_body(8);
        return f;
    };
    CHECK(fed("Content-Length: 9\r\n\r\n").reader.where() == state::body_too_large);
    auto exact = fed("Content-Length: 8\r\n\r\n");
    CHECK(exact.give("12345678") == state::complete);
    // A chunk that has begun is no way around it.
    auto chunked = fed("Transfer-Encoding: chunked\r\n\r\nff\r\n1234");
    CHECK(chunked.give("5678") == state::body);
    CHECK(chunked.give("9") == state::body_too_large);
    CHECK(fed("Transfer-Encoding: chunked\r\n\r\nff\r\n123456789").reader.where() == state::body_too_large);
    // It is never raised, and ends with its request.
    auto twice = fed("Content-Length: 8\r\n\r\n");
    twice.reader.limit_body(20);
    CHECK(twice.give("12345678") == state::complete);
    (void)twice.reader.take();
    CHECK(twice.give("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n123456789") == state::complete);
}

TEST_CASE("request_reader: limits", "[http]")
{
    SECTION("a head of 64 KiB and more is too large")
    {
        feeder f;
        CHECK(f.give("GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(60'000, 'a') + "\r\n") == state::head);
        CHECK(f.give("B: " + std::string(10'000, 'b') + "\r\n\r\n") == state::head_too_large);
    }
    SECTION("a body of 3 MiB is accepted, one byte more is too large")
    {
        feeder f;
        f.give("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3145728\r\n\r\n");
        CHECK(f.give(std::string(3'145'728, 'x')) == state::complete);
        CHECK(f.reader.take().body.size() == 3'145'728);
        CHECK(f.give("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3145729\r\n\r\n") == state::body_too_large);
        CHECK(refuse(f.reader.where()).status == 413);
    }
    SECTION("text that is not HTTP is malformed")
    {
        for (const char* text :
             {"\x16\x03\x01\x02", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n",
              "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n"}) {
            INFO(text);
            feeder f;
            CHECK(f.give(std::string(text) + "\r\n\r\n") == state::malformed);
        }
    }
}

TEST_CASE("request_reader: a request whose body has two readings is refused, and nothing behind it is read", "[http]")
{
    for (const auto& c : kubecoro::test::framing_cases()) {
        INFO(c.title);
        feeder f;
        const auto now = f.give(c.head + "\r\n");
        if (c.refusal == 0) {
            CHECK((now == state::complete || now == state::body || now == state::body_too_large));
            continue;
        }
        CHECK(now == (c.refusal == 501 ? state::unknown_coding : state::malformed));
        CHECK(refuse(now).status == c.refusal);
        CHECK(f.give("GET /b HTTP/1.1\r\nHost: h\r\n\r\n") == now);
    }
}

TEST_CASE("request_reader: at most a thousand headers", "[http]")
{
    std::string head = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (int i = 1; i < 1000; ++i) head += "A:\r\n";
    CHECK(feeder().give(head + "\r\n") == state::complete);
    CHECK(feeder().give(head + "A:\r\n") == state::head_too_large);
}

TEST_CASE("request_reader: the framing of a chunked body is bounded", "[http]")
{
    const std::string head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    SECTION("an endless chunk extension")
    {
        feeder f;
        CHECK(f.give(head + "1;" + std::string(60'000, 'e')) == state::body);
        CHECK(f.give(std::string(10'000, 'e')) == state::malformed);
    }
    SECTION("endless trailers")
    {
        feeder f;
        CHECK(f.give(head + "0\r\nA: " + std::string(60'000, 'a') + "\r\n") == state::body);
        CHECK(f.give("B: " + std::string(10'000, 'b') + "\r\n") == state::malformed);
    }
    SECTION("repeated long extensions")
    {
        feeder f;
        f.give(head);
        const std::string chunk = "1;" + std::string(20'000, 'e') + "\r\nx\r\n";
        for (int i = 0; i < 3; ++i) CHECK(f.give(chunk) == state::body);
        CHECK(f.give(chunk) == state::malformed);
    }
    SECTION("bodies with one byte per chunk are accepted")
    {
        feeder f;
        f.give(head);
        for (int i = 0; i < 100'000; ++i) f.give("1\r\nx\r\n");
        CHECK(f.give("0\r\n\r\n") == state::complete);
        CHECK(f.reader.take().body.size() == 100'000);
    }
}

TEST_CASE("request_reader: the head is known before the body, and trailers do not change it", "[http]")
{
    feeder f;
    CHECK(f.give("PUT /a HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer x\r\nTransfer-Encoding: chunked\r\n\r\n") ==
          state::body);
    CHECK(f.reader.head().target == "/a");
    CHECK(f.reader.head().header("authorization") == "Bearer x");
    f.give("3\r\nabc\r\n");
    CHECK(f.reader.body_size() == 3);
    CHECK(f.give("0\r\nAccept: evil\r\n\r\n") == state::complete);
    const auto taken = f.reader.take();
    CHECK(taken.body == "abc");
    CHECK(taken.header("accept").empty());
    CHECK(taken.header("authorization") == "Bearer x");
}

TEST_CASE("request_reader: a target in absolute form is read as its path", "[http]")
{
    const auto target = [](const std::string& given) {
        feeder f;
        CHECK(f.give("GET " + given + " HTTP/1.1\r\nHost: h\r\n\r\n") == state::complete);
        return f.reader.take().target;
    };
    CHECK(target("http://h:6443/api/v1/pods?limit=1") == "/api/v1/pods?limit=1");
    CHECK(target("HTTPS://h/api") == "/api");
    CHECK(target("http://h") == "/");
    CHECK(target("http://h?a=b") == "/?a=b");
    CHECK(target("/http://h/x") == "/http://h/x");
    CHECK(target("*") == "*");
}

TEST_CASE("request_reader: reports once that the client waits for 100 Continue", "[http]")
{
    feeder f;
    CHECK_FALSE(f.reader.wants_continue());
    CHECK(f.give("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n") == state::body);
    CHECK(f.reader.wants_continue());
    CHECK_FALSE(f.reader.wants_continue());
    CHECK(f.give("x") == state::complete);
}
