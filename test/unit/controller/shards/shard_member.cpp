// Members with controllers, over an embedded server: keys are divided, move, and are taken over.
#include "shard_fixture.hpp"

using namespace shard_test;

namespace {

constexpr int objects = 40;
constexpr std::string_view foreign_name = "janitor-0000000000002222";

/// A Lease of the group whose view no member can read.
boost::json::object foreign_lease()
{
    auto out = new_object(lease::resource(), {"default", std::string(foreign_name)});
    set_label(out, "shards.kubecoro.dev/group", "janitor");
    set_annotation(out, "shards.kubecoro.dev/view", "zone:0000000000002222");
    return out;
}

bool all_settled(std::initializer_list<const participant*> all)
{
    for (const auto* p : all)
        if (!p->settled_among(all.size())) return false;
    return true;
}

} // namespace

TEST_CASE("shard member: keys are divided among those who join, and come back when they leave", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b");
    a.start(f.run);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    CHECK(f.run.run(a.member.settled()).has_value());

    f.book.forget();
    b.start(f.run);
    CHECK(f.time_until([&] { return all_settled({&a, &b}); }) < 1s);
    f.run.run_until_idle();
    const auto moved = f.book.keys_of("b");
    CHECK(moved.size() > 10);
    CHECK(moved.size() < 30);
    CHECK(f.book.keys_of("a").empty()); // a key that stays is not run again
    for (int i = 0; i < objects; ++i) {
        const object_key key{"default", "object-" + std::to_string(i)};
        CHECK(a.member.share().covers(key) != b.member.share().covers(key));
        CHECK(b.member.share().covers(key) == moved.contains(key.name));
        CHECK(b.member.share().check(key).has_value() == moved.contains(key.name));
    }

    // Changes reach the member that has the key, and no other one.
    f.book.forget();
    auto c = f.api.plain();
    for (int i = 0; i < objects; ++i)
        REQUIRE(f.run.run(c.remove(config_map::resource(), "default", "object-" + std::to_string(i))).has_value());
    f.run.run_until_idle();
    CHECK(f.book.keys_of("b") == moved);
    CHECK(f.book.keys_of("a").size() == objects - moved.size());
    f.api.make_objects(objects);
    f.run.run_until_idle();

    f.book.forget();
    auto leaving = f.run.spawn(b.member.stop());
    CHECK(f.time_until([&] { return all_settled({&a}); }) < 1s);
    f.run.run_until_idle();
    CHECK(leaving.done());
    CHECK(f.book.keys_of("a") == moved);
    CHECK(b.member.stats().state == shard_state::idle);
    CHECK_FALSE(b.member.share().covers({"default", "object-1"}));
    f.end(b);
    f.end(a);
    CHECK(f.api.leases().empty());
}

TEST_CASE("shard member: its Lease says who it is and how it divides keys", "[shards]")
{
    fixture f;
    participant a(f.api, f.book, "a", {.by = shard_by::ns, .labels = {{"team", "blue"}}});
    a.start(f.run);
    f.time_until([&] { return all_settled({&a}); });
    const auto all = f.api.leases();
    REQUIRE(all.size() == 1);
    const auto& o = all.front();
    CHECK(o.name() == a.member.stats().lease);
    CHECK(o.name().starts_with("janitor-"));
    CHECK(o["spec"]["holderIdentity"].as_string().starts_with("a_"));
    CHECK(o["spec"]["leaseDurationSeconds"].as_int64() == 15);
    CHECK(o["metadata"]["labels"]["shards.kubecoro.dev/group"].as_string() == "janitor");
    CHECK(o["metadata"]["labels"]["team"].as_string() == "blue");
    const auto view = std::string(o["metadata"]["annotations"]["shards.kubecoro.dev/view"].as_string());
    CHECK(view == "namespace:" + std::string(o.name().substr(8)));
    f.end(a);
}

