// Lists that fail, and lists that are older than what a watch has shown.
#include "shard_script.hpp"

using namespace shard_core_test;

namespace {

/// Answers whatever is asked for that long: lists take `slow` and fail, writes succeed.
struct without_lists
{
    script& s;
    duration slow = {};
    int lists = 0;
    int renewals = 0;

    void go_on_for(duration d)
    {
        const auto end = s.now + d;
        while (s.now < end) {
            auto next = s.core.next(s.now);
            if (const auto* w = std::get_if<step::wait>(&next)) {
                s.now = std::max(s.now, w->until.value_or(end));
            } else if (const auto* l = std::get_if<step::list>(&next)) {
                ++lists;
                s.now += std::min(slow, l->limit);
                s.core.listed(s.now, failure(cond::retry_later));
            } else if (const auto* u = std::get_if<step::update>(&next)) {
                ++renewals;
                s.core.written(s.now, s.write(me, "me_1", u->view));
            } else {
                FAIL("another step: " << next.index());
            }
        }
    }
};

} // namespace

TEST_CASE("shard core: lists that fail cost no renewal", "[shards]")
{
    script s;
    s.write(other, "other", view_of({me, other}));
    const auto share = s.join();
    s.core.watched(false);
    s.core.watched(true); // a list is due
    without_lists server{s};
    SECTION("at once") {}
    SECTION("after a while") { server.slow = 1900ms; }
    SECTION("when their time is over") { server.slow = 5s; }
    server.go_on_for(60s);
    CHECK(s.core.suspensions() == 0);
    CHECK(s.core.works(s.now));
    CHECK(s.core.trouble() == cond::retry_later);
    CHECK(server.renewals >= 8);
    CHECK(server.lists >= 8);
    CHECK(server.lists <= 62);
    // A member that comes meanwhile gets its keys, and this one no others before it has seen all claims.
    const auto before = s.leases[other];
    s.core.seen(s.now, s.write(third, "third", view_of({me, other, third})));
    const auto narrowed = s.drain().share;
    CHECK(covered(narrowed) < covered(share));
    server.go_on_for(10s);
    CHECK(s.leases[me].view == view_of({me, other, third}));
    s.core.seen_deleted(third, s.leases[third].uid);
    s.leases.erase(third);
    server.go_on_for(10s); // without an assignment
    CHECK(s.leases[me].view == view_of({me, other, third}));
    CHECK_FALSE(s.core.settled());
}

TEST_CASE("shard core: one that leaves without lists renews until its runs have ended, and deletes its Lease",
          "[shards]")
{
    script s;
    s.join();
    s.core.watched(false);
    s.core.watched(true);
    s.core.stop();
    const auto ending = s.expect<step::assign>();
    without_lists server{s};
    server.go_on_for(19s);
    CHECK(server.renewals >= 8);
    CHECK(s.core.suspensions() == 0);
    s.core.drained(ending.epoch);
    const auto gone = s.expect<step::remove>();
    CHECK(gone.resource_version == s.leases[me].resource_version);

    SECTION("its deletion is seen before the answer") { s.core.seen_deleted(me, gone.uid); }
    SECTION("another one has written it")
    {
        s.core.removed(s.now, failure(cond::conflict));
        s.write(me, "me_1", view_of({me}));
        s.list();
        CHECK(s.expect<step::remove>().resource_version == s.leases[me].resource_version);
    }
    s.core.removed(s.now, {});
    s.expect<step::finish>();
    CHECK(s.core.losses() == 0);
}

TEST_CASE("shard core: a list comes before a renewal when the own version is in doubt", "[shards]")
{
    script s;
    s.join();
    s.now = s.wait_until();
    SECTION("a renewal has no answer")
    {
        s.expect<step::update>();
        s.core.written(s.now, failure(cond::timed_out));
    }
    SECTION("another one has written it") { s.core.seen(s.now, s.write(me, "me_1", view_of({me}))); }
    SECTION("another process has its name")
    {
        auto taken = s.write(me, "me_2", view_of({me}));
        taken.uid = "another";
        s.core.seen(s.now, taken);
    }
    s.now += 2s;
    s.list();
}

TEST_CASE("shard core: a list that is older than an event does not undo it", "[shards]")
{
    script s;
    s.write(other, "other", view_of({me, other}));
    s.join();
    s.core.watched(false);
    s.core.watched(true);
    s.expect<step::list>();
    shard_listing old{.leases = {}, .resource_version = std::to_string(s.version)};
    for (const auto& [id, l] : s.leases) old.leases.push_back(l);

    SECTION("a member has come")
    {
        s.core.seen(s.now, s.write(third, "third", view_of({me, other, third})));
        s.drain();
        s.core.listed(s.now, old);
        CHECK(s.core.members() == 3);
        CHECK(s.accept_update() == view_of({me, other, third}));
    }
    SECTION("a member has another claim")
    {
        s.core.seen(s.now, s.write(other, "other", view_of({other})));
        CHECK(covered(s.drain().share) == 0);
        s.core.listed(s.now, old);
        const auto until = s.wait_until();
        CHECK(until > s.now);
    }
    SECTION("a member has gone")
    {
        s.core.seen_deleted(other, s.leases[other].uid);
        s.leases.erase(other);
        s.drain();
        s.core.listed(s.now, old);
        s.drain();
        s.list();
        CHECK(s.core.members() == 1);
    }
    SECTION("its own Lease has gone")
    {
        s.core.seen_deleted(me, s.leases[me].uid);
        s.leases.erase(me);
        s.drain();
        s.core.listed(s.now, old);
        s.list();
        CHECK(s.core.losses() == 1);
        s.accept_create();
    }
    SECTION("the watch has begun")
    {
        s.core.watched(false);
        s.core.watched(true);
        s.core.listed(s.now, old);
        s.list();
        CHECK(s.core.members() == 2);
    }
}

TEST_CASE("shard core: the answer to a deletion does not concern a Lease that has come since", "[shards]")
{
    script s;
    s.write(other, "other", view_of({me, other}));
    s.join();
    for (auto next = s.core.next(s.now);; next = s.core.next(s.now)) {
        if (std::holds_alternative<step::remove>(next)) break;
        if (const auto* w = std::get_if<step::wait>(&next))
            s.now = *w->until;
        else if (const auto* u = std::get_if<step::update>(&next))
            s.core.written(s.now, s.write(me, "me_1", u->view));
        else
            s.answer_list();
    }
    const auto uid = s.leases[other].uid;
    s.leases.erase(other);
    s.core.seen_deleted(other, uid);
    s.core.seen(s.now, s.write(other, "other", view_of({me, other})));
    SECTION("it is gone") { s.core.removed(s.now, {}); }
    SECTION("another member was first") { s.core.removed(s.now, failure(cond::not_found)); }
    CHECK(s.core.members() == 2);
}
