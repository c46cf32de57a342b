// Candidates and leaders: what they read and write, and when the leadership is lost.
#include "election_script.hpp"

#include <algorithm>
#include <limits>
#include <vector>

using namespace election_core_test;

TEST_CASE("leader election core: creates a lease that does not exist, and leads", "[election]")
{
    script s;
    CHECK(s.expect<step::get>().limit == 5s);
    CHECK(!s.expect<step::wait>().until); // one request at a time
    s.fail(cond::not_found);
    const auto made = s.expect<step::create>();
    CHECK(made.what.holder == me);
    CHECK(made.what.duration_seconds == 15);
    CHECK(made.what.transitions == 0);
    CHECK(made.what.acquires);
    s.accept(made.what);
    CHECK(s.expect<step::announce>().leader == me);
    const auto start = s.expect<step::start_work>();
    CHECK(start.lease.resource_version == "101");
    CHECK(s.core.phase() == election_phase::leading);
    CHECK(s.core.leads_until() == s.now + 10s);
    CHECK(s.wait_until() == s.now + 2s);
}

TEST_CASE(
    "leader election core: a lease that cannot be created, as its namespace is missing, is trouble until it is there",
    "[election]")
{
    script s;
    s.expect<step::get>();
    s.fail(cond::not_found);
    CHECK_FALSE(s.core.trouble()); // the first candidate finds no Lease
    s.expect<step::create>();
    s.fail(cond::not_found);
    CHECK(s.core.trouble() == cond::not_found);
    s.now = s.wait_until();
    s.expect<step::get>();
    s.fail(cond::not_found);
    CHECK(s.core.trouble() == cond::not_found);
    s.accept(s.expect<step::create>().what);
    CHECK_FALSE(s.core.trouble());
    s.expect<step::announce>();
    s.expect<step::start_work>();

    s.now = s.wait_until();
    s.expect<step::update>();
    s.fail(cond::not_found); // somebody has deleted the Lease: it is created again
    CHECK_FALSE(s.core.trouble());
}

TEST_CASE("leader election core: a lease that is held is left alone until its own duration has passed since it changed",
          "[election]")
{
    script s;
    s.expect<step::get>();
    const auto held = s.lease(other, 40);
    s.answer(held);
    CHECK(s.expect<step::announce>().leader == other);
    const auto seen = s.now;
    // The times in the record say nothing: only that it does not change.
    while (s.now < seen + 40s) {
        s.now = s.wait_until();
        if (s.now >= seen + 40s) break;
        s.expect<step::get>();
        s.answer(held);
    }
    CHECK(s.now <= seen + 40s + 500ms); // a quarter of the retry period
    s.expect<step::get>();
    s.answer(held);
    const auto taken = s.expect<step::update>();
    CHECK(taken.what.transitions == 4);
    CHECK(taken.what.acquires);
    CHECK(taken.what.duration_seconds == 15);
}

TEST_CASE("leader election core: each change of the record begins its time again, a change of anything else does not",
          "[election]")
{
    script s;
    s.expect<step::get>();
    auto held = s.lease(other, 15);
    s.answer(held);
    s.expect<step::announce>();
    s.now += 14s;
    s.expect<step::get>();
    held.resource_version = "500"; // a label
    s.answer(held);
    s.now = s.wait_until();
    CHECK(s.now < time_point{1015s + 600ms});
    s.expect<step::get>();
    s.answer(held);
    s.expect<step::update>();

    script t;
    t.expect<step::get>();
    t.answer(t.lease(other, 15));
    t.expect<step::announce>();
    t.now += 14s;
    t.expect<step::get>();
    t.answer(t.lease(other, 15)); // renewed
    t.now += 14s;
    t.expect<step::get>();
    t.answer(t.lease(other, 15));
    CHECK(t.wait_until() > t.now);
}

TEST_CASE("leader election core: attempts are 2 to 4.4 s apart, and cannot be predicted", "[election]")
{
    script s;
    std::vector<duration> pauses;
    for (int i = 0; i < 200; ++i) {
        s.expect<step::get>();
        s.fail(cond::unreachable);
        const auto next = s.wait_until();
        pauses.push_back(next - s.now);
        s.now = next;
    }
    const auto [least, most] = std::minmax_element(pauses.begin(), pauses.end());
    CHECK(*least >= 2s);
    CHECK(*least < 2100ms);
    CHECK(*most <= 4400ms);
    CHECK(*most > 4300ms);
}

TEST_CASE("leader election core: an empty holder is free at once, whatever the rest says", "[election]")
{
    script s;
    s.expect<step::get>();
    s.answer(s.lease("", 86400));
    CHECK(s.expect<step::update>().what.transitions == 4);
}

TEST_CASE("leader election core: its own record of before a restart is taken over without a transition", "[election]")
{
    script s;
    s.expect<step::get>();
    s.answer(s.lease(me, 15, 7));
    s.expect<step::announce>();
    const auto taken = s.expect<step::update>();
    CHECK(taken.what.transitions == 7);
    CHECK(!taken.what.acquires);
}