TEST_CASE(
    "shard member: a key that moves waits for the run of its old member; after the grace period that is cancelled",
    "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b");
    a.takes = 7s;
    SECTION("it ends") {}
    SECTION("it is cancelled")
    {
        a.takes = 24h;
        a.ends_within = 3s;
    }
    const duration expected = a.takes == 7s ? 7s : 20s + 3s;
    a.start(f.run);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    b.start(f.run);
    f.time_until([&] { return a.member.stats().awaited_runs != 0; });
    CHECK(a.member.stats().state == shard_state::moving);
    const auto took = f.time_until([&] { return !f.book.keys_of("b").empty(); });
    CHECK(took > expected - 1s);
    CHECK(took < expected + 1s);
    f.time_until([&] { return all_settled({&a, &b}); });
    // Runs of keys that stay were not touched.
    if (a.takes != 7s) {
        CHECK(a.worker.stats().cancelled == f.book.keys_of("b").size());
        CHECK(a.worker.stats().active == objects - f.book.keys_of("b").size());
    } else {
        CHECK(a.worker.stats().cancelled == 0);
    }
    a.member.request_stop_at_once();
    f.end(a);
    f.end(b);
}

TEST_CASE("shard member: a run gets one grace period, however often others come and go meanwhile", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b");
    a.takes = 24h;
    a.start(f.run);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    b.start(f.run);
    f.time_until([&] { return a.member.stats().awaited_runs != 0; });
    const auto begun = f.run.clock().now();
    while (f.book.keys_of("b").empty() && f.run.clock().now() < begun + 60s) {
        participant c(f.api, f.book, "c");
        c.start(f.run);
        f.run.advance(5s);
        f.end(c);
        f.run.advance(5s);
    }
    CHECK(f.run.clock().now() - begun == 20s);
    CHECK(a.log.count("runs of keys that move are cancelled") == 1);
    f.time_until([&] { return all_settled({&a, &b}); });
    CHECK(a.worker.stats().cancelled == f.book.keys_of("b").size());
    a.member.request_stop_at_once();
    f.end(a);
    f.end(b);
}

TEST_CASE("shard member: a key that comes back has not used its interval for runs elsewhere", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a", {}, {.min_interval = 10s});
    participant b(f.api, f.book, "b");
    a.takes = 7s;
    a.start(f.run);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    for (int i = 0; i < objects; ++i) a.worker.trigger({"default", "object-" + std::to_string(i)});
    b.start(f.run);
    f.time_until([&] { return all_settled({&a, &b}); });
    f.run.advance(4s); // the interval is over, and all keys of a have been handed out
    const auto moved = f.book.keys_of("b");
    f.book.forget();
    f.end(b);
    f.run.advance(1s);
    CHECK_FALSE(moved.empty());
    CHECK(f.book.keys_of("a") == moved);
    f.end(a);
}

TEST_CASE("shard member: lists that are refused cost no Lease while it can be renewed", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b");
    a.start(f.run);
    b.start(f.run);
    f.time_until([&] { return all_settled({&a, &b}); });
    a.plan->add({.what = kt::fault::status_answer(429, "TooManyRequests", 1s),
                 .method = "GET",
                 .target = "leases?",
                 .times = 0});
    f.run.advance(60s);
    CHECK(a.member.stats().trouble.has_value());
    CHECK(a.log.count("requests for the leases of a group fail") == 1);
    CHECK(a.member.stats().suspensions == 0);
    CHECK(a.member.stats().losses == 0);
    CHECK(b.member.stats().evictions == 0);
    f.end(a);
    f.end(b);
}

TEST_CASE("shard member: keys of one that was killed are worked on within the lease duration and a second", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b");
    a.start(f.run);
    b.start(f.run);
    f.time_until([&] { return all_settled({&a, &b}); });
    f.run.run_until_idle();
    const auto of_a = f.book.keys_of("a");
    f.book.forget();
    f.kill(a);
    const auto took = f.time_until([&] { return f.book.keys_of("b").size() >= 10; });
    CHECK(took > 12s);
    CHECK(took <= 16s);
    CHECK(b.member.stats().evictions == 1);
    CHECK(b.numbers->value("kubecoro_shard_evictions_total", {{"group", "janitor"}}) == 1);
    CHECK(b.log.count("a member has not renewed its lease, which is deleted") == 1);
    f.end(a);
    f.end(b);
}

