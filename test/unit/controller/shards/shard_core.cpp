// One member: how it joins, moves to another view, is cut off, and leaves.
#include "shard_script.hpp"

using namespace shard_core_test;

TEST_CASE("shard core: joins with the members that it has seen, and works once all claims are known", "[shards]")
{
    script s;
    s.write(other, "other", view_of({other}));
    s.list();
    CHECK(s.expect<step::create>().view == view_of({me, other}));
    s.core.written(s.now, s.write(me, "me_1", view_of({me, other})));
    CHECK_FALSE(s.core.works(s.now));
    s.list();
    CHECK(s.core.works(s.now));
    // The other one claims everything until it has seen this one.
    const auto first = s.drain();
    CHECK(covered(first.share) == 0);
    CHECK_FALSE(s.core.settled());
    s.core.seen(s.now, s.write(other, "other", view_of({me, other})));
    const auto second = s.drain();
    CHECK(covered(second.share) > 400);
    CHECK(covered(second.share) < 600);
    CHECK(s.core.settled());
}

TEST_CASE(
    "shard core: a member whose Lease cannot be created, as its namespace is missing, is in trouble until it is made",
    "[shards]")
{
    script s;
    s.list();
    for (int attempt = 0; attempt < 2; ++attempt) {
        s.expect<step::create>();
        s.core.written(s.now, failure(cond::not_found));
        CHECK(s.core.trouble() == cond::not_found);
        if (attempt == 1) s.now = s.wait_until();
        s.list(); // a server lists a namespace that is missing
        CHECK(s.core.trouble() == cond::not_found);
    }
    s.accept_create();
    CHECK_FALSE(s.core.trouble());
}

TEST_CASE("shard core: a key that moves away is claimed until its runs have ended, then the others may have it",
          "[shards]")
{
    script s;
    CHECK(covered(s.join()) == 1000);
    s.core.seen(s.now, s.write(other, "other", view_of({me, other})));
    const auto narrowed = s.expect<step::assign>();
    CHECK(narrowed.patience == 20s);
    CHECK(covered(narrowed.share) < 600);
    s.now = s.wait_until();
    CHECK(s.accept_update() == view_of({me})); // a renewal meanwhile
    s.core.drained(narrowed.epoch - 1);        // of an assignment before
    CHECK(s.wait_until() == s.now + 2s);
    s.core.drained(narrowed.epoch);
    CHECK(s.accept_update() == view_of({me, other}));
    s.list();
    CHECK(covered(s.drain().share) == covered(narrowed.share));
    s.expect<step::wait>();
    CHECK(s.core.settled());
}

TEST_CASE("shard core: a member that has gone is replaced after a write and a list", "[shards]")
{
    script s;
    s.write(other, "other", view_of({me, other}));
    const auto before = s.join();
    CHECK(covered(before) < 600);
    s.core.seen_deleted(other, "another uid");
    s.expect<step::wait>();
    const auto uid = s.leases[other].uid;
    s.leases.erase(other);
    s.core.seen_deleted(other, uid);
    CHECK(s.drain().share.within.size() == 2); // not more than before
    CHECK(s.accept_update() == view_of({me}));
    CHECK(s.core.works(s.now));
    s.list();
    CHECK(covered(s.drain().share) == 1000);
}

