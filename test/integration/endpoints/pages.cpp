// Tests of pages that are made while they are sent.
#include "running_endpoints.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <atomic>
#include <future>
#include <stdexcept>

using namespace kubecoro;
using namespace std::chrono_literals;

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

endpoint_options serving(streamed_page page, std::shared_ptr<time_source> time = {})
{
    endpoint_options out;
    out.pages.push_back(std::move(page));
    out.limits.answer_timeout = 1h;
    out.time = std::move(time);
    return out;
}

constexpr std::string_view ask = "GET /letters HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Parts of more than the buffers of sockets hold.
constexpr int endless = 4096;

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

TEST_CASE("endpoints: a page of a text is made for each answer", "[endpoints][integration]")
{
    const auto made = std::make_shared<std::atomic<int>>(0);
    running_endpoints program(serving(text_page("/report", [made] { return "report " + std::to_string(++*made); })));
    auto client = program.client();
    CHECK(client.get("/report").body == "report 1");
    const auto second = client.get("/report");
    CHECK(second.body == "report 2");
    CHECK(second.headers.at("content-type") == "text/plain; charset=utf-8");
}

TEST_CASE("endpoints: a page of a text that fails breaks off, and the next one is whole", "[endpoints][integration]")
{
    const auto made = std::make_shared<std::atomic<int>>(0);
    const auto text = [made]() -> std::string {
        if (++*made == 1) throw std::runtime_error("not yet");
        return "whole";
    };
    running_endpoints program(serving(text_page("/report", text)));
    auto failing = program.client();
    CHECK(failing.get("/report").broken);
    CHECK(program.client().get("/report").body == "whole");
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

TEST_CASE("endpoints: a page that makes empty parts leaves others their turns", "[endpoints][integration]")
{
    const auto end = std::make_shared<std::atomic<bool>>(false);
    streamed_page page;
    page.path = "/letters";
    page.begin = [end] {
        constexpr int most = 20'000'000; // for a server that never gets to the end
        return [end, left = most](std::string& out) mutable {
            const bool follows = !*end && --left > 0;
            if (!follows) out += left > 0 ? "in time" : "too late";
            return follows;
        };
    };
    running_endpoints program(serving(std::move(page)));
    auto client = program.client();
    REQUIRE(client.send(ask));
    CHECK(program.client().get("/x").status == 404);
    *end = true;
    CHECK(client.answer().body == "in time");
}

TEST_CASE("endpoints: parts of a page beyond the budget wait, and probes and a stop do not", "[endpoints][integration]")
{
    const auto clock = std::make_shared<testing::virtual_clock>();
    const auto made = std::make_shared<std::atomic<int>>(0);
    streamed_page page;
    page.path = "/letters";
    page.begin = [clock, made] {
        return [clock, made](std::string& out) {
            clock->advance(500ms);
            out += 'a' + static_cast<char>(*made % 26);
            return ++*made < 100;
        };
    };
    auto options = serving(std::move(page), clock);
    options.health = health_checks();
    running_endpoints program(std::move(options));
    auto client = program.client();
    REQUIRE(client.send(ask));
    CHECK(client.head().status == 200);
    CHECK(test::eventually([&] { return *made == 6; })); // 3 s at once
    auto probe = program.client();
    for (int i = 0; i < 20; ++i) CHECK(probe.get("/livez").status == 200);
    CHECK(*made == 6);
    clock->advance(2ms);
    CHECK(test::eventually([&] { return *made == 7; }));
    CHECK(probe.get("/livez").status == 200);
    clock->advance(900ms); // it takes twice the time of the part
    CHECK(probe.get("/livez").status == 200);
    CHECK(*made == 7);
    clock->advance(200ms);
    CHECK(test::eventually([&] { return *made == 8; }));
    auto stopped = std::async(std::launch::async, [&] { return program.stop().has_value(); });
    while (stopped.wait_for(10ms) != std::future_status::ready) clock->advance(100ms);
    CHECK(stopped.get());
    CHECK(*made < 20);
}

TEST_CASE("endpoints: a client without chunks is refused, as an answer that breaks off would look complete",
          "[endpoints][integration]")
{
    running_endpoints program(serving(letters(1, std::make_shared<std::atomic<int>>(0))));
    auto client = program.client();
    REQUIRE(client.send("GET /letters HTTP/1.0\r\nHost: localhost\r\n\r\n"));
    CHECK(client.answer().status == 505);
}

TEST_CASE("endpoints: stalled readers of a page hold one part each, and further ones wait for their places",
          "[endpoints][integration]")
{
    const auto made = std::make_shared<std::atomic<int>>(0);
    auto page = letters(endless, made);
    page.max_answers = 2;
    // Time stands: none of them has waited long.
    running_endpoints program(serving(std::move(page), std::make_shared<testing::virtual_clock>()));
    {
        auto third = program.client();
        {
            auto first = program.client();
            auto second = program.client();
            for (auto* each : {&first, &second}) {
                CHECK(each->send(ask));
                CHECK(each->head().status == 200);
            }
            CHECK(third.send(ask));
            CHECK(program.client().get("/x").status == 404);
            CHECK(*made < 2 * endless);
            CHECK(program.server().stats().answer_bytes < std::size_t{2} * 128 * 1024 + 1024);
            CHECK(program.server().stats().closed_by_server == 0);
            CHECK(program.server().stats().requests == 3);
        }
        // Both have left: their places are free.
        CHECK(third.head().status == 200);
    }
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 0; }));
}

