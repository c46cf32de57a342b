// Limits of a client on itself: the rate of its requests, their number at a time, and the headers that a program adds.
#include "http/request_limits.hpp"
#include "http/request_limits_core.hpp"
#include "http/request_text.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

const request_rate_core::moment start{};

/// The wait of a request at that time, in milliseconds.
long long wait_at(request_rate_core& core, duration at) { return core.take(start + at) / 1ms; }

bool is_about(double value, double wanted) { return std::abs(value - wanted) < wanted * 0.01; }

} // namespace

TEST_CASE("request rate: the burst passes at once, and then one request per interval", "[client][limits]")
{
    request_rate_core core({.qps = 10, .burst = 3});
    for (int i = 0; i < 3; ++i) CHECK(wait_at(core, 0s) == 0);
    CHECK(wait_at(core, 0s) == 100);
    CHECK(wait_at(core, 0s) == 200);
    CHECK(wait_at(core, 50ms) == 250);
    // All have been sent after 350 ms; then tokens gather up to the burst.
    CHECK(wait_at(core, 10s) == 0);
    CHECK(wait_at(core, 10s) == 0);
    CHECK(wait_at(core, 10s) == 0);
    CHECK(wait_at(core, 10s) == 100);
}

TEST_CASE("request rate: a turn that is given back is for the next one", "[client][limits]")
{
    request_rate_core core({.qps = 1, .burst = 1});
    CHECK(wait_at(core, 0s) == 0);
    CHECK(wait_at(core, 0s) == 1000);
    core.give_back(start);
    CHECK(wait_at(core, 0s) == 1000);
    core.give_back(start);
    core.give_back(start);
    core.give_back(start);
    // Never more than the burst.
    CHECK(wait_at(core, 0s) == 0);
    CHECK(wait_at(core, 0s) == 1000);
}

TEST_CASE("request rate: a 429 halves the rate once a second, and half a minute restores it", "[client][limits]")
{
    request_rate_core core({.qps = 16, .burst = 100});
    core.on_too_many(start);
    CHECK(is_about(core.rate(start), 8));
    // The burst is gone, and others of the same burst change nothing.
    core.on_too_many(start + 10ms);
    core.on_too_many(start + 900ms);
    CHECK(core.rate(start + 900ms) > 8);
    CHECK(wait_at(core, 900ms) == 0);
    core.on_too_many(start + 1s);
    CHECK(core.rate(start + 1s) < 5);
    CHECK(core.rate(start + 1s) > 4);
    CHECK(core.rate(start + 10s) < 16);
    CHECK(is_about(core.rate(start + 31s), 16));
    CHECK(is_about(core.rate(start + 99h), 16));
}

TEST_CASE("request rate: endless refusals leave a hundredth of the rate", "[client][limits]")
{
    request_rate_core core({.qps = 100, .burst = 1});
    for (int i = 0; i < 1000; ++i) core.on_too_many(start + i * 1s);
    CHECK(core.rate(start + 999s) >= 1);
    CHECK(core.rate(start + 999s) < 10);
    request_rate_core fixed({.qps = 100, .burst = 1, .adaptive = false});
    fixed.on_too_many(start);
    CHECK(is_about(fixed.rate(start), 100));
}

TEST_CASE("request rate: a clock that goes back and huge numbers are harmless", "[client][limits]")
{
    request_rate_core core({.qps = 1e-9, .burst = -3});
    CHECK(wait_at(core, 10s) == 0);
    CHECK(wait_at(core, 1s) == 24LL * 3600 * 1000);
    request_rate_core odd({.qps = 1e12, .burst = std::numeric_limits<double>::quiet_NaN()});
    CHECK(wait_at(odd, 0s) == 0);
    CHECK(wait_at(odd, 0s) == 0);
}