TEST_CASE("leader election core: a record without a sensible duration is given the candidate's own", "[election]")
{
    for (const std::int32_t seconds : {0, -1}) { // read_lease() makes 0 of everything that is no positive number
        script s;
        s.expect<step::get>();
        const auto held = s.lease(other, seconds);
        s.answer(held);
        s.expect<step::announce>();
        s.now += 14s;
        s.expect<step::get>();
        s.answer(held);
        s.now = s.wait_until();
        CHECK(s.now >= time_point{1015s});
        s.expect<step::get>();
        s.answer(held);
        s.expect<step::update>();
    }
}

TEST_CASE("leader election core: transitions do not overflow", "[election]")
{
    script s;
    s.expect<step::get>();
    s.answer(s.lease("", 1, std::numeric_limits<std::int32_t>::max()));
    CHECK(s.expect<step::update>().what.transitions == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("leader election core: the loser of a race waits for the winner", "[election]")
{
    for (const auto lost_by : {cond::conflict, cond::already_exists, cond::timed_out}) {
        script s;
        s.expect<step::get>();
        s.answer(s.lease(""));
        s.expect<step::update>();
        s.fail(lost_by);
        CHECK(s.core.phase() == election_phase::candidate);
        CHECK(s.core.trouble().has_value() == (lost_by == cond::timed_out));
        s.now = s.wait_until();
        s.expect<step::get>();
        s.answer(s.lease(other));
        CHECK(s.expect<step::announce>().leader == other);
        CHECK(s.wait_until() > s.now);
    }
}

TEST_CASE("leader election core: a write whose answer was lost makes a leader when it is seen", "[election]")
{
    script s;
    s.expect<step::get>();
    s.answer(s.lease(""));
    const auto sent = s.expect<step::update>();
    s.now += 5s;
    s.fail(cond::timed_out);
    s.now = s.wait_until();
    s.expect<step::get>();
    s.answer(s.lease(me, 15, sent.what.transitions));
    s.expect<step::announce>();
    const auto again = s.expect<step::update>(); // by which its own time begins
    CHECK(again.what.transitions == sent.what.transitions);
    s.accept(again.what);
    s.expect<step::start_work>();
}

TEST_CASE("leader election core: an answer that says another holder makes no leader", "[election]")
{
    script s;
    s.expect<step::get>();
    s.answer(s.lease(""));
    s.expect<step::update>();
    s.answer(s.lease(other)); // a webhook, or a server that lies
    s.expect<step::announce>();
    CHECK(s.core.phase() == election_phase::candidate);
    s.wait_until();
}

TEST_CASE("leader election core: an acquisition that took longer than the deadline is no leadership", "[election]")
{
    auto slow = usual();
    slow.request_limit = 60s;
    script s(slow);
    s.expect<step::get>();
    s.answer(s.lease(""));
    const auto sent = s.expect<step::update>();
    s.now += 10s;
    s.accept(sent.what);
    s.expect<step::announce>();
    CHECK(s.core.phase() == election_phase::candidate);
    s.now = s.wait_until();
    s.expect<step::get>();
}

TEST_CASE("leader election core: renews without a read, and its time counts from the sending", "[election]")
{
    script s;
    s.lead();
    for (int i = 0; i < 5; ++i) {
        s.now = s.wait_until();
        const auto sent = s.now;
        const auto renewed = s.expect<step::update>();
        CHECK(renewed.what.holder == me);
        CHECK(!renewed.what.acquires);
        CHECK(renewed.what.transitions == 0);
        s.now += 1s;
        s.accept(renewed.what);
        CHECK(s.core.leads_until() == sent + 10s);
        CHECK(s.wait_until() == sent + 2s);
    }
    CHECK(s.core.slow_renewals() == 0);
}

TEST_CASE("leader election core: after a conflict it reads and renews at once, which is counted", "[election]")
{
    script s;
    s.lead();
    s.now = s.wait_until();
    s.expect<step::update>();
    s.fail(cond::conflict);
    s.expect<step::get>();
    CHECK(s.core.slow_renewals() == 1);
    s.answer(s.lease(me, 15, 0)); // a label was set
    const auto renewed = s.expect<step::update>();
    CHECK(!renewed.what.acquires);
    s.accept(renewed.what);
    CHECK(s.core.phase() == election_phase::leading);
    s.now = s.wait_until();
    s.expect<step::update>(); // the fast way again
}

TEST_CASE("leader election core: renewals that fail are tried until the deadline, requests included", "[election]")
{
    script s;
    s.lead();
    const auto renewed = s.now;
    s.now = s.wait_until();
    CHECK(s.expect<step::update>().limit == 5s);
    s.now += 5s; // 7 s after the last success
    s.fail(cond::timed_out);
    CHECK(s.expect<step::get>().limit == 3s); // no longer than it leads
    CHECK(s.wait_until() == renewed + 10s);
    s.now = renewed + 10s;
    const auto why = s.lost();
    CHECK(why == cond::timed_out);
    CHECK(why.message().find("no renewal for 10 s") != std::string::npos);
    // Whatever the request brings: it is over.
    s.answer(s.lease(me, 15, 0));
    CHECK(!s.expect<step::wait>().until);
}

TEST_CASE("leader election core: quick failures are repeated every retry period", "[election]")
{
    script s;
    s.lead();
    s.now = s.wait_until();
    s.expect<step::update>();
    s.fail(cond::unreachable);
    int reads = 0;
    while (s.core.phase() == election_phase::leading) {
        auto next = s.core.next(s.now);
        if (const auto* w = std::get_if<step::wait>(&next)) {
            s.now = *w->until;
            continue;
        }
        if (!std::holds_alternative<step::get>(next)) break;
        ++reads;
        s.fail(cond::unreachable);
    }
    CHECK(reads == 4); // after 2, 4, 6 and 8 s
}

TEST_CASE("leader election core: another holder ends the leadership at once, and nothing is released", "[election]")
{
    script s;
    s.lead();
    s.now = s.wait_until();
    s.expect<step::update>();
    s.fail(cond::conflict);
    s.expect<step::get>();
    s.answer(s.lease(other));
    CHECK(s.expect<step::announce>().leader == other);
    const auto why = s.lost();
    CHECK(why == cond::conflict);
    CHECK(why.message().find(other) != std::string::npos);
    CHECK(!s.expect<step::wait>().until); // for the work, however long it takes
    s.core.work_ended(s.now);
    s.expect<step::step_down>();
    const auto end = s.expect<step::finish>();
    REQUIRE(!end.outcome.has_value());
    CHECK(end.outcome.error() == cond::conflict);
}

TEST_CASE("leader election core: the name of another holder is cut and made printable", "[election]")
{
    script s;
    s.lead();
    s.now = s.wait_until();
    s.expect<step::update>();
    s.fail(cond::conflict);
    s.expect<step::get>();
    const auto huge = "\x1b[2J" + std::string(100'000, 'x');
    s.answer(s.lease(huge.c_str()));
    s.expect<step::announce>();
    const auto why = s.lost();
    CHECK(why.message().size() < 300);
    CHECK(why.message().find('\x1b') == std::string::npos);
}

TEST_CASE("leader election core: a holder that was emptied or deleted by hand is taken again", "[election]")
{
    script s;
    s.lead();
    s.now = s.wait_until();
    s.expect<step::update>();
    s.fail(cond::conflict);
    s.expect<step::get>();
    s.answer(s.lease("", 15, 5));
    const auto again = s.expect<step::update>();
    CHECK(again.what.acquires);
    CHECK(again.what.transitions == 6);
    s.accept(again.what);
    CHECK(s.core.phase() == election_phase::leading);

    s.now = s.wait_until();
    s.expect<step::update>();
    s.fail(cond::not_found);
    s.expect<step::get>();
    s.fail(cond::not_found);
    const auto made = s.expect<step::create>();
    CHECK(made.what.transitions == 6);
    s.fail(cond::already_exists); // somebody was faster
    s.now = s.wait_until();
    s.expect<step::get>();
    s.answer(s.lease(other));
    s.expect<step::announce>();
    CHECK(s.lost() == cond::conflict);
}

TEST_CASE("leader election core: a server that was restored from a backup has lower versions, and they count",
          "[election]")
{
    script s;
    s.core.watched(true);
    s.version = 5'000;
    s.expect<step::get>();
    s.answer(s.lease(other));
    s.expect<step::announce>();
    s.now = s.wait_until();

    // The same Lease as it was long ago. Its holder has died meanwhile.
    s.version = 200;
    const auto restored = s.lease(other);
    s.core.watched(false);
    s.expect<step::get>();
    s.answer(restored);
    const auto begun = s.now;
    int reads = 0;
    for (;;) {
        auto next = s.core.next(s.now);
        if (const auto* w = std::get_if<step::wait>(&next)) {
            s.now = *w->until;
        } else if (std::holds_alternative<step::get>(next)) {
            s.answer(restored);
            REQUIRE(++reads < 20);
        } else {
            REQUIRE(std::holds_alternative<step::update>(next));
            break;
        }
    }
    CHECK(s.now >= begun + 15s);
    CHECK(s.now <= begun + 16s);
}

TEST_CASE("leader election core: an answer that is older than what a watch has shown meanwhile does not count",
          "[election]")
{
    script s;
    s.core.watched(true);
    s.expect<step::get>();
    const auto before = s.lease("");
    s.core.seen(s.now, s.lease(other));
    s.answer(before);
    s.expect<step::announce>();
    CHECK(s.wait_until() > s.now + 5s);
    CHECK(s.core.leader() == other);
}
