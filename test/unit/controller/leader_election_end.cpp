// The stop, the release, and what a watch shows.
#include "election_script.hpp"

#include <limits>
#include <utility>

using namespace election_core_test;

TEST_CASE("leader election core: after a stop the work gets its grace period, and the lease is renewed meanwhile",
          "[election]")
{
    script s;
    s.lead();
    s.core.stop(s.now);
    CHECK(s.expect<step::end_work>().why.has_value());
    CHECK(s.core.phase() == election_phase::ending);
    const auto stopped = s.now;
    int renewals = 0;
    bool cancelled = false;
    while (s.now < stopped + 60s) {
        auto next = s.core.next(s.now);
        if (const auto* w = std::get_if<step::wait>(&next)) s.now = *w->until;
        if (std::holds_alternative<step::cancel_work>(next)) {
            CHECK(!std::exchange(cancelled, true));
            CHECK(s.now == stopped + 25s);
        }
        if (const auto* u = std::get_if<step::update>(&next)) {
            ++renewals;
            CHECK(u->what.holder == me);
            s.accept(u->what);
        }
    }
    CHECK(cancelled);
    CHECK(renewals == 29);
    s.core.work_ended(s.now);
    s.expect<step::step_down>();
    s.expect<step::get>();
}

TEST_CASE("leader election core: a stop at once cancels the work at once, also during the grace period", "[election]")
{
    script s;
    s.lead();
    s.core.stop_at_once(s.now);
    s.expect<step::end_work>();
    s.expect<step::cancel_work>();
    s.wait_until();

    script t;
    t.lead();
    t.core.stop(t.now);
    t.expect<step::end_work>();
    t.wait_until();
    t.core.stop_at_once(t.now);
    t.expect<step::cancel_work>();
    t.core.stop_at_once(t.now); // nothing more
    t.wait_until();
}

TEST_CASE("leader election core: releases after the work has ended, with a read before the write", "[election]")
{
    script s;
    s.lead();
    s.core.stop(s.now);
    s.expect<step::end_work>();
    s.core.work_ended(s.now);
    s.expect<step::step_down>();
    CHECK(s.core.phase() == election_phase::releasing);
    s.expect<step::get>();
    s.answer(s.lease(me, 15, 0));
    const auto released = s.expect<step::update>();
    CHECK(released.what.holder.empty());
    CHECK(released.what.duration_seconds == 1);
    CHECK(released.what.transitions == 0);
    CHECK(released.what.acquires);
    s.accept(released.what);
    CHECK(s.expect<step::finish>().outcome.has_value());
    CHECK(s.expect<step::finish>().outcome.has_value()); // as often as it is asked
}

TEST_CASE("leader election core: a release that meets another writer is repeated", "[election]")
{
    script s;
    s.lead();
    s.core.work_ended(s.now);
    s.expect<step::step_down>();
    for (int i = 0; i < 3; ++i) {
        s.expect<step::get>();
        s.answer(s.lease(me, 15, 0));
        s.expect<step::update>();
        s.fail(cond::conflict);
    }
    s.expect<step::get>();
    s.answer(s.lease(other)); // it is not ours to release
    s.expect<step::announce>();
    s.expect<step::finish>();
}

TEST_CASE("leader election core: a release ends with the lease", "[election]")
{
    script s;
    s.lead();
    const auto wrote = s.now;
    s.now += 1s;
    s.core.work_ended(s.now);
    s.expect<step::step_down>();
    int reads = 0;
    for (;;) {
        auto next = s.core.next(s.now);
        if (std::holds_alternative<step::finish>(next)) break;
        if (const auto* w = std::get_if<step::wait>(&next)) s.now = *w->until;
        if (std::holds_alternative<step::get>(next)) {
            ++reads;
            s.fail(cond::unreachable);
        }
    }
    CHECK(reads == 5);
    CHECK(s.now == wrote + 11s); // the renew deadline after the end of the work
    script gone;
    gone.lead();
    gone.core.work_ended(gone.now);
    gone.expect<step::step_down>();
    gone.expect<step::get>();
    gone.fail(cond::not_found);
    gone.expect<step::finish>();
}

TEST_CASE("leader election core: without release the lease is left to expire", "[election]")
{
    auto keep = usual();
    keep.release = false;
    script s(keep);
    s.lead();
    s.core.work_ended(s.now);
    s.expect<step::step_down>();
    s.expect<step::finish>();
}