TEST_CASE("shard member: one that is cut off stops in time, and joins again when it is back", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b");
    a.ends_within = 3s; // less than the 5 s between deadline and expiry
    a.start(f.run);
    b.start(f.run);
    f.time_until([&] { return all_settled({&a, &b}); });
    a.takes = 24h;
    for (int i = 0; i < objects; ++i) a.worker.trigger({"default", "object-" + std::to_string(i)});
    f.run.run_until_idle();
    f.book.forget();
    a.plan->set_down(true);
    const auto suspended = f.time_until([&] { return a.member.stats().state == shard_state::suspended; });
    CHECK(suspended > 7s);
    CHECK(suspended <= 10s);
    f.time_until([&] { return b.settled_among(1); });
    f.run.run_until_idle();
    CHECK_FALSE(f.book.keys_of("b").empty());
    CHECK(a.member.healthy().has_value());

    a.takes = 0s;
    a.plan->set_down(false);
    f.time_until([&] { return all_settled({&a, &b}); });
    CHECK(a.member.stats().losses == 1);
    CHECK(a.member.stats().suspensions >= 1);
    f.run.run_until_idle();
    CHECK_FALSE(f.book.keys_of("a").empty());
    f.end(a);
    f.end(b);
}

TEST_CASE("shard member: an outage of the server moves no keys, however long it takes", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b");
    a.start(f.run);
    b.start(f.run);
    f.time_until([&] { return all_settled({&a, &b}); });
    f.run.run_until_idle();
    const auto of_a = f.book.keys_of("a");
    a.plan->set_down(true);
    b.plan->set_down(true);
    f.run.advance(120s);
    CHECK(a.member.stats().state == shard_state::suspended);
    CHECK_FALSE(a.member.share().check({"default", *of_a.begin()}).has_value());
    f.book.forget();
    a.plan->set_down(false);
    b.plan->set_down(false);
    f.time_until([&] { return all_settled({&a, &b}); });
    f.run.advance(60s);
    CHECK(a.member.stats().losses == 0);
    CHECK(b.member.stats().losses == 0);
    for (const auto& key : f.book.keys_of("b")) CHECK(b.member.share().covers({"default", key}));
    f.end(a);
    f.end(b);
}

TEST_CASE(
    "shard member: a view that cannot be read is named in the log and counted, and work resumes when its Lease expires",
    "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    const auto foreign = foreign_lease();
    REQUIRE(f.run.run(f.api.plain().create(lease::resource(), "default", json_text{boost::json::value(foreign)})));
    participant a(f.api, f.book, "a");
    a.start(f.run);
    const auto unreadable = [&] {
        return a.numbers->value("kubecoro_shard_unreadable_members", {{"group", "janitor"}});
    };
    f.time_until([&] { return unreadable() == 1; });
    CHECK(f.book.keys_of("a").empty());
    CHECK(a.log.count("the view of a member cannot be read") == 1);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    CHECK(unreadable() == 0);
    f.end(a);
}

TEST_CASE("shard member: members that come and go all the time do not fill the log", "[shards]")
{
    fixture f;
    participant a(f.api, f.book, "a");
    a.start(f.run);
    f.time_until([&] { return all_settled({&a}); });
    const auto foreign = foreign_lease();
    for (int i = 0; i < 50; ++i) {
        const json_text body{boost::json::value(foreign)};
        REQUIRE(f.run.run(f.api.plain().create(lease::resource(), "default", body)));
        f.run.advance(100ms);
        REQUIRE(f.run.run(f.api.plain().remove(lease::resource(), "default", foreign_name)));
        f.run.advance(100ms);
    }
    CHECK(a.log.count("of a member cannot be read") == 5);
    CHECK(a.log.count("of all members can be read") == 5);
    const auto changes = a.log.count("shard member");
    CHECK(changes <= 10);
    f.run.advance(2min);
    CHECK(a.log.count("lines like the next one were left out") >= 1);
    CHECK(a.log.count("of all members can be read") == 6); // the last line is true
    f.end(a);
}

TEST_CASE("shard member: a Lease that is deleted by hand is made again, after the runs have been cancelled", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    a.takes = 24h;
    a.start(f.run);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    const auto name = a.member.stats().lease;
    REQUIRE(f.run.run(f.api.plain().remove(lease::resource(), "default", name)).has_value());
    f.time_until([&] { return a.member.stats().losses == 1 && all_settled({&a}); });
    f.run.run_until_idle();
    CHECK(a.worker.stats().cancelled == objects);
    CHECK(a.worker.stats().active == objects); // all of them again
    a.member.request_stop_at_once();
    f.end(a);
}

