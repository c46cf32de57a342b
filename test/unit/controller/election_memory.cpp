// Elections in which one allocation fails, at every possible point of a step.
#include "election_fixture.hpp"
#include "election_script.hpp"
#include "failing_clock.hpp"

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

TEST_CASE("leader elector memory: work that cannot be started is started later, and never runs without the lease",
          "[election][memory]")
{
    int terms = 0;
    for (std::uint64_t nth = 1; nth <= 9; ++nth) {
        CAPTURE(nth);
        fixture f;
        create_strand_mutexes(f.run.executor());
        candidate a(f.api, "a");
        a.when_started = [nth] { fail_allocation(nth); };
        a.start(f.run);
        for (int i = 0; i < 40; ++i) {
            pass(f, 50ms);
            CHECK((!a.working || (f.api.holder() == "a" && a.elector.leads())));
        }
        CHECK(std::count(a.events.begin(), a.events.end(), "started") == 1);
        terms += a.working ? 1 : 0;
        CHECK(f.run.run(a.elector.stop()).has_value());
        CHECK(f.api.holder().empty());
        CHECK(!a.working);
    }
    CHECK(terms == 9);
}

TEST_CASE("leader elector memory: a renewal that runs out of memory is repeated, and the elector can stop",
          "[election][memory]")
{
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
            CHECK(a.working);
            CHECK(f.api.holder() == me);
            CHECK(f.api.number("spec.leaseTransitions") == 0);
            CHECK(f.run.run(a.elector.stop()).has_value());
            CHECK(f.api.holder().empty());
        }
    }
}

TEST_CASE("leader elector memory: a candidate whose watch has no memory for an event watches again",
          "[election][memory]")
{
    int lost = 0;
    for (std::uint64_t nth = 1; nth <= 4; ++nth) {
        CAPTURE(nth);
        fixture f;
        create_strand_mutexes(f.run.executor());
        candidate a(f.api, std::string(40, 'a'));
        a.start(f.run);
        f.time_until([&] { return a.working; });
        const auto clock = std::make_shared<failing_clock>(f.run.shared_clock());
        candidate b(f.api, "b", {.time = clock});
        b.start(f.run);
        f.run.advance(5s);
        clock->fail_after(1, nth); // the watch reads it with each event
        pass(f, 5s);
        lost += b.log.count("a watch of leases failed") != 0 ? 1 : 0;
        CHECK(f.run.run(a.elector.stop()).has_value());
        CHECK(f.time_until([&] { return b.working; }) < 1s); // and not when the Lease would have expired
        CHECK(f.run.run(b.elector.stop()).has_value());
    }
    CHECK(lost > 0);
}
