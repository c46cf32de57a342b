// Parts of a manager that run out of memory when they start.
#include "manager_fixture.hpp"

#include <kubecoro/test/allocations.hpp>

#include <algorithm>

using namespace manager_test;
using kubecoro::test::fail_allocation;

namespace {

/// A log that makes an allocation fail after the line that a part is started.
logger failing_log(std::uint64_t nth)
{
    const auto armed = std::make_shared<bool>(true);
    return logger(
        [armed, nth](const log_record& line) {
            const bool starts = line.message == "starting" && line.field_count == 1 && line.fields[0].name == "part";
            if (starts && std::exchange(*armed, false)) fail_allocation(nth);
        },
        log_level::debug);
}

} // namespace

TEST_CASE("manager: a part that cannot be started is started later, once, and stops with the manager",
          "[manager][memory]")
{
    for (const bool retried : {false, true}) {
        int begun = 0;
        for (std::uint64_t nth = 1; nth <= 7; ++nth) { // later ones are those of Asio
            CAPTURE(retried, nth);
            world w({.log = failing_log(nth)});
            int runs = 0, most = 0;
            runnable_options how;
            if (retried) how.retry = backoff_policy{.initial = 100ms, .factor = 2, .cap = 1min, .jitter = 0};
            w.m->run(
                "worker",
                [&](latch stop) -> ended {
                    most = std::max(most, ++runs);
                    ++begun;
                    auto stopping = stop.wait();
                    co_await std::move(stopping);
                    --runs;
                    co_return result<>{};
                },
                how);
            w.m->start();
            w.run.advance(5s);
            fail_allocation(0);
            CHECK(most == 1);
            CHECK(w.m->stats().phase == manager_phase::running);
            CHECK(w.run.run(w.m->stop()).has_value());
            CHECK(runs == 0);
            CHECK(w.m->tasks().empty());
        }
        CHECK(begun == 7);
    }
}