TEST_CASE("endpoints: a reader of a page that has stalled for a second gives way to another, and a HEAD needs no place",
          "[endpoints][integration]")
{
    const auto clock = std::make_shared<testing::virtual_clock>();
    auto page = letters(endless, std::make_shared<std::atomic<int>>(0));
    page.max_answers = 1;
    running_endpoints program(serving(std::move(page), clock));
    {
        auto stalled = program.client();
        CHECK(stalled.send(ask));
        CHECK(stalled.head().status == 200);
        auto next = program.client();
        CHECK(next.send(ask));
        auto head = std::async(std::launch::async, [&] { return next.head().status; });
        auto asks_head = program.client();
        CHECK(asks_head.send("HEAD /letters HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        CHECK(asks_head.head().status == 200);
        clock->advance(800ms);
        CHECK(program.client().get("/x").status == 404);
        CHECK(program.server().stats().closed_by_server == 0);
        CHECK(advance_until(*clock, head) >= 200ms);
        CHECK(head.get() == 200);
        CHECK_FALSE(stalled.body_ended());
        CHECK(test::eventually([&] { return program.server().stats().closed_by_server == 1; }));
    }
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 0; }));
}

TEST_CASE("endpoints: a page that never has a place, or room for its parts, is refused at once",
          "[endpoints][integration]")
{
    const auto clock = std::make_shared<testing::virtual_clock>();
    auto page = letters(endless, std::make_shared<std::atomic<int>>(0));
    page.max_answers = 0;
    auto options = serving(std::move(page), clock);
    options.limits.answer_timeout = 10s;
    running_endpoints program(std::move(options));
    CHECK(program.client().get("/letters").status == 503); // there is never a place
    auto single = letters(endless, std::make_shared<std::atomic<int>>(0));
    single.max_answers = 1;
    auto limited = serving(std::move(single), clock);
    limited.limits.max_answer_bytes = 0; // so there is a place, but no room
    limited.limits.answer_timeout = 10s;
    running_endpoints small(std::move(limited));
    CHECK(small.client().get("/letters").status == 503);
}

TEST_CASE("endpoints: parts of a page count for what they are, and without room for one the answer breaks off",
          "[endpoints][integration]")
{
    constexpr std::size_t large = 2 << 20;
    streamed_page page;
    page.path = "/letters";
    page.begin = [] {
        return [at = 0](std::string& out) mutable {
            if (at == 1) out.append(large, 'x');
            return ++at < 3; // the first and the last one are empty
        };
    };
    auto options = serving(std::move(page));
    options.limits.max_answer_bytes = large + large / 2;
    running_endpoints program(std::move(options));
    const auto used = [&] { return program.server().stats().answer_bytes; };
    {
        auto stalled = program.client();
        CHECK(stalled.send(ask));
        CHECK(test::eventually([&] { return used() >= large; }));
        CHECK(used() < large + large / 4);
        CHECK(program.client().get("/letters").broken);
        CHECK(program.log().count("an answer broke off failure=\"too many answers wait for their clients\"") == 1);
        CHECK(program.client().get("/letters").broken);
        CHECK(program.log().count("an answer broke off") == 1); // whatever clients do, the log grows slowly
    }
    CHECK(test::eventually([&] { return used() == 0; }));
    const auto whole = program.client().get("/letters");
    CHECK_FALSE(whole.broken);
    CHECK(whole.body == std::string(large, 'x'));
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