TEST_CASE("request rate: a thousand requests at once leave at the rate", "[client][limits]")
{
    request_rate_core core({.qps = 100, .burst = 1});
    long long last = 0;
    for (int i = 0; i < 1001; ++i) last = wait_at(core, 0s);
    CHECK(last == 10'000);
}

TEST_CASE("request rate: many small steps of time lose nothing (RatePrecisionBug)", "[client][limits]")
{
    request_rate_core core({.qps = 1, .burst = 1});
    CHECK(wait_at(core, 0s) == 0);
    // Each look is followed by a step that is too short for a token.
    for (int i = 1; i <= 1000; ++i) {
        (void)core.take(start + i * 1ms);
        core.give_back(start + i * 1ms);
    }
    CHECK(wait_at(core, 1001ms) == 0);
}

TEST_CASE("connection slots: free ones are granted, the others in order", "[client][limits]")
{
    connection_slots_core core(2);
    CHECK(core.enter(1));
    CHECK(core.enter(2));
    CHECK_FALSE(core.enter(3));
    CHECK_FALSE(core.enter(4));
    CHECK_FALSE(core.enter(5));
    CHECK(core.give_up(4));
    CHECK_FALSE(core.give_up(1));
    CHECK(core.leave() == 3u);
    CHECK(core.leave() == 5u);
    CHECK_FALSE(core.leave());
    CHECK_FALSE(core.leave());
    CHECK(core.waiting() == 0);
    CHECK(core.enter(6));
    CHECK(core.enter(7));
    CHECK_FALSE(core.enter(8));
}

TEST_CASE("connection slots: a place in a long queue is left in less than linear time", "[client][limits]")
{
    constexpr connection_slots_core::id many = 300'000;
    connection_slots_core core(1);
    CHECK(core.enter(1));
    for (connection_slots_core::id user = 2; user <= many; ++user) static_cast<void>(core.enter(user));
    // Each request ends its wait, has the slot, and then leaves it.
    connection_slots_core::id last = 1;
    for (auto next = core.leave(); next; next = core.leave()) {
        last = *next;
        if (core.give_up(last)) FAIL(last);
        // Others are cancelled meanwhile.
        if (last % 2 == 0) static_cast<void>(core.give_up(many - last / 2 + 1));
    }
    CHECK(last > many / 2);
    CHECK(core.waiting() == 0);
}

namespace {

asio::awaitable<result<>> settle(std::shared_ptr<transport> over, std::string target, latch go, std::vector<int>& log,
                                 int number)
{
    request r;
    r.method = "GET";
    r.target = std::move(target);
    auto got = co_await over->send(std::move(r));
    if (!got) co_return got.error();
    log.push_back(number);
    co_return co_await go.wait();
}

} // namespace

TEST_CASE("connection slots: requests wait for the end of others, watches do not count", "[client][limits]")
{
    testing::runner run;
    auto net = std::make_shared<scripted_transport>();
    net->time = run.shared_clock();
    for (int i = 0; i < 20; ++i) net->replies.push_back({.body = {"{}"}});
    const auto over = limit_requests(net, 2);
    std::vector<int> log;
    std::vector<latch> go(5);
    task_group all(run.executor());
    for (int i = 0; i < 4; ++i)
        all.spawn("request", settle(over, "/api/v1/pods", go[static_cast<std::size_t>(i)], log, i));
    all.spawn("watch", settle(over, "/api/v1/pods?watch=true", go[4], log, 4));
    run.run_until_idle();
    CHECK(log == std::vector<int>{0, 1, 4});
    go[1].settle({});
    run.run_until_idle();
    CHECK(log == std::vector<int>{0, 1, 4, 2});
    go[0].settle({});
    run.run_until_idle();
    CHECK(log == std::vector<int>{0, 1, 4, 2, 3});
    for (const auto& g : go) g.settle({});
    run.run_until_idle();
    CHECK(all.running() == 0);
}

TEST_CASE("connection slots: one that is cancelled in the queue or with a slot leaves nothing behind",
          "[client][limits]")
{
    const auto make = [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->time = run.shared_clock();
        for (int i = 0; i < 20; ++i) net->replies.push_back({.body = {"{}"}});
        const auto over = limit_requests(net, 1);
        // The first one holds the only slot until the second one has waited for a while.
        auto body = [](std::shared_ptr<transport> t, std::shared_ptr<time_source> time) -> asio::awaitable<result<>> {
            request r;
            r.method = "GET";
            r.target = "/api/v1/pods";
            auto held = co_await t->send(r);
            if (!held) co_return held.error();
            auto second = catch_failure(t->send(r));
            auto waiting = [](asio::awaitable<result<std::unique_ptr<answer>>> w) -> asio::awaitable<result<>> {
                auto got = co_await std::move(w);
                if (!got) co_return got.error();
                co_return result<>{};
            };
            (void)co_await race(waiting(std::move(second)), sleep_for(*time, 1s));
            held->reset();
            auto last = co_await t->send(r);
            if (!last) co_return last.error();
            co_return result<>{};
        };
        return testing::scenario{catch_failure(body(over, run.shared_clock()))};
    };
    testing::runner run;
    auto whole = make(run);
    CHECK(run.run(std::move(whole.body)));
    CHECK(testing::stop_after_every_step(make).value() > 2);
    CHECK(testing::cancel_after_every_step(make).value() > 2);
}

TEST_CASE("client: the rate of requests is limited by choice, and a wait can be cancelled", "[client][limits]")
{
    world the;
    for (int i = 0; i < 20; ++i) the.net->replies.push_back({.body = {pod("a")}});
    const auto numbers = std::make_shared<testing::recording_metrics>();
    client_options o;
    o.rate_limit = {.qps = 2, .burst = 2};
    o.metrics = numbers;
    auto c = the.make(credentials(), o);
    const auto begin = the.run.clock().now();
    for (int i = 0; i < 5; ++i) REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    CHECK(the.run.clock().now() - begin == 1500ms);
    CHECK(is_about(numbers->value("rest_client_rate_limiter_duration_seconds"), 1.5));
    CHECK(numbers->updates("rest_client_rate_limiter_duration_seconds") == 5);
    // A cancelled wait gives its turn back: the next one waits no longer than without it.
    auto cancelled = the.run.spawn(c.get(pods, "ns", "a"));
    the.run.run_until_idle();
    cancelled.cancel();
    the.run.run_until_idle();
    REQUIRE(cancelled.done());
    CHECK(cancelled.outcome().error() == cond::cancelled);
    const auto after = the.run.clock().now();
    REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    CHECK(the.run.clock().now() - after <= 500ms);
    // Without the option nothing waits.
    auto free = the.make();
    const auto then = the.run.clock().now();
    for (int i = 0; i < 5; ++i) REQUIRE(the.run.run(free.get(pods, "ns", "a")));
    CHECK(the.run.clock().now() == then);
}

TEST_CASE("client: waits for the rate are logged once in ten seconds", "[client][limits]")
{
    world the;
    client_options o;
    o.rate_limit = {.qps = 0.5, .burst = 1};
    auto c = the.make(credentials(), o);
    for (int i = 0; i < 16; ++i) {
        the.net->replies = {{.body = {pod("a")}}};
        REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    }
    // Fifteen waits of two seconds each.
    const auto logged = std::count_if(the.lines.begin(), the.lines.end(), [](const std::string& line) {
        return line.find("requests wait for the rate limit of the client") != std::string::npos;
    });
    CHECK(logged == 3);
}

TEST_CASE("client: a 429 slows later requests down if the rate is limited", "[client][limits]")
{
    world the;
    client_options o;
    o.rate_limit = {.qps = 10, .burst = 10};
    o.max_retries = 0;
    auto c = the.make(credentials(), o);
    the.net->replies = {{.status = 429, .headers = {{"retry-after", "1"}}}};
    CHECK_FALSE(the.run.run(c.get(pods, "ns", "a")));
    const auto begin = the.run.clock().now();
    for (int i = 0; i < 5; ++i) {
        the.net->replies = {{.body = {pod("a")}}};
        REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    }
    // Five a second and growing, without the burst.
    CHECK(the.run.clock().now() - begin > 800ms);
    CHECK(the.run.clock().now() - begin < 1000ms);
}

TEST_CASE("client: headers of the program are sent with each request", "[client][limits]")
{
    world the;
    client_options o;
    o.headers = {{"X-Team", "shop"}, {"Traceparent", "00-1"}};
    auto c = the.make(credentials{.token = "t"}, o);
    the.net->replies = {{.body = {pod("a")}}, {.body = {"{}"}}};
    REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    CHECK(the.net->header(0, "X-Team") == "shop");
    CHECK(the.net->header(0, "Authorization") == "Bearer t");
    // A request's own value wins.
    request r;
    r.method = "GET";
    r.target = "/x";
    r.headers = {{"traceparent", "00-2"}};
    REQUIRE(the.run.run(c.raw(r)));
    CHECK(the.net->header(1, "traceparent") == "00-2");
    CHECK(the.net->header(1, "Traceparent").empty());
}

TEST_CASE("client: headers that the client sets itself, or that are no headers, are refused", "[client][limits]")
{
    for (const char* name : {"Authorization", "HOST", "impersonate-user", "Content-Length", "User-Agent", "Connection",
                             "Transfer-Encoding", "Accept", "Cookie", "Bad Name", "", "X\r\nY"}) {
        INFO(name);
        const auto bad = check_headers({{"X-Good", "1"}, {name, "geheim"}});
        REQUIRE_FALSE(bad);
        CHECK(bad.error() == cond::misconfigured);
        CHECK(bad.error().message().find("geheim") == std::string::npos);
    }
    CHECK_FALSE(check_headers({{"X-Good", "a\r\nHost: b"}}));
    CHECK(check_headers({{"X-Good", "1"}}));

    client_options o;
    o.headers = {{"Host", "other"}};
    world the;
    the.net->replies = {{.body = {pod("a")}}};
    const auto refused = the.run.run(the.make(credentials(), o).get(pods, "ns", "a"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::misconfigured);
    CHECK(the.net->seen.empty());
    asio::io_context io;
    CHECK(client::create(io.get_executor(), {.server = "https://h"}, o).error() == cond::misconfigured);
}

TEST_CASE("client: a program wraps the transport", "[client][limits]")
{
    struct counting final : transport
    {
        explicit counting(std::shared_ptr<transport> o) : over(std::move(o)) {}
        asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
        {
            ++sent;
            return over->send(std::move(r));
        }
        std::shared_ptr<transport> over;
        int sent = 0;
    };
    world the;
    std::shared_ptr<counting> mine;
    client_options o;
    o.wrap_transport = [&](std::shared_ptr<transport> over) {
        return mine = std::make_shared<counting>(std::move(over));
    };
    auto c = the.make(credentials(), o);
    the.net->replies = {{.status = 429, .headers = {{"retry-after", "1"}}}, {.body = {pod("a")}}};
    REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    // Each attempt, with the credentials.
    CHECK(mine->sent == 2);
    // One that returns nothing is not used.
    o.wrap_transport = [](const std::shared_ptr<transport>&) { return std::shared_ptr<transport>(); };
    the.net->replies = {{.body = {pod("a")}}};
    CHECK(the.run.run(the.make(credentials(), o).get(pods, "ns", "a")).error() == cond::misconfigured);
}
