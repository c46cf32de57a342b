// A failure of its own ends a manager: at once, visibly, and in order.
#include "manager_fixture.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/failing_timers.hpp>

#include <algorithm>

using namespace manager_test;

namespace {

/// A clock for manager_options, made before the world that has the real one.
struct late_clock final : time_source
{
    std::shared_ptr<time_source> real = real_clock();
    [[nodiscard]] time_point now() const noexcept override { return real->now(); }
    [[nodiscard]] wall_time wall_now() const noexcept override { return real->wall_now(); }
    [[nodiscard]] std::unique_ptr<timer> make_timer(asio::any_io_executor executor) override
    {
        return real->make_timer(std::move(executor));
    }
};

struct broken
{
    std::shared_ptr<late_clock> clock = std::make_shared<late_clock>();
    std::shared_ptr<test::failing_timers> time = std::make_shared<test::failing_timers>(clock);
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
    world w{manager_options{.time = time, .metrics = numbers}};
    bool worked = false;

    broken()
    {
        clock->real = w.run.shared_clock();
        w.m->run("worker", [this](latch stop) -> ended {
            worked = true;
            co_await stop.wait();
            worked = false;
            co_return result<>{};
        });
    }
    void check_end(std::size_t owners)
    {
        REQUIRE(w.running->done());
        const auto over = w.running->outcome();
        REQUIRE_FALSE(over);
        CHECK(over.error() == cond::internal);
        CHECK(over.error().describe().find("a broken timer") != std::string::npos);
        CHECK_FALSE(worked);
        CHECK(w.m->phase() == manager_phase::stopped);
        CHECK(w.m->tasks().empty());
        CHECK(w.m->stats().ended_by);
        CHECK(w.m->describe().find("ended by: internal: ") != std::string::npos);
        CHECK(w.log.count("a loop failed and has ended its owner") == owners);
        CHECK(w.log.count(log_level::error) == owners);
        CHECK(numbers->value("kubecoro_ended_owners_total", {{"owner", "manager"}, {"name", "subject"}}) == 1);
        CHECK(numbers->value("kubecoro_ended_owners_total") == static_cast<double>(owners));
        CHECK(numbers->value("kubecoro_manager_ready") == 0);
        CHECK(w.run.run(w.m->stop()).error() == cond::internal);
    }
};

/// A log that makes an allocation fail after the line that a part is started.
logger failing_log(std::uint64_t nth)
{
    const auto armed = std::make_shared<bool>(true);
    return logger(
        [armed, nth](const log_record& line) {
            const bool starts = line.message == "starting" && line.field_count == 1 && line.fields[0].name == "part";
            if (starts && std::exchange(*armed, false)) test::fail_allocation(nth);
        },
        log_level::debug);
}

} // namespace

TEST_CASE("manager failures: a timer of the supervisor that throws ends everything", "[manager][ends]")
{
    broken b;
    SECTION("while it starts")
    {
        b.time->fail();
        b.w.m->informer<config_map>();
        b.w.running = b.w.run.spawn(b.w.m->run());
        b.w.run.run_until_idle();
        b.check_end(2); // and the informer, whose timers throw as well
        return;
    }
    SECTION("while it stops, and has nothing to stop in order")
    {
        b.w.begin();
        CHECK(b.worked);
        b.time->fail();
        b.w.m->request_stop();
        b.w.run.run_until_idle();
    }
    b.check_end(1);
}

TEST_CASE("manager failures: with an informer that has ended", "[manager][ends]")
{
    broken b;
    b.w.m->informer<config_map>();
    SECTION("before its sync")
    {
        b.time->fail(5s, 5s); // the metrics of the informer
        b.w.begin();
    }
    SECTION("later")
    {
        b.w.begin();
        CHECK(b.worked);
        CHECK(b.numbers->value("kubecoro_manager_ready") == 1);
        b.time->fail(5s, 5s);
        b.w.run.advance(20s);
    }
    b.check_end(2);
}

TEST_CASE("manager failures: a part that cannot be started ends the manager, or runs once", "[manager][ends][memory]")
{
    int ends = 0;
    for (std::uint64_t nth = 1; nth <= 7; ++nth) { // later ones are those of Asio
        CAPTURE(nth);
        world w({.log = failing_log(nth)});
        int runs = 0, most = 0;
        w.m->run("worker", [&](latch stop) -> ended {
            most = std::max(most, ++runs);
            co_await stop.wait();
            --runs;
            co_return result<>{};
        });
        w.begin();
        test::fail_allocation(0);
        w.run.advance(1min);
        if (w.running->done()) {
            ++ends;
            CHECK(w.running->outcome().error() == cond::internal);
        } else {
            CHECK(runs == 1);
            CHECK(w.run.run(w.m->stop()));
        }
        CHECK(most <= 1);
        CHECK(runs == 0);
        CHECK(w.m->tasks().empty());
    }
    CHECK(ends >= 1);
}