TEST_CASE("shard member: without the permission to watch, it lists", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a");
    participant b(f.api, f.book, "b", {.watch = false});
    a.plan->add({.what = kt::fault::status_answer(403, "Forbidden"), .target = "leases?watch", .times = 0});
    a.plan->add({.what = kt::fault::status_answer(403, "Forbidden"), .target = "&watch=", .times = 0});
    a.start(f.run);
    f.time_until([&] { return all_settled({&a}); });
    b.start(f.run);
    CHECK(f.time_until([&] { return all_settled({&a, &b}); }) < 10s);
    f.end(b);
    CHECK(f.time_until([&] { return all_settled({&a}); }) < 10s);
    f.end(a);
}

TEST_CASE("shard member: options that contradict each other, and a second run, are failures", "[shards]")
{
    fixture f;
    const auto why = [&](shard_options o) {
        shard_member m(f.run.executor(), f.api.plain(), std::move(o));
        const auto outcome = f.run.run(m.run());
        REQUIRE(!outcome.has_value());
        CHECK(outcome.error() == cond::misconfigured);
        return outcome.error().describe();
    };
    CHECK(why({}).find("group") != std::string::npos);
    CHECK(why({.group = "Janitor"}).find("group") != std::string::npos);
    CHECK(why({.group = "-janitor"}).find("group") != std::string::npos);
    CHECK(why({.group = std::string(41, 'a')}).find("group") != std::string::npos);
    CHECK(why({.group = "g", .lease_duration = 5s}).find("lease_duration") != std::string::npos);
    CHECK(why({.group = "g", .retry_period = 9s}).find("renew_deadline") != std::string::npos);
    CHECK(why({.group = "g", .retry_period = 0s}).find("retry_period") != std::string::npos);
    CHECK(why({.group = "g", .grace = -1s}).find("grace") != std::string::npos);

    participant a(f.api, f.book, "a");
    a.start(f.run);
    f.time_until([&] { return all_settled({&a}); });
    CHECK(f.run.run(a.member.run()).error() == cond::misconfigured);
    f.end(a);
    CHECK(f.run.run(a.member.run()).has_value()); // over for good
    CHECK(f.run.run(a.member.settled()).error() == cond::cancelled);
}

TEST_CASE("shard member: a large share is taken in by batches, between other work", "[shards]")
{
    constexpr std::size_t many = 600;
    fixture f;
    f.api.make_objects(many);
    participant a(f.api, f.book, "a");
    a.takes = 1h; // so that keys stay in the queue
    a.start(f.run);
    std::uint64_t most = 0;
    for (std::uint64_t before = 0; before < many;) {
        f.run.step(1);
        const auto now = a.worker.stats().queue.adds;
        most = std::max(most, now - before);
        before = now;
    }
    CHECK(most == 256);
    a.takes = 0s;
    f.end(a);
}

TEST_CASE("shard member: a share that belongs to none covers everything, and outlives its member", "[shards]")
{
    CHECK(key_share().covers({"default", "a"}));
    CHECK(key_share().check({"default", "a"}).has_value());
    fixture f;
    key_share kept;
    {
        shard_member m(f.run.executor(), f.api.plain(), {.group = "g"});
        kept = m.share();
        CHECK(kept == m.share());
        CHECK(m.identity().find('_') != std::string::npos);
    }
    CHECK_FALSE(kept.covers({"default", "a"}));
    CHECK_FALSE(kept.check({"default", "a"}).has_value());
}

TEST_CASE("shard member: a restart with the same name and seed waits for the Lease of the former process", "[shards]")
{
    fixture f;
    const shard_options same{.group = "g", .identity = "a", .seed = 7};
    shard_member former(f.run.executor(), f.api.plain(), same);
    shard_member next(f.run.executor(), f.api.plain(), same);
    auto working = f.run.spawn(former.run());
    f.run.advance(5s);
    REQUIRE(former.share().covers({"default", "x"}));
    auto joining = f.run.spawn(next.run());
    f.run.advance(5s);
    CHECK_FALSE(next.share().covers({"default", "x"}));
    CHECK(former.share().covers({"default", "x"}));
    CHECK(f.run.run(next.stop()).has_value());
    CHECK(f.run.run(former.stop()).has_value());
}

TEST_CASE("shard member: stops at any step, and leaves no Lease", "[shards]")
{
    for (std::size_t steps = 0; steps < 60; ++steps) {
        fixture f(steps);
        participant a(f.api, f.book, "a");
        a.start(f.run);
        static_cast<void>(f.run.step(steps));
        f.end(a);
        CHECK(f.api.leases().empty());
    }
}
