// Allocations that fail: a key is queued or it is not, and the queue goes on.
#include "queue_fixture.hpp"

#include <kubecoro/test/allocations.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/strand.hpp>

#include <cstdint>
#include <new>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
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

/// Creates the mutexes that the strands of a context share: Boost 1.81 crashes if there is no memory for one of these.
void create_strand_mutexes(const boost::asio::any_io_executor& executor)
{
    std::vector<boost::asio::any_io_executor> strands;
    for (int n = 0; n < 4'000; ++n) strands.emplace_back(boost::asio::make_strand(executor));
}

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
        thrown = fails(nth, [&] { queue.add_after(lost, 1s); });
        CHECK(queue.stats().keys == queue.stats().delayed);
        queue.add_after(other, 2s);
        run.advance(3s);
        CHECK(queue.stats().delayed == 0);
        CHECK(queue.len() >= 1);
        while (auto item = queue.try_get()) item->succeeded();
        CHECK(queue.stats().keys == 0);
    }
}
