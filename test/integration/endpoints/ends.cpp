// A failure of one of its loops ends an endpoint server, visibly.
#include "running_endpoints.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/failing_timers.hpp>

#include <chrono>
#include <new>
#include <utility>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

/// Records, but throws for connections.
struct short_metrics final : metrics
{
    testing::recording_metrics real;

    [[nodiscard]] std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) override
    {
        if (name == "kubecoro_endpoints_connections_total") throw std::bad_alloc();
        return real.make_counter(name, std::move(labels));
    }
    [[nodiscard]] std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) override
    {
        return real.make_gauge(name, std::move(labels));
    }
    [[nodiscard]] std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) override
    {
        return real.make_histogram(name, std::move(labels));
    }
};

void check_end(running_endpoints& program, const std::string& cause)
{
    const auto stopped = program.stop();
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error() == cond::internal);
    CHECK(stopped.error().describe().find(cause) != std::string::npos);
    CHECK(program.log().count("a loop failed and has ended its owner") == 1);
    CHECK(program.log().count(log_level::error) == 1);
}

} // namespace

TEST_CASE("endpoints: a failure of the loop that accepts ends the server, visibly", "[endpoints][integration][ends]")
{
    const auto numbers = std::make_shared<short_metrics>();
    running_endpoints program({.metrics = numbers});
    CHECK(program.client().closed_by_server());
    check_end(program, "bad_alloc");
    CHECK(numbers->real.value("kubecoro_ended_owners_total") == 1);
}

TEST_CASE("endpoints: a failure of the loop of deadlines ends the server, visibly", "[endpoints][integration][ends]")
{
    const auto time = std::make_shared<test::failing_timers>(real_clock());
    time->fail(1h); // the pause without a connection
    running_endpoints program({.health = health_checks(), .time = time});
    check_end(program, "a broken timer");
}
