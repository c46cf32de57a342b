// Jobs that run again and again.
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/controller/periodic.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace kt = kubecoro::testing;

namespace {

struct job_world
{
    kt::runner run;
    kt::recording_logger log;
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
    task_group tasks{run.executor(), log.handle()};
    std::vector<duration> begun;
    std::size_t ended = 0;

    ~job_world()
    {
        tasks.stop();
        CHECK(run.run(tasks.join()).has_value());
        CHECK(run.clock().waiting() == 0);
    }
    /// @param takes  How long a run lasts.
    void start(periodic_options how, duration takes, result<> outcome = {})
    {
        how.name = "sweep";
        how.seed = 1;
        how.time = run.shared_clock();
        how.log = log.handle();
        how.metrics = numbers;
        const auto zero = run.clock().now();
        loop_body body = [this, takes, outcome, zero]() { return once(takes, outcome, zero); };
        REQUIRE(tasks.spawn("sweep", every(std::move(how), body)));
    }
    asio::awaitable<result<>> once(duration takes, result<> outcome, time_point zero)
    {
        begun.push_back(run.clock().now() - zero);
        const auto rested = co_await sleep_for(run.clock(), takes);
        ++ended;
        co_return rested ? outcome : rested;
    }
    [[nodiscard]] double runs(const std::string& outcome) const
    {
        return numbers->value("kubecoro_periodic_runs_total", {{"name", "sweep"}, {"result", outcome}});
    }
};

periodic_options each_minute()
{
    periodic_options how;
    how.period = 1min;
    how.jitter = 0;
    how.first_after = 0s;
    return how;
}

} // namespace

TEST_CASE("every: from beginning to beginning, never two at once", "[controller][periodic]")
{
    job_world w;
    SECTION("short runs")
    {
        w.start(each_minute(), 20s);
        w.run.advance(3min - 1s);
        CHECK(w.begun == std::vector<duration>{0s, 1min, 2min});
        CHECK(w.runs("success") == 3);
        CHECK(w.numbers->value("kubecoro_periodic_run_seconds") == 60);
    }
    SECTION("long runs")
    {
        w.start(each_minute(), 90s);
        w.run.advance(4min);
        CHECK(w.begun == std::vector<duration>{0s, 90s, 180s});
        CHECK(w.ended == 2);
    }
}

TEST_CASE("every: a run that fails, throws or lasts too long is counted, and the next one comes",
          "[controller][periodic]")
{
    job_world w;
    auto how = each_minute();
    how.deadline = 30s;
    SECTION("fails") { w.start(how, 1s, failure(cond::unreachable, "no broom")); }
    SECTION("lasts too long") { w.start(how, 1h); }
    SECTION("throws")
    {
        how.name = "sweep";
        how.time = w.run.shared_clock();
        how.log = w.log.handle();
        how.metrics = w.numbers;
        loop_body body = []() -> asio::awaitable<result<>> { throw std::runtime_error("no broom"); };
        REQUIRE(w.tasks.spawn("sweep", every(how, body)));
    }
    w.run.advance(2min - 1s);
    CHECK(w.runs("error") == 2);
    CHECK(w.runs("success") == 0);
    CHECK(w.log.count("a periodic job failed job=sweep") == 2);
}

TEST_CASE("every: the first run and the periods are spread", "[controller][periodic]")
{
    job_world w;
    auto how = each_minute();
    how.first_after.reset();
    how.jitter = 0.5;
    w.start(how, 0s);
    w.run.advance(10min);
    REQUIRE(w.begun.size() >= 6);
    CHECK(w.begun[0] < 1min);
    for (std::size_t i = 1; i < w.begun.size(); ++i) {
        CHECK(w.begun[i] - w.begun[i - 1] >= 1min);
        CHECK(w.begun[i] - w.begun[i - 1] <= 90s);
    }
    CHECK(w.begun[2] - w.begun[1] != w.begun[1] - w.begun[0]);
}

TEST_CASE("every: the stop ends the run and waits for it", "[controller][periodic]")
{
    job_world w;
    w.start(each_minute(), 30s);
    w.run.advance(10s);
    CHECK(w.ended == 0);
    w.tasks.stop();
    CHECK(w.run.run(w.tasks.join()).has_value());
    CHECK(w.begun.size() == 1);
    CHECK(w.runs("success") + w.runs("error") == 0);
    CHECK(w.log.count("a periodic job failed") == 0);
}
