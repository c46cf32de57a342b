// Allocations and timers that fail: a key is queued or it is not, and the queue goes on or has ended.
#include "failing_clock.hpp"
#include "queue_fixture.hpp"

#include <kubecoro/test/failing_timers.hpp>
#include <kubecoro/testing/recording.hpp>

#include <cstdint>
#include <new>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
using kubecoro::test::create_strand_mutexes;
using kubecoro::test::fail_allocation;

namespace {

constexpr std::uint64_t more_than_any = 40;

/// Calls `work` with the n-th allocation failing. @return whether it threw.
template<class Work>
bool fails(std::uint64_t nth, Work work)
{
    fail_allocation(nth);
    bool thrown = false;
    try {
        work();
    } catch (const std::bad_alloc&) {
        thrown = true;
    }
    fail_allocation(0);
    return thrown;
}

const std::string first = "a key that waits longest";
const std::string lost = "a key whose text needs memory of its own";
const std::string other = "another key whose text needs memory of its own";

} // namespace

TEST_CASE("workqueue: a key for which there is no memory is not stored", "[workqueue]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        REQUIRE(nth < more_than_any);
        testing::runner run;
        workqueue<std::string> queue(run.executor());
        thrown = fails(nth, [&] { queue.add(lost); });
        CHECK(queue.stats().keys == queue.len());
        queue.add(other);
        while (auto item = queue.try_get()) item->succeeded();
        CHECK(queue.stats().keys == 0);
    }
}

TEST_CASE("workqueue: delayed keys become ready after an allocation has failed", "[workqueue]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        REQUIRE(nth < more_than_any);
        testing::runner run;
        create_strand_mutexes(run.executor());
        workqueue_options o;
        o.time = run.shared_clock();
        workqueue<std::string> queue(run.executor(), std::move(o));
        // The timer waits before: Asio 1.81 survives neither a strand nor a wake-up for which there is no memory.
        queue.add_after(first, 10s);
        run.run_until_idle();
        thrown = fails(nth, [&] { queue.add_after(lost, 1s); });
        CHECK(queue.stats().keys == queue.stats().delayed);
        queue.add_after(other, 2s);
        run.advance(3s);
        CHECK(queue.stats().delayed == 1);
        CHECK(queue.len() >= 1);
        while (auto item = queue.try_get()) item->succeeded();
        CHECK(queue.stats().keys == 1);
    }
}

TEST_CASE("workqueue: an idle timer that could not be woken for lack of memory is woken later, or ends the queue",
          "[workqueue][ends]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        REQUIRE(nth < more_than_any);
        testing::runner run;
        create_strand_mutexes(run.executor());
        testing::recording_logger log;
        workqueue<std::string> queue(run.executor(), {.time = run.shared_clock(), .log = log.handle()});
        queue.add_after(first, 1s);
        run.advance(2s);
        while (auto item = queue.try_get()) item->succeeded();
        run.advance(1h); // no key is left, and no gauge is to be set
        thrown = fails(nth, [&] { queue.add_after(lost, 1s); });
        run.run_until_idle();
        if (queue.shutting_down()) {
            CHECK(run.run(queue.get()).error() == cond::internal);
            CHECK(log.count(log_level::error) == 1);
            continue;
        }
        queue.add_after(other, 2s);
        run.advance(3s);
        CHECK(queue.stats().delayed == 0);
        CHECK(queue.len() >= 1);
    }
}

TEST_CASE("workqueue: a timer that throws ends the queue, and ready keys are still handed out", "[workqueue][ends]")
{
    testing::runner run;
    testing::recording_logger log;
    const auto numbers = std::make_shared<testing::recording_metrics>();
    const auto time = std::make_shared<test::failing_timers>(run.shared_clock());
    workqueue<std::string> queue(run.executor(),
                                 {.name = "names", .metrics = numbers, .time = time, .log = log.handle()});
    const auto waiting = run.spawn([](auto& q) -> boost::asio::awaitable<result<>> {
        for (;;) {
            auto item = co_await q.get();
            if (!item) co_return item.error();
            item->succeeded();
        }
    }(queue));
    run.run_until_idle();
    time->fail();
    queue.add("ready");
    queue.add_after(lost, 1s);
    run.run_until_idle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::internal);
    CHECK(waiting.outcome().error().describe().find("a broken timer") != std::string::npos);
    CHECK(queue.stats().handed_out == 1);
    CHECK(run.run(queue.get()).error() == cond::internal);
    CHECK(log.count("a loop failed and has ended its owner") == 1);
    CHECK(log.count(log_level::error) == 1);
    CHECK(numbers->value("kubecoro_ended_owners_total", {{"owner", "workqueue"}, {"name", "names"}}) == 1);
    CHECK(run.run(queue.ended()));
}
