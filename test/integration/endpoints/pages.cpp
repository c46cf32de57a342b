// Tests of pages that are made while they are sent.
#include "running_endpoints.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <atomic>
#include <stdexcept>

using namespace kubecoro;

namespace {

/// `parts` parts of 64 KiB, each of one letter.
streamed_page letters(int parts, std::shared_ptr<std::atomic<int>> made)
{
    streamed_page page;
    page.path = "/letters";
    page.content_type = "text/x-letters";
    page.begin = [parts, made] {
        return [parts, made, at = 0](std::string& out) mutable {
            ++*made;
            out.append(std::size_t{64} * 1024, static_cast<char>('a' + at));
            return ++at < parts;
        };
    };
    return page;
}

endpoint_options serving(streamed_page page)
{
    endpoint_options out;
    out.pages.push_back(std::move(page));
    return out;
}

constexpr std::string_view ask = "GET /letters HTTP/1.1\r\nHost: localhost\r\n\r\n";

} // namespace

TEST_CASE("endpoints: a page is sent in parts, and the connection goes on", "[endpoints][integration]")
{
    const auto made = std::make_shared<std::atomic<int>>(0);
    running_endpoints program(serving(letters(3, made)));
    auto client = program.client();
    for (int i = 0; i < 2; ++i) {
        const auto answer = client.get("/letters", "Accept-Encoding: gzip\r\n");
        CHECK(answer.status == 200);
        CHECK(answer.headers.at("content-type") == "text/x-letters");
        CHECK(answer.headers.at("transfer-encoding") == "chunked");
        CHECK(answer.headers.count("content-length") == 0);
        REQUIRE(answer.body.size() == std::size_t{3} * 64 * 1024);
        CHECK(answer.body.front() == 'a');
        CHECK(answer.body.back() == 'c');
    }
    CHECK(*made == 6);
    CHECK(client.get("/letters/").status == 404);
    CHECK(program.server().stats().connections == 1);
    CHECK(test::eventually([&] { return program.server().stats().answer_bytes == 0; }));
}

TEST_CASE("endpoints: HEAD of a page makes no part of it", "[endpoints][integration]")
{
    const auto made = std::make_shared<std::atomic<int>>(0);
    running_endpoints program(serving(letters(3, made)));
    auto client = program.client();
    REQUIRE(client.send("HEAD /letters HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
    CHECK(client.head().status == 200);
    CHECK(client.closed_by_server());
    CHECK(*made == 0);
}

TEST_CASE("endpoints: a page that fails breaks off visibly", "[endpoints][integration]")
{
    streamed_page page;
    page.path = "/letters";
    page.begin = [] {
        return [at = 0](std::string& out) mutable -> bool {
            if (at++ == 1) throw std::runtime_error("the second part is missing");
            out = "first";
            return true;
        };
    };
    running_endpoints program(serving(std::move(page)));
    auto client = program.client();
    const auto answer = client.get("/letters");
    CHECK(answer.broken);
    CHECK(test::eventually([&] { return program.log().count("an answer broke off") == 1; }));
    CHECK(program.client().get("/x").status == 404);
}

TEST_CASE("endpoints: a client without chunks is refused, as an answer that breaks off would look complete",
          "[endpoints][integration]")
{
    running_endpoints program(serving(letters(1, std::make_shared<std::atomic<int>>(0))));
    auto client = program.client();
    REQUIRE(client.send("GET /letters HTTP/1.0\r\nHost: localhost\r\n\r\n"));
    CHECK(client.answer().status == 505);
}

TEST_CASE("endpoints: stalled readers of a page hold one part each, and further ones are refused",
          "[endpoints][integration]")
{
    // More than the buffers of sockets hold.
    constexpr int parts = 4096;
    const auto made = std::make_shared<std::atomic<int>>(0);
    auto page = letters(parts, made);
    page.max_answers = 2;
    running_endpoints program(serving(std::move(page)));
    {
        auto first = program.client();
        auto second = program.client();
        for (auto* each : {&first, &second}) {
            REQUIRE(each->send(ask));
            CHECK(each->head().status == 200);
        }
        auto third = program.client();
        const auto refused = third.get("/letters");
        CHECK(refused.status == 503);
        CHECK(refused.headers.at("retry-after") == "1");
        CHECK(*made < 2 * parts);
        CHECK(program.server().stats().answer_bytes < std::size_t{2} * 128 * 1024 + 1024);
    }
    // Both have left: their places are free.
    CHECK(test::eventually([&] {
        auto next = program.client();
        if (!next.send(ask)) return false;
        return next.head().status == 200;
    }));
}

TEST_CASE("endpoints: a page of one's own comes before the dashboard, behind the token", "[endpoints][integration]")
{
    auto own = letters(1, std::make_shared<std::atomic<int>>(0));
    own.path = "/dashboard";
    endpoint_options options = serving(std::move(own));
    options.debug = debug_pages();
    options.protect = access_filter([](std::string token, std::string) {
        return [](bool good) -> boost::asio::awaitable<result<access_verdict>> {
            co_return good ? access_verdict::allowed : access_verdict::unauthenticated;
        }(token == "good");
    });
    running_endpoints program(std::move(options));
    auto client = program.client();
    CHECK(client.get("/dashboard").status == 401);
    const auto answer = client.get("/dashboard", "Authorization: Bearer good\r\n");
    CHECK(answer.headers.at("content-type") == "text/x-letters");
    CHECK(answer.body.starts_with("aaa"));
    CHECK(client.get("/dashboard/events").status == 401); // still the library's
}
