// Clients of one address that take all they can get of a page, and a scraper of another one.
#include "running_endpoints.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <atomic>
#include <deque>
#include <thread>

using namespace kubecoro;
using namespace std::chrono_literals;
using apiserver::raw_client;

namespace {

constexpr std::string_view ask = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// As cluster-metrics has it: parts of 64 KiB, four answers at once.
endpoint_options with_page(int parts, std::shared_ptr<time_source> time = {})
{
    streamed_page page;
    page.path = "/metrics";
    page.begin = [parts] {
        return [parts, at = 0](std::string& out) mutable {
            out.append(std::size_t{64} * 1024, 'x');
            return ++at < parts;
        };
    };
    endpoint_options out;
    out.pages.push_back(std::move(page));
    out.time = std::move(time);
    return out;
}

apiserver::raw_tls elsewhere()
{
    apiserver::raw_tls out;
    out.from = "127.0.0.3";
    return out;
}

} // namespace

TEST_CASE("endpoints: connections of one address that ask for a page again and again lock no scraper out",
          "[endpoints][integration][turns]")
{
    running_endpoints program(with_page(4));
    std::atomic<bool> end = false;
    std::atomic<int> read = 0;
    std::deque<std::thread> tenants;
    for (int i = 0; i < 8; ++i)
        tenants.emplace_back([&] {
            auto client = program.client();
            while (!end) read += client.get("/metrics").status == 200 ? 1 : 0;
        });
    CHECK(test::eventually([&] { return read >= 16; }));
    int served = 0;
    for (int i = 0; i < 26; ++i) {
        const auto answer = raw_client(program.at(), elsewhere()).get("/metrics");
        served += answer.status == 200 && !answer.broken ? 1 : 0;
    }
    end = true;
    for (auto& each : tenants) each.join();
    CHECK(served == 26);
}

TEST_CASE("endpoints: slow readers of one address make way for a scraper, without stalling",
          "[endpoints][integration][turns]")
{
    const auto clock = std::make_shared<testing::virtual_clock>();
    running_endpoints program(with_page(400, clock)); // more than the buffers of a socket hold
    std::deque<raw_client> slow;
    for (int i = 0; i < 4; ++i) {
        auto& each = slow.emplace_back(program.at());
        REQUIRE(each.send(ask));
        REQUIRE(each.head().status == 200);
    }
    raw_client scraper(program.at(), elsewhere());
    REQUIRE(scraper.send(ask));
    auto whole = std::async(std::launch::async, [&] { return scraper.answer(); });
    // Each of them goes on reading, more than 64 KiB a second.
    duration waited{};
    const auto served = [&] { return program.server().stats().closed_by_server > 0; };
    for (; !served() && waited < 20s; waited += 100ms) {
        for (auto& each : slow)
            for (int i = 0; i < 2; ++i) (void)each.receive();
        clock->advance(100ms);
    }
    CHECK(waited < 10s);
    const auto answer = whole.get();
    CHECK(answer.status == 200);
    CHECK_FALSE(answer.broken);
    CHECK(answer.body.size() == std::size_t{400} * 64 * 1024);
    // The others keep their places; a second one may go before the first has ended.
    CHECK(program.server().stats().closed_by_server <= 2);
}
