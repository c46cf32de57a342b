#include <kubecoro/endpoints/health_checks.hpp>
#include <kubecoro/endpoints/prometheus_metrics.hpp>

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording.hpp>

#include <stdexcept>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

result<> well() { return {}; }

struct fixture
{
    testing::runner run;
    testing::recording_logger log;
    std::shared_ptr<testing::recording_metrics> numbers = std::make_shared<testing::recording_metrics>();
    health_checks checks{{.metrics = numbers, .time = run.shared_clock(), .log = log.handle()}};

    asio::awaitable<result<std::vector<health_checks::verdict>>> asked(health_probe probe)
    {
        co_return co_await checks.run(probe, checks.names(probe));
    }
    std::vector<health_checks::verdict> ask(health_probe probe) { return run.run(asked(probe)).value(); }
};

} // namespace

TEST_CASE_METHOD(fixture, "health_checks: liveness and readiness have checks of their own", "[endpoints]")
{
    REQUIRE(checks.add_live("ticks", &well));
    REQUIRE(checks.add_ready("informers", &well));
    CHECK(checks.names(health_probe::live) == std::vector<std::string>{"ping", "ticks"});
    CHECK(checks.names(health_probe::ready) == std::vector<std::string>{"ping", "informers"});
    const auto outcomes = ask(health_probe::ready);
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes[1].name == "informers");
    CHECK(outcomes[1].outcome);
}

TEST_CASE_METHOD(fixture, "health_checks: a name is free, plain and not that of the built-in check", "[endpoints]")
{
    REQUIRE(checks.add_ready("one", &well));
    CHECK(checks.add_ready("one", &well).error() == cond::already_exists);
    CHECK(checks.add_live("one", &well));
    CHECK(checks.add_ready("ping", &well).error() == cond::already_exists);
    for (const std::string bad : {"", "a/b", "a b", "a%62", "ä", "a\n"})
        CHECK(checks.add_ready(bad, &well).error() == cond::invalid);
    CHECK(checks.add_ready(std::string(128, 'x'), &well));
    CHECK(checks.add_ready(std::string(129, 'x'), &well).error() == cond::invalid);
}

TEST_CASE_METHOD(fixture, "health_checks: a detail never fails, and is made only when it is read", "[endpoints]")
{
    int made = 0;
    REQUIRE(checks.add_ready_detail("clusters", [&made] { return ++made, std::string("2 of 2 ready"); }));
    CHECK(checks.add_ready("clusters", &well).error() == cond::already_exists);
    const auto outcomes = ask(health_probe::ready);
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes[1].outcome);
    CHECK(made == 0);
    CHECK(outcomes[1].detail() == "2 of 2 ready");
    CHECK(checks.remove("clusters"));
}

TEST_CASE_METHOD(fixture, "health_checks: a check that hangs or throws has failed", "[endpoints]")
{
    REQUIRE(checks.add_ready(
        "hangs", [this]() -> asio::awaitable<result<>> { co_return co_await sleep_for(run.clock(), 1h); }, 2s));
    REQUIRE(checks.add_ready("throws", []() -> result<> { throw std::runtime_error("oops"); }));
    const auto before = run.clock().now();
    const auto outcomes = ask(health_probe::ready);
    REQUIRE(outcomes.size() == 3);
    CHECK(outcomes[1].outcome.error() == cond::timed_out);
    CHECK(outcomes[2].outcome.error() == cond::internal);
    CHECK(run.clock().now() - before == 2s);
}

TEST_CASE_METHOD(fixture, "health_checks: each change of an outcome is logged once, and shown as a metric",
                 "[endpoints]")
{
    bool good = false;
    REQUIRE(checks.add_live("link", [&good]() -> result<> {
        if (good) return {};
        return failure{cond::unreachable, "no carrier"};
    }));
    const metric_labels series{{"name", "link"}, {"probe", "livez"}};
    for (int i = 0; i < 3; ++i) (void)ask(health_probe::live);
    CHECK(log.count("a health check fails check=link probe=livez") == 1);
    CHECK(log.count("no carrier") == 1);
    CHECK(numbers->value("kubecoro_endpoints_health_check", series) == 0);
    good = true;
    for (int i = 0; i < 3; ++i) (void)ask(health_probe::live);
    CHECK(log.count("a health check succeeds again check=link") == 1);
    CHECK(log.lines().size() == 2);
    CHECK(numbers->value("kubecoro_endpoints_health_check", series) == 1);
}

TEST_CASE_METHOD(fixture, "health_checks: the metric of a check ends with it", "[endpoints]")
{
    const auto scraped = std::make_shared<prometheus_metrics>(prometheus_options{.process = false});
    checks = health_checks({.metrics = scraped, .time = run.shared_clock()});
    const auto value = [&](const std::string& of) {
        const std::string series = "\nkubecoro_endpoints_health_check{name=\"link\",probe=\"readyz\"} " + of + "\n";
        return scraped->text().find(series) != std::string::npos;
    };
    latch go;
    REQUIRE(checks.add_ready("link", [go]() -> asio::awaitable<result<>> {
        (void)co_await go.wait();
        co_return failure{cond::unreachable, "no carrier"};
    }));
    auto asking = run.spawn(asked(health_probe::ready));
    run.run_until_idle();
    CHECK(value("0"));
    REQUIRE(checks.remove("link"));
    CHECK(scraped->text().find("health_check{") == std::string::npos);

    // A call of the removed check says nothing about a new one of its name.
    REQUIRE(checks.add_ready("link", &well));
    (void)ask(health_probe::ready);
    CHECK(value("1"));
    go.settle({});
    run.run_until_idle();
    REQUIRE(asking.done());
    CHECK(value("1"));
    CHECK(scraped->dropped_series() == 0);
}

TEST_CASE_METHOD(fixture, "health_checks: removing waits for the calls in progress, and only for those", "[endpoints]")
{
    latch go;
    REQUIRE(checks.add_ready("slow", [go]() -> asio::awaitable<result<>> { co_return co_await go.wait(); }));
    auto asking = run.spawn(asked(health_probe::ready));
    run.run_until_idle();
    auto removing = run.spawn(checks.removed("slow"));
    run.run_until_idle();
    CHECK(checks.names(health_probe::ready) == std::vector<std::string>{"ping"});
    CHECK_FALSE(removing.done());
    CHECK(checks.add_ready("slow", &well)); // the name is free at once
    go.settle({});
    run.run_until_idle();
    CHECK(asking.done());
    REQUIRE(removing.done());
    CHECK(removing.outcome());
    CHECK(run.run(checks.removed("unknown")));
    CHECK(checks.remove("slow"));
    CHECK_FALSE(checks.remove("slow"));
}

TEST_CASE_METHOD(fixture, "health_checks: a cancelled run ends its check, and removal does not hang", "[endpoints]")
{
    REQUIRE(checks.add_ready(
        "slow", [this]() -> asio::awaitable<result<>> { co_return co_await sleep_for(run.clock(), 1h); }, 0s));
    auto asking = run.spawn(asked(health_probe::ready));
    run.run_until_idle();
    asking.cancel();
    run.run_until_idle();
    CHECK(asking.done());
    CHECK(run.run(checks.removed("slow")));
}
