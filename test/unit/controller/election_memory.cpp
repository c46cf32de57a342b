// Elections with a failure of their own: they end, at once and visibly.
#include "election_fixture.hpp"
#include "election_script.hpp"
#include "failing_clock.hpp"

#include <kubecoro/test/failing_timers.hpp>

#include <algorithm>
#include <new>

using namespace election_test;
namespace step = kubecoro::detail::election_step;
using kubecoro::detail::election_phase;
using kubecoro::test::create_strand_mutexes;
using kubecoro::test::fail_allocation;
using kubecoro::test::failing_clock;

namespace {

/// Some allocations of the test's own context and server fail outside of any coroutine.
void pass(fixture& f, duration d)
{
    const auto until = f.run.clock().now() + d;
    while (f.run.clock().now() < until) {
        try {
            f.run.advance(until - f.run.clock().now());
        } catch (const std::bad_alloc&) {
        }
    }
    fail_allocation(0);
}

} // namespace

TEST_CASE("leader election core: a decision for which there is no memory is made again", "[election][memory]")
{
    auto settings = election_core_test::usual();
    settings.identity = std::string(40, 'a');
    const auto decide = [](election_core_test::script& s, std::uint64_t nth) {
        fail_allocation(nth);
        try {
            auto made = s.core.next(s.now);
            fail_allocation(0);
            return made;
        } catch (const std::bad_alloc&) {
            return s.core.next(s.now);
        }
    };
    for (std::uint64_t nth = 1; nth <= 8; ++nth) {
        CAPTURE(nth);
        election_core_test::script s(settings);
        s.expect<step::get>();
        s.answer(s.lease(""));
        CHECK(std::holds_alternative<step::update>(decide(s, nth)));
        s.core.unanswered(s.now); // dies
        s.now = s.wait_until();
        s.expect<step::get>();
        s.fail(cond::not_found);
        const auto made = s.expect<step::create>();
        s.accept(made.what);
        s.expect<step::announce>();
        s.expect<step::start_work>();
        s.now = s.wait_until();
        s.expect<step::update>();
        s.core.unanswered(s.now);
        s.expect<step::get>();
        s.now += 10s;
        CHECK(std::holds_alternative<step::end_work>(decide(s, nth)));
        auto next = s.core.next(s.now);
        if (std::holds_alternative<step::end_work>(next)) next = s.core.next(s.now); // is given twice then
        CHECK(std::holds_alternative<step::cancel_work>(next));
        CHECK(s.core.phase() == election_phase::lost);
    }
}

TEST_CASE("leader elector ends: a timer that throws cancels the work, and ends the election", "[election][ends]")
{
    fixture f;
    const auto time = std::make_shared<kubecoro::test::failing_timers>(f.run.shared_clock());
    candidate a(f.api, "a", {.time = time});
    a.start(f.run);
    f.time_until([&] { return a.working; });
    CHECK(a.elector.leads());
    time->fail();
    f.run.advance(20s);
    REQUIRE(a.running.done());
    CHECK(a.running.outcome().error() == cond::internal);
    CHECK(a.running.outcome().error().describe().find("a broken timer") != std::string::npos);
    CHECK_FALSE(a.working);
    CHECK_FALSE(a.elector.leads());
    REQUIRE(a.elector.stats().trouble);
    CHECK(describe(a.elector.stats()).find("the leader election has ended") != std::string::npos);
    CHECK(a.log.count("a loop failed and has ended its owner") == 1);
    CHECK(a.log.count(log_level::error) == 1);
    CHECK(a.numbers->value("kubecoro_ended_owners_total", {{"owner", "election"}, {"name", "janitor"}}) == 1);
    CHECK(a.numbers->value("leader_election_master_status") == 0);
    CHECK(std::count(a.events.begin(), a.events.end(), "stopped") == 1);

    candidate b(f.api, "b"); // the Lease was not given up
    b.start(f.run);
    CHECK(f.time_until([&] { return b.working; }) < 20s);
    f.end(b);
    f.end(a);
}

TEST_CASE("leader elector ends: an allocation that fails ends the election, or does no harm",
          "[election][ends][memory]")
{
    int ended = 0;
    const std::string me(40, 'a');           // is copied with an allocation
    for (const int reading : {1, 3, 4, 5}) { // the allocations after the second one are those of Asio
        for (std::uint64_t nth = 1; nth <= 5; ++nth) {
            CAPTURE(reading, nth);
            fixture f;
            create_strand_mutexes(f.run.executor());
            const auto clock = std::make_shared<failing_clock>(f.run.shared_clock());
            candidate a(f.api, me, {.time = clock});
            a.start(f.run);
            f.time_until([&] { return a.working; });
            clock->fail_after(reading, nth);
            pass(f, 1min);
            if (a.running.done()) {
                ++ended;
                CHECK(a.running.outcome().error() == cond::internal);
                CHECK_FALSE(a.working);
                CHECK(a.log.count(log_level::error) == 1);
            } else {
                CHECK(a.working);
                CHECK(f.api.holder() == me);
                CHECK(f.run.run(a.elector.stop()).has_value());
                CHECK(f.api.holder().empty());
            }
        }
    }
    CHECK(ended >= 1);
}
