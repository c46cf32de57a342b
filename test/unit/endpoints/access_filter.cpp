#include <kubecoro/endpoints/access_filter.hpp>

#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/every_step.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

/// A filter whose reviews end when the test says so.
struct fixture
{
    explicit fixture(testing::runner& r) : run(r) {}

    asio::awaitable<result<access_verdict>> review(std::string token)
    {
        ++reviews;
        const latch answered = answer;
        const auto ended = co_await answered.wait();
        if (!ended) co_return ended.error();
        co_return token == "good" ? access_verdict::allowed : access_verdict::unauthenticated;
    }
    access_filter_options options()
    {
        access_filter_options out;
        out.metrics = numbers;
        out.time = run.shared_clock();
        out.log = log.handle();
        return out;
    }

    testing::runner& run;
    testing::recording_logger log;
    std::shared_ptr<testing::recording_metrics> numbers = std::make_shared<testing::recording_metrics>();
    latch answer;
    int reviews = 0;
    access_filter filter{[this](std::string token, const std::string&) { return review(std::move(token)); }, options()};
};

} // namespace

TEST_CASE("access_filter: one review serves all that ask at once, and later ones", "[endpoints][access]")
{
    testing::runner run;
    fixture f(run);
    std::vector<testing::task<access_verdict>> asked;
    for (int i = 0; i < 5; ++i) asked.push_back(run.spawn(f.filter.check("good", "/metrics")));
    run.run_until_idle();
    CHECK(f.reviews == 1);
    f.answer.settle({});
    run.run_until_idle();
    for (const auto& a : asked) CHECK(a.outcome().value() == access_verdict::allowed);
    CHECK(run.run(f.filter.check("good", "/metrics")).value() == access_verdict::allowed);
    CHECK(f.reviews == 1);
    CHECK(run.run(f.filter.check("bad", "/metrics")).value() == access_verdict::unauthenticated);
    CHECK(run.run(f.filter.check("good", "/debug")).value() == access_verdict::allowed);
    CHECK(f.reviews == 3);
    CHECK(f.numbers->value("kubecoro_endpoints_access_total", {{"outcome", "allowed"}}) == 7);
    CHECK(f.numbers->value("kubecoro_endpoints_access_total", {{"outcome", "unauthenticated"}}) == 1);
}

TEST_CASE("access_filter: a review that fails or hangs is a failure for all, without the token in the log",
          "[endpoints][access]")
{
    testing::runner run;
    fixture f(run);
    auto first = run.spawn(f.filter.check("secret-token", "/metrics"));
    auto second = run.spawn(f.filter.check("secret-token", "/metrics"));
    run.advance(10s);
    REQUIRE(first.done());
    CHECK(first.outcome().error() == cond::timed_out);
    CHECK(second.outcome().error() == cond::timed_out);
    f.answer.settle(failure(cond::unreachable, "no server"));
    CHECK(run.run(f.filter.check("secret-token", "/metrics")).error() == cond::unreachable);
    CHECK(f.log.count("tokens of clients cannot be reviewed") == 1);
    CHECK(f.log.count("secret-token") == 0);
    CHECK(f.numbers->value("kubecoro_endpoints_access_total", {{"outcome", "failed"}}) == 3);
}

TEST_CASE("access_filter: when the reviewing caller is cancelled, another one reviews", "[endpoints][access]")
{
    testing::runner run;
    fixture f(run);
    auto first = run.spawn(f.filter.check("good", "/metrics"));
    run.run_until_idle();
    auto second = run.spawn(f.filter.check("good", "/metrics"));
    run.run_until_idle();
    first.cancel();
    run.run_until_idle();
    CHECK(first.done());
    CHECK_FALSE(first.outcome());
    CHECK_FALSE(second.done());
    CHECK(f.reviews == 2);
    f.answer.settle({});
    run.run_until_idle();
    CHECK(second.outcome().value() == access_verdict::allowed);
}

TEST_CASE("access_filter: a caller that is cancelled before its review begins blocks no other", "[endpoints][access]")
{
    /// Calls a function at its next reading.
    struct calling_clock : time_source
    {
        std::shared_ptr<time_source> real;
        mutable std::function<void()> next;
        explicit calling_clock(std::shared_ptr<time_source> r) : real(std::move(r)) {}
        [[nodiscard]] time_point now() const noexcept override
        {
            if (const auto call = std::exchange(next, nullptr)) call();
            return real->now();
        }
        [[nodiscard]] wall_time wall_now() const noexcept override { return real->wall_now(); }
        [[nodiscard]] std::unique_ptr<timer> make_timer(asio::any_io_executor e) override
        {
            return real->make_timer(e);
        }
    };
    testing::runner run;
    fixture f(run);
    const auto clock = std::make_shared<calling_clock>(run.shared_clock());
    auto options = f.options();
    options.time = clock;
    const access_filter filter([&f](std::string token, const std::string&) { return f.review(std::move(token)); },
                               std::move(options));
    auto first = run.spawn(filter.check("good", "/metrics"));
    clock->next = [&first] { first.cancel(); };
    // Asio throws in the context where a coroutine is cancelled before it suspends.
    CHECK_THROWS_AS(run.run_until_idle(), boost::system::system_error);
    CHECK(f.reviews == 0);
    f.answer.settle({});
    CHECK(run.run(filter.check("good", "/metrics")).value() == access_verdict::allowed);
}

