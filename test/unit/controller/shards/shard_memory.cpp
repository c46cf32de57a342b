// Shares, and members of a group, for which one allocation fails, at every possible point.
#include "shard_fixture.hpp"
#include "shards/kept_parts.hpp"
#include "shards/shard_core.hpp"
#include "shards/share_state.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/failing_timers.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

using namespace shard_test;
using namespace kubecoro::detail;
using kubecoro::test::allocations_so_far;
using kubecoro::test::fail_allocation;

namespace {

constexpr time_point begin{1h};
constexpr member_id self = 3;
constexpr std::uint64_t more_than_any = 60;

shard_view of(std::vector<member_id> members)
{
    std::sort(members.begin(), members.end());
    return {.by = shard_by::object, .members = std::move(members)};
}

shard_core::settings settings_of(std::string holder)
{
    return {.id = self,
            .holder = std::move(holder),
            .lease_duration = 15s,
            .renew_deadline = 10s,
            .retry_period = 2s,
            .request_limit = 5s,
            .grace = 20s};
}

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

/// Something that works on the keys of a share.
struct user final : share_user
{
    std::shared_ptr<const shard_share> has;

    void assign(std::shared_ptr<const shard_share> share, time_point) override
    {
        const std::string some_memory(100, 'x');
        has = std::move(share);
    }
    [[nodiscard]] std::size_t outside() const override { return 0; }
    overdue_runs cancel_overdue(time_point) override { return {}; }
};

/// A share with an informer and two users, and their member.
struct shared
{
    kt::runner run;
    std::shared_ptr<share_state> share =
        std::make_shared<share_state>(run.shared_clock(), shard_by::object, duration(1s));
    std::shared_ptr<share_follower> informer = std::make_shared<share_follower>();
    std::vector<std::shared_ptr<user>> users{std::make_shared<user>(), std::make_shared<user>()};

    shared()
    {
        share->add(informer);
        for (const auto& u : users) share->add(u);
    }
    /// A step of the member, which is repeated when it fails.
    template<class Step>
    bool take(std::uint64_t nth, Step step)
    {
        const bool thrown = fails(nth, step);
        if (!thrown) return false;
        (void)share->list_if_due(run.clock().now()); // as before each step
        step();
        return true;
    }
    void assign(const std::vector<shard_view>& within)
    {
        share->assign({.self = self, .within = within}, time_point::max());
    }
    [[nodiscard]] bool is_told()
    {
        auto waiting = run.spawn(informer->news.wait());
        run.run_until_idle();
        const bool told = waiting.done();
        if (!told) waiting.cancel();
        run.run_until_idle();
        return told;
    }
    [[nodiscard]] bool all_have(const object_key& key) const
    {
        return std::all_of(users.begin(), users.end(), [&](const auto& u) { return u->has && u->has->covers(key); });
    }
};

const object_key some_key{"default", "object-1"};

} // namespace

TEST_CASE("shard memory: an assignment for which there is no memory changes nothing in the kept parts",
          "[shards][memory]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < more_than_any);
        kept_parts kept(1s);
        for (member_id n = 0; n < 2 * kept_parts::most_parts; ++n)
            kept.assign(self, {of({self, 10 + n})}, begin, false);
        const auto gains = kept.gains();
        const auto parts = kept.size();
        thrown = fails(nth, [&] { kept.assign(self, {of({self})}, begin, true); });
        if (thrown) {
            CHECK(kept.size() == parts);
            CHECK_FALSE(kept.list_at().has_value());
            CHECK(kept.assign(self, {of({self})}, begin, true));
        }
        CHECK(kept.list_at() == begin + 1s);
        CHECK(kept.list_if_due(begin + 1s));
        CHECK(kept.gains() == gains + 1);
    }
}

TEST_CASE("shard memory: informers and controllers receive an assignment that is repeated for want of memory",
          "[shards][memory]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < more_than_any);
        shared s;
        thrown = s.take(nth, [&] { s.assign({of({self})}); });
        CHECK(s.is_told());
        s.run.advance(1s);
        (void)s.share->list_if_due(s.run.clock().now());
        s.informer->shown = s.share->gains();
        s.share->shown();
        CHECK(s.all_have(some_key));
    }
}

TEST_CASE("shard memory: informers list, and controllers receive their keys, after a list that had no memory",
          "[shards][memory]")
{
    for (const bool stopped : {false, true}) {
        bool thrown = true;
        for (std::uint64_t nth = 1; thrown; ++nth) {
            CAPTURE(stopped, nth);
            REQUIRE(nth < more_than_any);
            shared s;
            s.assign({of({self})});
            (void)s.is_told();
            s.run.advance(1s);
            if (stopped) s.informer->shown = std::numeric_limits<std::uint64_t>::max();
            const auto now = s.run.clock().now();
            thrown = s.take(nth, [&] { (void)s.share->list_if_due(now); });
            CHECK(s.share->gains() == 1);
            CHECK(s.is_told());
            if (!stopped) {
                s.informer->shown = 1;
                s.share->shown();
            }
            CHECK(s.all_have(some_key));
        }
    }
}

TEST_CASE("shard memory: controllers receive keys whose objects an informer has shown without memory for more",
          "[shards][memory]")
{
    bool complete = false;
    for (std::uint64_t nth = 1; !complete; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < more_than_any);
        shared s;
        s.assign({of({self})});
        s.run.advance(1s);
        (void)s.share->list_if_due(s.run.clock().now());
        s.informer->shown = s.share->gains();
        const bool thrown = fails(nth, [&] { s.share->shown(); });
        CHECK_FALSE(thrown); // the informer would not call it again
        complete = s.all_have(some_key);
        (void)s.share->list_if_due(s.run.clock().now());
        CHECK(s.all_have(some_key));
    }
}