TEST_CASE("shard core: an expired Lease is deleted at the version that was seen, and not before its own duration",
          "[shards]")
{
    script s;
    s.write(other, "other", view_of({me, other})).record.duration_seconds = 40;
    s.join();
    const auto seen = s.now;
    while (s.now < seen + 40s) {
        s.now = s.wait_until();
        if (s.now >= seen + 40s) break;
        auto next = s.core.next(s.now);
        if (std::holds_alternative<step::list>(next))
            s.answer_list();
        else
            s.core.written(s.now, s.write(me, "me_1", std::get<step::update>(next).view));
    }
    CHECK(s.now <= seen + 40s + 500ms);
    auto next = s.core.next(s.now);
    if (std::holds_alternative<step::update>(next)) {
        s.core.written(s.now, s.write(me, "me_1", std::get<step::update>(next).view));
        s.now = s.wait_until();
        next = s.core.next(s.now);
    }
    REQUIRE(std::holds_alternative<step::remove>(next));
    CHECK(std::get<step::remove>(next).resource_version == s.leases[other].resource_version);
    CHECK(std::get<step::remove>(next).uid == s.leases[other].uid);

    SECTION("it is gone")
    {
        s.core.removed(s.now, {});
        CHECK(s.core.evictions() == 1);
        CHECK(s.core.members() == 1);
    }
    SECTION("it was renewed at the last moment")
    {
        s.core.removed(s.now, failure(cond::conflict));
        s.write(other, "other", view_of({me, other}));
        s.list();
        CHECK(s.core.evictions() == 0);
        CHECK(s.core.members() == 2);
    }
    SECTION("it may not be deleted: the attempts are rare, and the own Lease is renewed all the same")
    {
        s.core.removed(s.now, failure(cond::forbidden));
        CHECK(s.core.trouble() == cond::forbidden);
        int renewals = 0, attempts = 0;
        const auto begun = s.now;
        while (s.now < begun + 20s) {
            auto after = s.core.next(s.now);
            if (std::holds_alternative<step::wait>(after)) {
                s.now = *std::get<step::wait>(after).until;
            } else if (std::holds_alternative<step::remove>(after)) {
                ++attempts;
                s.core.removed(s.now, failure(cond::forbidden));
            } else if (std::holds_alternative<step::list>(after)) {
                s.answer_list();
            } else {
                ++renewals;
                s.core.written(s.now, s.write(me, "me_1", std::get<step::update>(after).view));
            }
        }
        CHECK(renewals >= 9);
        CHECK(attempts <= 11);
    }
}

TEST_CASE("shard core: work is suspended when the Lease was not renewed in time, and goes on after a renewal",
          "[shards]")
{
    script s;
    s.write(other, "other", view_of({me, other}));
    const auto share = s.join();
    const auto sent = s.now;
    s.now = s.wait_until();
    s.expect<step::update>();
    s.now = sent + 10s;
    CHECK_FALSE(s.core.works(s.now));
    const auto suspended = s.drain();
    CHECK(suspended.patience == 0s);
    CHECK(covered(suspended.share) == 0);
    CHECK(s.core.suspensions() == 1);
    s.core.written(s.now, failure(cond::unreachable));
    s.now += 30s;
    s.expect<step::list>();
    s.core.listed(s.now, failure(cond::unreachable));
    s.now = s.wait_until();
    s.list();
    // The other one has not renewed for 40 s, as far as this one can tell. That is no reason to delete its Lease.
    CHECK(s.accept_update() == view_of({me, other}));
    CHECK(s.drain().share == share);
    CHECK(s.wait_until() == s.now + 2s);
    CHECK(s.core.losses() == 0);
}

TEST_CASE("shard core: one that was deleted cancels its runs, awaits them, and joins again without claims", "[shards]")
{
    script s;
    s.join();
    s.core.seen_deleted(me, s.leases[me].uid);
    const auto lost = s.expect<step::assign>();
    CHECK(lost.patience == 0s);
    CHECK(covered(lost.share) == 0);
    CHECK(s.core.losses() == 1);
    s.leases.clear();
    s.write(other, "other", view_of({other}));
    s.list();
    CHECK_FALSE(s.expect<step::wait>().until); // its runs have not ended
    s.core.drained(lost.epoch);
    s.accept_create();
    s.list();
    CHECK(covered(s.drain().share) == 0);
}

TEST_CASE("shard core: a view whose write has no answer limits the work, and is written again until one holds",
          "[shards]")
{
    script s;
    s.join();
    s.core.seen(s.now, s.write(other, "other", view_of({me, other})));
    s.drain();
    CHECK(s.expect<step::update>().view == view_of({me, other}));
    s.core.written(s.now, failure(cond::timed_out));
    // The other one goes again at once.
    const auto uid = s.leases[other].uid;
    s.leases.erase(other);
    s.core.seen_deleted(other, uid);

    SECTION("it has not been stored, but may be later")
    {
        s.list();
        CHECK(s.accept_update() == view_of({me, other}));
        s.answer_list();
        CHECK(s.drain().share.within.size() == 2);
        CHECK(s.accept_update() == view_of({me}));
    }
    SECTION("it has been stored")
    {
        s.write(me, "me_1", view_of({me, other}));
        s.list();
        CHECK(s.drain().share.within.size() == 2);
        CHECK(s.accept_update() == view_of({me}));
        s.list();
        CHECK(covered(s.drain().share) == 1000);
    }
}

