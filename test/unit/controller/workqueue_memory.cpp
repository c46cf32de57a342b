// Allocations that fail: a key is queued or it is not, and the queue goes on.
#include "failing_clock.hpp"
#include "queue_fixture.hpp"

#include <cstdint>
#include <new>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
using kubecoro::test::create_strand_mutexes;
using kubecoro::test::fail_allocation;
using kubecoro::test::failing_clock;

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

TEST_CASE("workqueue: delayed keys become ready after an idle timer could not be woken for lack of memory",
          "[workqueue]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        REQUIRE(nth < more_than_any);
        testing::runner run;
        create_strand_mutexes(run.executor());
        workqueue<std::string> queue(run.executor(), {.time = run.shared_clock()});
        queue.add_after(first, 1s);
        run.advance(2s);
        while (auto item = queue.try_get()) item->succeeded();
        run.advance(1h); // no key is left, and no gauge is to be set
        thrown = fails(nth, [&] { queue.add_after(lost, 1s); });
        queue.add_after(other, 2s);
        run.advance(3s);
        CHECK(queue.stats().delayed == 0);
        CHECK(queue.len() >= 1);
    }
}

TEST_CASE("workqueue: delayed keys become ready after the timer has run out of memory", "[workqueue]")
{
    for (int reading = 1; reading <= 4; ++reading) {
        for (std::uint64_t nth = 1; nth <= 4; ++nth) { // later ones are those of Asio, which does not survive them
            CAPTURE(reading, nth);
            testing::runner run;
            create_strand_mutexes(run.executor());
            const auto clock = std::make_shared<failing_clock>(run.shared_clock());
            workqueue<std::string> queue(run.executor(), {.time = clock});
            int done = 0;
            std::vector<testing::task<void>> workers;
            for (int n = 0; n < 3; ++n)
                workers.push_back(run.spawn([](auto& q, int& count) -> boost::asio::awaitable<result<>> {
                    for (;;) {
                        auto getting = q.get();
                        auto item = co_await std::move(getting);
                        if (!item) co_return result<>{};
                        ++count;
                        item->succeeded();
                    }
                }(queue, done)));
            run.run_until_idle();
            queue.add_after("first", 1s);
            run.run_until_idle();
            for (int n = 0; n < 3; ++n) queue.add_after("another" + std::to_string(n), 2s);
            clock->fail_after(reading, nth);
            for (int n = 0; n < 2; ++n) {
                try { // a notification is posted, and may fail outside of any coroutine
                    run.advance(4s);
                } catch (const std::bad_alloc&) {
                }
            }
            fail_allocation(0);
            queue.add_after("late", 1s);
            run.advance(2s);
            CHECK(done == 5);
            CHECK(queue.stats().delayed == 0);
            queue.shut_down();
            run.run_until_idle();
        }
    }
}