TEST_CASE("leader election core: a candidate that stops abandons its read, but awaits its write", "[election]")
{
    script reading;
    reading.expect<step::get>();
    reading.core.stop(reading.now);
    reading.expect<step::abandon_request>();
    CHECK(!reading.expect<step::wait>().until);
    reading.fail(cond::cancelled);
    reading.expect<step::finish>();

    script writing;
    writing.expect<step::get>();
    writing.answer(writing.lease(""));
    const auto sent = writing.expect<step::update>();
    writing.core.stop(writing.now);
    CHECK(!writing.expect<step::wait>().until);
    writing.accept(sent.what); // it would have led
    writing.expect<step::announce>();
    writing.expect<step::get>();
    writing.answer(writing.lease(me));
    CHECK(writing.expect<step::update>().what.holder.empty());

    script resting;
    resting.expect<step::get>();
    resting.fail(cond::unreachable);
    resting.core.stop(resting.now);
    resting.expect<step::finish>();
}

TEST_CASE("leader election core: a watch shows a release at once, and then the candidate reads first", "[election]")
{
    script s;
    s.expect<step::get>();
    s.answer(s.lease(other));
    s.expect<step::announce>();
    s.core.watched(true);
    s.now += 1s;
    s.core.seen(s.now, s.lease(other)); // a renewal: the next attempt is when it expires
    const auto next = s.wait_until();
    CHECK(next >= s.now + 15s);
    CHECK(next <= s.now + 15s + 500ms);
    s.now += 1s;
    s.core.seen(s.now, s.lease(""));
    CHECK(s.wait_until() <= s.now + 200ms); // a tenth of the retry period
    s.now = s.wait_until();
    s.expect<step::get>();
}

TEST_CASE("leader election core: a watched lease with an absurd duration is still read from time to time", "[election]")
{
    script s;
    s.core.watched(true);
    s.expect<step::get>();
    s.answer(s.lease(other, std::numeric_limits<std::int32_t>::max()));
    s.expect<step::announce>();
    CHECK(s.wait_until() <= s.now + 33s);
    s.core.watched(false);
    s.core.seen(s.now, s.lease(other, std::numeric_limits<std::int32_t>::max()));
    CHECK(s.wait_until() <= s.now + 4400ms);
}

TEST_CASE("leader election core: what a watch shows late changes nothing", "[election]")
{
    script s;
    s.expect<step::get>();
    const auto old = s.lease("long ago");
    s.answer(s.lease(other));
    s.expect<step::announce>();
    const auto next = s.wait_until();
    s.core.seen(s.now + 1s, old);
    CHECK(s.core.leader() == other);
    CHECK(s.wait_until() == next);
}

TEST_CASE("leader election core: an answer does not undo what a watch has shown since", "[election]")
{
    script s;
    s.core.watched(true);
    s.expect<step::get>();
    const auto read = s.lease(other);
    s.core.seen(s.now, s.lease("third"));
    s.expect<step::announce>();
    s.now += 1s;
    s.answer(read);
    CHECK(s.core.leader() == "third");
    const auto next = s.wait_until(); // when the Lease expires, by the time at which the watch showed it
    CHECK(next >= s.now + 14s);
    CHECK(next <= s.now + 14s + 500ms);
    s.now = next;
    s.expect<step::get>();
    const auto held = s.lease(other);
    s.core.seen(s.now, s.lease(""));
    s.answer(held);
    CHECK(s.core.leader().empty());
    CHECK(s.wait_until() <= s.now + 200ms); // a tenth of the retry period
    s.now = s.wait_until();
    s.expect<step::get>();
}

TEST_CASE("leader election core: a lease that is deleted while a request is in flight is free", "[election]")
{
    script s;
    s.core.watched(true);
    s.expect<step::get>();
    const auto former = s.lease(other, 15, 8);
    s.core.seen_deleted(s.now);
    s.answer(former); // was read before
    CHECK(s.core.leader().empty());
    CHECK(s.wait_until() <= s.now + 200ms);
    s.now = s.wait_until();
    s.expect<step::get>();
    s.answer(s.lease(""));
    s.expect<step::update>();
    s.core.seen_deleted(s.now);
    s.fail(cond::not_found);
    CHECK(s.wait_until() <= s.now + 200ms);
    s.now = s.wait_until();
    s.expect<step::get>();
    s.core.seen_deleted(s.now);
    s.fail(cond::not_found);
    s.expect<step::create>(); // at once
}

TEST_CASE("leader election core: a lease that is deleted is free", "[election]")
{
    script s;
    s.core.watched(true);
    s.expect<step::get>();
    s.answer(s.lease(other, 15, 8));
    s.expect<step::announce>();
    s.core.seen_deleted(s.now);
    s.now = s.wait_until();
    s.expect<step::get>();
    s.fail(cond::not_found);
    CHECK(s.expect<step::create>().what.transitions == 9); // goes on counting
}

TEST_CASE("leader election core: a leader takes nothing from a watch", "[election]")
{
    script s;
    s.lead();
    s.core.seen(s.now, s.lease(other));
    s.core.seen_deleted(s.now);
    CHECK(s.core.leader() == me);
    CHECK(s.core.phase() == election_phase::leading);
}