TEST_CASE("shard core: leaves when its runs have ended, and deletes its Lease", "[shards]")
{
    script s;
    s.join();
    s.core.stop();
    const auto ending = s.expect<step::assign>();
    CHECK(ending.patience == 20s);
    CHECK(covered(ending.share) == 0);
    s.now = s.wait_until();
    s.accept_update();
    s.core.drained(ending.epoch);
    const auto gone = s.expect<step::remove>();
    CHECK(gone.id == me);
    CHECK(gone.uid == s.leases[me].uid);
    SECTION("deleted") { s.core.removed(s.now, {}); }
    SECTION("deleted by another") { s.core.removed(s.now, failure(cond::not_found)); }
    SECTION("the server is away: it is left to the others")
    {
        s.core.removed(s.now, failure(cond::unreachable));
        while (s.core.phase() != shard_phase::over) {
            auto next = s.core.next(s.now);
            if (const auto* w = std::get_if<step::wait>(&next))
                s.now = *w->until;
            else
                s.core.removed(s.now, failure(cond::unreachable));
        }
        CHECK(s.now > time_point{1000s} + 5s);
        CHECK(s.now < time_point{1000s} + 20s);
        return;
    }
    s.expect<step::finish>();
}

TEST_CASE("shard core: runs that do not end in time are cancelled before it leaves", "[shards]")
{
    script s;
    s.join();
    s.core.stop();
    const auto ending = s.expect<step::assign>();
    s.core.stop_at_once();
    const auto at_once = s.expect<step::assign>();
    CHECK(at_once.patience == 0s);
    CHECK(at_once.epoch == ending.epoch + 1);
    s.core.drained(ending.epoch);
    s.expect<step::wait>();
    s.core.drained(at_once.epoch);
    s.expect<step::remove>();
}

TEST_CASE("shard core: one that stops before it has joined leaves no Lease behind", "[shards]")
{
    script s;
    SECTION("while it lists")
    {
        s.expect<step::list>();
        s.core.stop();
        s.answer_list();
    }
    SECTION("while it creates, which succeeds")
    {
        s.list();
        const auto made = s.expect<step::create>();
        s.core.stop();
        s.core.written(s.now, s.write(me, "me_1", made.view));
        s.expect<step::remove>();
        s.core.removed(s.now, {});
    }
    SECTION("while it creates, whose answer is lost")
    {
        s.list();
        const auto made = s.expect<step::create>();
        s.core.stop();
        s.write(me, "me_1", made.view);
        s.core.written(s.now, failure(cond::timed_out));
        s.list();
        CHECK(s.expect<step::remove>().resource_version == s.leases[me].resource_version);
        s.core.removed(s.now, {});
    }
    s.expect<step::finish>();
}

TEST_CASE("shard core: the name of another process is free when that has gone", "[shards]")
{
    script s;
    s.write(me, "me_0", view_of({me}));
    s.list();
    const auto until = s.wait_until();
    CHECK(until > s.now);
    SECTION("it leaves")
    {
        const auto uid = s.leases[me].uid;
        s.leases.clear();
        s.core.seen_deleted(me, uid);
    }
    SECTION("it has died")
    {
        const auto begun = s.now;
        for (;;) {
            auto next = s.core.next(s.now);
            if (std::holds_alternative<step::remove>(next)) break;
            if (const auto* w = std::get_if<step::wait>(&next))
                s.now = *w->until;
            else
                s.answer_list();
        }
        CHECK(s.now >= begun + 15s);
        s.leases.clear();
        s.core.removed(s.now, {});
    }
    s.accept_create();
}

TEST_CASE("shard core: a claim that cannot be read blocks what its member could have", "[shards]")
{
    script s;
    s.write(other, "other", {}).view.reset();
    CHECK(covered(s.join()) == 0);
    s.core.seen(s.now, s.write(other, "other", view_of({me, other})));
    CHECK(covered(s.drain().share) > 400);
}