TEST_CASE("shard memory: a view whose answer is taken without memory stays in doubt", "[shards][memory]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < more_than_any);
        shard_core core(settings_of("holder of the lease, whose name is long"), 1);
        auto now = begin;
        shard_lease own{.id = self, .record = {.holder = "holder of the lease, whose name is long"}};
        own.uid = "uid of the own lease, which is long";
        const auto stored = [&own](const shard_view& view, std::string version) {
            own.view = view;
            own.resource_version = std::move(version);
            return own;
        };
        const auto drain = [&](auto step) {
            while (const auto* a = std::get_if<shard_step::assign>(&step)) {
                core.drained(a->epoch);
                step = core.next(now);
            }
            return step;
        };
        REQUIRE(std::holds_alternative<shard_step::list>(drain(core.next(now))));
        core.listed(now, shard_listing{.resource_version = "1"});
        auto step = drain(core.next(now));
        REQUIRE(std::holds_alternative<shard_step::create>(step));
        core.written(now, stored(std::get<shard_step::create>(step).view, "2"));
        REQUIRE(std::holds_alternative<shard_step::list>(drain(core.next(now))));
        core.listed(now, shard_listing{{own}, "2"});
        (void)drain(core.next(now));
        // Another member has come.
        core.seen(now, {.id = 4, .record = {.holder = "b"}, .view = of({4}), .resource_version = "3", .uid = "b"});
        step = drain(core.next(now));
        REQUIRE(std::holds_alternative<shard_step::update>(step));
        const auto answer = result<shard_lease>(stored(std::get<shard_step::update>(step).view, "4"));
        thrown = fails(nth, [&] { core.written(now, answer); });
        if (!thrown) continue;
        core.request_failed(now, failure());
        int updates = 0;
        for (int i = 0; i < 20 && !core.settled(); ++i) {
            step = drain(core.next(now));
            if (const auto* w = std::get_if<shard_step::wait>(&step)) now = w->until.value_or(now + 1s);
            if (std::holds_alternative<shard_step::list>(step)) {
                shard_lease other{.id = 4, .record = {.holder = "b"}, .view = of({self, 4}), .resource_version = "5"};
                other.uid = "b";
                core.listed(now, shard_listing{{own, other}, "5"});
            }
            if (const auto* u = std::get_if<shard_step::update>(&step)) {
                ++updates;
                core.written(now, stored(u->view, "6"));
            }
        }
        CHECK(core.settled());
        CHECK(updates == 0); // the list shows that the view is its own
        CHECK(own.view == of({self, 4}));
        CHECK(core.losses() == 0);
    }
}

TEST_CASE("shard member ends: a timer that throws ends the member, and no run begins any more", "[shards][ends]")
{
    fixture f;
    f.api.make_objects(5);
    const auto time = std::make_shared<test::failing_timers>(f.run.shared_clock());
    participant a(f.api, f.book, "a", {.time = time});
    a.start(f.run);
    f.time_until([&] { return a.settled_among(1); });
    f.run.run_until_idle();
    CHECK(f.book.keys_of("a").size() == 5);
    time->fail();
    f.run.advance(30s);
    REQUIRE(a.running.done());
    CHECK(a.running.outcome().error() == cond::internal);
    CHECK(a.running.outcome().error().describe().find("a broken timer") != std::string::npos);
    CHECK(f.run.run(a.member.settled()).error() == cond::internal);
    CHECK(a.member.stats().state == shard_state::idle);
    REQUIRE(a.member.stats().trouble);
    CHECK(a.log.count("a loop failed and has ended its owner") == 1);
    CHECK(a.log.count(log_level::error) == 1);
    CHECK(a.numbers->value("kubecoro_ended_owners_total", {{"owner", "member"}, {"name", "janitor"}}) == 1);
    f.book.forget();
    a.worker.trigger({"default", "object-1"});
    f.run.advance(1s);
    CHECK(f.book.keys_of("a").empty());
    f.end(a);
}

TEST_CASE("shard memory: a step in the largest group does not copy the views of all others", "[shards][memory]")
{
    const auto all_members = [] {
        shard_view v;
        for (member_id m = 0; m < most_members; ++m) v.members.push_back(m);
        return v;
    }();
    shard_core core(settings_of("a"), 1);
    shard_listing listing{.resource_version = "1"};
    for (const auto m : all_members.members)
        if (m != self)
            listing.leases.push_back(
                {.id = m, .record = {.holder = "b"}, .view = all_members, .resource_version = "1", .uid = "b"});
    const auto next = [&core] {
        auto step = core.next(begin);
        while (const auto* a = std::get_if<shard_step::assign>(&step)) {
            core.drained(a->epoch);
            step = core.next(begin);
        }
        return step;
    };
    REQUIRE(std::holds_alternative<shard_step::list>(next()));
    core.listed(begin, listing);
    REQUIRE(std::holds_alternative<shard_step::create>(next()));
    shard_lease own{.id = self, .record = {.holder = "a"}, .view = all_members, .resource_version = "2", .uid = "a"};
    core.written(begin, own);
    REQUIRE(std::holds_alternative<shard_step::list>(next()));
    listing.leases.push_back(own);
    core.listed(begin, listing);
    REQUIRE(std::holds_alternative<shard_step::wait>(next()));
    const auto before = allocations_so_far().bytes;
    CHECK(std::holds_alternative<shard_step::wait>(core.next(begin)));
    CHECK(core.settled());
    CHECK(allocations_so_far().bytes - before < 40 * sizeof(member_id) * most_members);
}
