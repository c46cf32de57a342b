#include "server/http_answer.hpp"
#include "http/gzip.hpp"

#include <kubecoro/test/catch.hpp>

#include <zlib.h>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

std::string inflated(const std::string& packed)
{
    z_stream z{};
    REQUIRE(inflateInit2(&z, 16 + MAX_WBITS) == Z_OK);
    std::string out(1 << 20, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    z.avail_in = static_cast<uInt>(packed.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
    out.resize(out.size() - z.avail_out);
    inflateEnd(&z);
    return out;
}

std::string head_of(http_answer answer, bool keep_alive)
{
    const auto reply = reply_of(std::move(answer));
    return format_head(reply.status, reply.headers, framing::length, reply.body.own.size(), keep_alive, {});
}

bool packed(const std::string& accepts)
{
    auto answer = plain_answer(200, std::string(10'000, 'x'));
    compress(answer, accepts);
    return answer.body.size() < 10'000;
}

} // namespace

TEST_CASE("http_answer: every head forbids caching, guessing and framing", "[endpoints]")
{
    const auto head = head_of(plain_answer(404, "no\n"), false);
    CHECK(head == "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"
                  "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
                  "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
    CHECK(head_of(plain_answer(200, ""), true).find("Connection") == std::string::npos);
}

TEST_CASE("http_answer: a page's own policy replaces the strictest one", "[endpoints]")
{
    auto page = plain_answer(200, "");
    page.headers.emplace_back("Content-Security-Policy", "default-src 'self'");
    const auto head = head_of(page, true);
    CHECK(head.find("default-src 'self'") != std::string::npos);
    CHECK(head.find("default-src 'none'") == std::string::npos);
}

TEST_CASE("http_answer: large answers are compressed for clients that accept gzip", "[endpoints]")
{
    CHECK(packed("gzip"));
    CHECK(packed("deflate, gzip;q=0.8"));
    CHECK_FALSE(packed(""));
    CHECK_FALSE(packed("gzip;q=0"));
    CHECK_FALSE(packed("xgzip, br"));
    auto small = plain_answer(200, "small");
    compress(small, "gzip");
    CHECK(small.body == "small");

    std::string text;
    for (int i = 0; i < 5000; ++i) text += std::to_string(i * i) + "\n";
    auto answer = plain_answer(200, text);
    compress(answer, "gzip");
    CHECK(inflated(answer.body) == text);
}

TEST_CASE("http_answer: a compressed answer is not compressed again", "[endpoints]")
{
    detail::http_answer answer;
    std::uint32_t random = 1;
    for (int i = 0; i < 20'000; ++i)
        answer.body += static_cast<char>('a' + (random = random * 1664525 + 1013904223) % 26);
    detail::compress(answer, "gzip");
    REQUIRE(detail::is_worth_compressing(answer.body));
    const auto once = answer.body;
    detail::compress(answer, "gzip");
    CHECK(answer.body == once);
    CHECK(answer.headers.size() == 2);
}