TEST_CASE("shard core: a claim that cannot be read blocks keys until its Lease has expired, and an hour at most",
          "[shards]")
{
    const auto stated = GENERATE(15, 2'147'483'647);
    const duration limit = stated == 15 ? duration(15s) : duration(1h);
    script s;
    auto& unknown = s.write(other, "other", {});
    unknown.view.reset();
    unknown.record.duration_seconds = stated;
    const auto begun = s.now;
    CHECK(covered(s.join()) == 0);
    CHECK(s.core.unreadable() == std::vector<member_id>{other});
    for (;;) {
        auto next = s.core.next(s.now);
        if (const auto* w = std::get_if<step::wait>(&next))
            s.now = *w->until;
        else if (std::holds_alternative<step::list>(next))
            s.answer_list();
        else if (const auto* renewal = std::get_if<step::update>(&next))
            s.core.written(s.now, s.write(me, "me_1", renewal->view));
        else
            break;
        REQUIRE(s.now < begun + limit + 5s);
    }
    CHECK(s.now >= begun + limit);
    s.leases.erase(other);
    s.core.removed(s.now, {});
    CHECK(s.core.unreadable().empty());
    CHECK(covered(s.drain().share) > 400);
    CHECK(s.accept_update() == view_of({me}));
    s.list();
    CHECK(covered(s.drain().share) == 1000);
}

TEST_CASE("shard core: a server that was restored from a backup has lower versions, and they count", "[shards]")
{
    script s;
    s.version = 5'000;
    s.write(other, "other", view_of({other, me}));
    s.write(third, "third", view_of({other, me, third})); // joined after the backup
    s.join();
    CHECK(s.core.members() == 3);

    s.version = 200;
    s.leases.erase(third);
    s.write(other, "other", view_of({other, me}));
    s.write(me, "me_1", view_of({other, me}));
    s.core.watched(false);
    s.core.watched(true);
    s.list();
    CHECK(s.core.members() == 2);
    // Its renewals are seen by the watch, so that it stays.
    for (int i = 0; i < 20; ++i) {
        s.now += 1s;
        s.core.seen(s.now, s.write(other, "other", view_of({other, me})));
        for (;;) {
            auto next = s.core.next(s.now);
            if (std::holds_alternative<step::wait>(next)) break;
            REQUIRE_FALSE(std::holds_alternative<step::remove>(next));
            if (const auto* a = std::get_if<step::assign>(&next))
                s.core.drained(a->epoch);
            else if (std::holds_alternative<step::list>(next))
                s.answer_list();
            else
                s.core.written(s.now, s.write(me, "me_1", std::get<step::update>(next).view));
        }
    }
    CHECK(s.core.members() == 2);
    CHECK(s.core.works(s.now));
}

TEST_CASE("shard core: an own claim counts as the server has it, also if another process has written it", "[shards]")
{
    script s;
    s.write(other, "other", view_of({me, other}));
    const auto before = covered(s.join());
    // Written by another one: the third member may work on its part of the keys.
    s.core.seen(s.now, s.write(me, "me_1", view_of({me, other, third})));
    s.list();
    const auto after = covered(s.drain().share);
    CHECK(after < before - 100);
    CHECK(s.accept_update() == view_of({me, other}));
}

TEST_CASE("shard core: a view never has more members than others read", "[shards]")
{
    auto few = usual();
    few.max_members = 3;
    script s(few);
    s.write(other, "other", view_of({other}));
    s.join();
    s.core.seen(s.now, s.write(third, "third", view_of({third})));
    CHECK(s.core.members() == 3);
    s.core.seen(s.now, s.write(0x4444, "fourth", view_of({0x4444})));
    CHECK(s.core.members() == 3);
    CHECK(s.drain().share.within.back().members.size() == 3);

    script joining(few);
    for (const member_id m : {other, third, member_id{0x4444}}) joining.write(m, "member", view_of({m}));
    joining.list();
    CHECK(joining.core.trouble() == cond::invalid);
}

TEST_CASE("shard core: events of the past change nothing", "[shards]")
{
    script s;
    const auto old = s.write(other, "other", view_of({me, other}));
    s.write(other, "other", view_of({other}));
    CHECK(covered(s.join()) == 0);
    s.core.seen(s.now, old);
    s.expect<step::wait>();
    auto ghost = s.write(third, "third", view_of({third}));
    s.leases.erase(third);
    ghost.resource_version = "50"; // before the list, which does not have it
    s.core.seen(s.now, ghost);
    CHECK(s.core.members() == 2);
    ghost.resource_version = "opaque"; // the list will show
    s.core.seen(s.now, ghost);
    s.list();
    CHECK(s.core.members() == 2);
}

TEST_CASE("shard core: a group that is too large is refused, and what is known stays", "[shards]")
{
    auto few = usual();
    few.max_members = 2;
    script s(few);
    s.write(other, "other", view_of({me, other}));
    const auto share = s.join();
    s.write(third, "third", view_of({me, other, third}));
    s.core.watched(false);
    s.core.watched(true); // it has been away
    s.list();
    CHECK(s.core.trouble() == cond::invalid);
    CHECK(s.core.members() == 2);
    CHECK(s.core.works(s.now));
}