TEST_CASE("access_filter: strangers wait for their turn, and too many of an address are sent away",
          "[endpoints][access]")
{
    testing::runner run;
    fixture f(run);
    std::vector<testing::task<access_verdict>> asked;
    for (int i = 0; i < 100; ++i)
        asked.push_back(run.spawn(f.filter.check("bad" + std::to_string(i), "/metrics", "10.0.0.1")));
    run.run_until_idle();
    CHECK(f.reviews == 4);
    CHECK(std::ranges::count_if(asked, [](const auto& a) { return a.done() && !a.outcome(); }) == 64);
    CHECK(f.numbers->value("kubecoro_endpoints_access_total", {{"outcome", "busy"}}) == 64);
    auto good = run.spawn(f.filter.check("good", "/metrics", "10.0.0.2"));
    f.answer.settle({});
    run.run_until_idle();
    CHECK(f.reviews == 10); // as many as may come at once
    CHECK(good.outcome().value() == access_verdict::allowed);
    run.advance(3s);
    CHECK(std::ranges::count_if(asked, [](const auto& a) { return a.done() && a.outcome(); }) == 36);
    for (const auto& a : asked) {
        INFO((a.done() ? "done " : "waits ") + (a.outcome() ? "" : a.outcome().error().describe()));
        CHECK((a.outcome() || a.outcome().error() == cond::retry_later));
    }
    CHECK(f.log.count("bad") == 0);
}

TEST_CASE("access_filter: a turn that does not come within the timeout is a refusal to ask later",
          "[endpoints][access]")
{
    testing::runner run;
    fixture f(run);
    auto options = f.options();
    // A review that does not end when it is cancelled.
    const access_filter filter([&f](std::string token, const std::string&) { return f.review(std::move(token)); },
                               std::move(options));
    std::vector<testing::task<access_verdict>> first; // as many as run at once
    for (const std::string n : {"4", "5", "6", "7"})
        first.push_back(run.spawn(filter.check("a" + n, "/metrics", "10.0.0." + n)));
    auto second = run.spawn(filter.check("b", "/metrics", "10.0.0.2"));
    auto third = run.spawn(filter.check("b", "/metrics", "10.0.0.3")); // waits for the second
    run.advance(9s);
    CHECK_FALSE(second.done());
    run.advance(1s);
    for (const auto& f1 : first) CHECK(f1.outcome().error() == cond::timed_out);
    run.advance(11s);
    CHECK(second.done());
    CHECK(third.done());
    CHECK(run.run(filter.check("good", "/metrics", "10.0.0.1")).error() == cond::timed_out);
}

TEST_CASE("access_filter: random tokens of one address do not lock out new tokens of others", "[endpoints][access]")
{
    testing::runner run;
    fixture f(run);
    f.answer.settle({});
    std::vector<testing::task<access_verdict>> flooding;
    int scrapes = 0;
    // 215 a second for half a minute; each second another client comes with a token of its own.
    for (int i = 0; i < 30 * 215; ++i) {
        flooding.push_back(run.spawn(f.filter.check("random" + std::to_string(i), "/metrics", "10.0.0.1")));
        run.advance(duration(1s) / 215);
        if (i % 215 != 0) continue;
        auto scrape = run.spawn(f.filter.check("good", "/path" + std::to_string(i), "10.0.0.2"));
        run.advance(200ms);
        REQUIRE(scrape.done());
        CHECK(scrape.outcome().value() == access_verdict::allowed);
        ++scrapes;
    }
    CHECK(scrapes == 30);
    CHECK(f.reviews <= 10 * 40);
}

TEST_CASE("access_filter: callers that wait for their turn may leave, and hold up no other", "[endpoints][access]")
{
    testing::runner run;
    fixture f(run);
    std::vector<testing::task<access_verdict>> asked;
    for (int i = 0; i < 4; ++i) asked.push_back(run.spawn(f.filter.check("bad" + std::to_string(i), "/", "10.0.0.1")));
    auto leaving = run.spawn(f.filter.check("good", "/metrics", "10.0.0.2"));
    run.run_until_idle();
    auto sharing = run.spawn(f.filter.check("good", "/metrics", "10.0.0.3"));
    run.run_until_idle();
    leaving.cancel();
    run.run_until_idle();
    CHECK(leaving.done());
    CHECK_FALSE(sharing.done());
    f.answer.settle({});
    run.run_until_idle();
    CHECK(sharing.outcome().value() == access_verdict::allowed);
}

TEST_CASE("access_filter: it may be cancelled and destroyed at every step", "[endpoints][access]")
{
    const auto make = [](testing::runner& run) {
        auto f = std::make_shared<fixture>(run);
        auto body = [](fixture& x) -> asio::awaitable<result<>> {
            auto other = x.run.spawn(x.filter.check("good", "/metrics"));
            (void)co_await sleep_for(x.run.clock(), 1s);
            x.answer.settle({});
            const auto verdict = co_await x.filter.check("good", "/metrics");
            co_return verdict ? result<>() : result<>(verdict.error());
        };
        return testing::scenario{body(*f), f};
    };
    CHECK(testing::stop_after_every_step(make));
    CHECK(testing::cancel_after_every_step(make));
}
