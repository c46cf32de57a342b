// Informers that keep only the objects of their member's keys.
#include "shard_fixture.hpp"

#include <algorithm>

using namespace shard_test;

namespace {

constexpr int objects = 40;

shard_options dividing()
{
    shard_options o;
    o.divides_objects = true;
    return o;
}

informer_stats stats_of(const participant& p) { return p.informers.informers().front().stats(); }

std::set<std::string> kept_by(const participant& p)
{
    std::set<std::string> out;
    for (const auto& o : p.stored->list()) out.insert(std::string(o.name()));
    return out;
}

bool all_settled(std::initializer_list<const participant*> all)
{
    return std::all_of(all.begin(), all.end(), [&](const auto* p) { return p->settled_among(all.size()); });
}

/// The objects that have left a store, with the reason.
struct departures
{
    std::map<std::string, departure> seen = {};
    registration at;

    explicit departures(const shared_informer<object>& of)
        : at(of.add_event_handler(
              {.on_delete = [this](const deleted<object>& d) { seen.emplace(std::string(d.obj.name()), d.why); }}))
    {
    }
};

} // namespace

TEST_CASE("shard objects: a member keeps the objects of its keys, and no others", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a", dividing());
    participant b(f.api, f.book, "b", dividing());
    const departures gone(a.informers.informers().front());
    a.start(f.run);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    CHECK(kept_by(a).size() == objects);

    f.book.forget();
    b.start(f.run);
    f.time_until([&] { return all_settled({&a, &b}); });
    f.run.run_until_idle();
    const auto moved = kept_by(b);
    CHECK(moved.size() > 10);
    CHECK(moved.size() < 30);
    CHECK(f.book.keys_of("b") == moved);
    CHECK(f.book.keys_of("a").empty());
    CHECK(kept_by(a).size() == objects - moved.size());
    CHECK(gone.seen.size() == moved.size());
    for (const auto& [name, why] : gone.seen) {
        CHECK(moved.contains(name));
        CHECK(why == departure::share_left);
    }
    CHECK(stats_of(b).passed_over >= objects - moved.size());
    CHECK(b.member.describe().find("informers") == std::string::npos);

    // Each decodes its own part of the changes.
    const auto before = stats_of(a);
    auto c = f.api.plain();
    for (const auto& name : moved) REQUIRE(f.run.run(c.remove(config_map::resource(), "default", name)).has_value());
    f.run.advance(20ms); // a watch rests from events of others
    CHECK(stats_of(a).passed_over == before.passed_over + moved.size());
    CHECK(stats_of(a).resource_version == stats_of(b).resource_version);
    CHECK(kept_by(b).empty());
    for (const auto& name : moved) f.api.make_object("default", name);
    f.run.run_until_idle();
    CHECK(kept_by(b) == moved);

    // The rest is listed when its owner has left.
    f.book.forget();
    f.end(b);
    f.time_until([&] { return all_settled({&a}); });
    f.run.run_until_idle();
    CHECK(kept_by(a).size() == objects);
    CHECK(f.book.keys_of("a") == moved);
    const auto& relists = stats_of(a).reflector.relists;
    CHECK(relists[static_cast<std::size_t>(relist_reason::share_grew)] == 2);
    f.end(a);
}

TEST_CASE("shard objects: an informer without keys asks for one object, and has synced", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a", dividing());
    a.informers.start();
    f.time_until([&] { return a.informers.informers().front().synced(); });
    f.run.run_until_idle();
    const auto idle = stats_of(a);
    CHECK(idle.reflector.lists == 1);
    CHECK(idle.reflector.pages == 1);
    CHECK(idle.passed_over <= 1);
    CHECK(kept_by(a).empty());

    a.start(f.run);
    f.time_until([&] { return all_settled({&a}); });
    f.run.run_until_idle();
    CHECK(kept_by(a).size() == objects);
    CHECK(stats_of(a).reflector.lists_total() == 2);
    f.end(a);
}

TEST_CASE("shard objects: keys that come wait for their objects", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a", dividing());
    a.start(f.run);
    f.time_until([&] { return a.informers.informers().front().synced(); });
    a.plan->add({.what = kt::fault::no_answer(), .target = "configmaps", .times = 0});
    a.plan->cut_open();
    f.run.advance(1s);
    CHECK(a.member.stats().state == shard_state::moving);
    CHECK(a.member.stats().awaited_informers == 1);
    CHECK(a.member.describe().find("waits for 1 informers") != std::string::npos);
    CHECK_FALSE(a.member.share().covers({"default", "object-1"}));
    a.worker.trigger({"default", "object-1"});
    f.run.run_until_idle();
    CHECK(f.book.runs.empty());

    a.plan->clear();
    a.plan->cut_open();
    f.time_until([&] { return all_settled({&a}); });
    f.run.run_until_idle();
    CHECK(f.book.keys_of("a").size() == objects);
    CHECK(a.member.stats().awaited_informers == 0);
    f.end(a);
}

TEST_CASE("shard objects: no key waits for an informer that has stopped", "[shards]")
{
    fixture f;
    participant a(f.api, f.book, "a");
    informer_factory apart(a.connection);
    const auto maps = apart.get<config_map>({.share = a.member.share()}); // not started
    a.start(f.run);
    f.run.advance(1s);
    CHECK(a.member.stats().state == shard_state::moving);
    CHECK(a.member.stats().awaited_informers == 1);
    apart.start();
    f.run.advance(1s);
    CHECK(a.member.stats().state == shard_state::settled);
    a.plan->add({.what = kt::fault::no_answer(), .target = "configmaps", .times = 0});
    participant b(f.api, f.book, "b");
    b.start(f.run);
    f.run.advance(1s);
    f.end(b);
    f.run.advance(1s);
    CHECK(a.member.stats().awaited_informers == 1);
    CHECK(f.run.run(apart.stop()).has_value());
    f.run.advance(1s);
    CHECK(a.member.stats().state == shard_state::settled);
    f.end(a);
}

TEST_CASE("shard objects: a rolling restart costs each member its own list, if the others wait for its return",
          "[shards]")
{
    const auto list_delay = GENERATE(duration{0s}, duration{10s});
    constexpr std::size_t members = 5;
    fixture f;
    f.api.make_objects(objects);
    auto options = dividing();
    options.list_delay = list_delay;
    std::vector<std::unique_ptr<participant>> all;
    const auto settled = [&] {
        return std::all_of(all.begin(), all.end(), [](const auto& p) { return p->settled_among(members); });
    };
    const auto begin = [&](std::size_t i) {
        all[i] = std::make_unique<participant>(f.api, f.book, "member-" + std::to_string(i), options);
        all[i]->start(f.run);
    };
    all.resize(members);
    for (std::size_t i = 0; i < members; ++i) begin(i);
    f.time_until(settled);
    const auto lists = [](const participant& p) {
        return stats_of(p).reflector.relists[static_cast<std::size_t>(relist_reason::share_grew)];
    };
    std::uint64_t before = 0, after = 0;
    for (const auto& p : all) before += lists(*p);
    for (std::size_t i = 0; i < members; ++i) {
        before -= lists(*all[i]);
        f.end(*all[i]);
        f.run.advance(3s);
        begin(i);
        f.time_until(settled);
    }
    for (const auto& p : all) after += lists(*p);
    // Without a delay, all of them list for each.
    CHECK(after - before == (list_delay == 0s ? members * members : members));
    std::set<std::string> stored;
    for (const auto& p : all) stored.merge(kept_by(*p));
    CHECK(stored.size() == objects);
    for (const auto& p : all) f.end(*p);
}

TEST_CASE("shard objects: the object of a run stays until the run has ended", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a", dividing());
    participant b(f.api, f.book, "b", dividing());
    a.takes = 5s;
    a.start(f.run);
    f.time_until([&] { return f.book.keys_of("a").size() == objects; });
    b.start(f.run);
    f.run.advance(2s);
    CHECK(a.member.stats().awaited_runs > 0);
    CHECK(kept_by(a).size() == objects);
    f.time_until([&] { return all_settled({&a, &b}); });
    f.run.run_until_idle();
    CHECK(kept_by(a).size() + kept_by(b).size() == objects);
    f.end(b);
    f.end(a);
}

TEST_CASE("shard objects: a member whose Lease is not renewed in time keeps its objects, and lists nothing", "[shards]")
{
    fixture f;
    f.api.make_objects(objects);
    participant a(f.api, f.book, "a", dividing());
    a.start(f.run);
    f.time_until([&] { return all_settled({&a}); });
    const auto lists = stats_of(a).reflector.lists_total();
    a.plan->add({.what = kt::fault::refuse(), .target = "leases", .times = 0});
    f.run.advance(13s);
    CHECK(a.member.stats().state == shard_state::suspended);
    CHECK(kept_by(a).size() == objects);
    a.plan->clear();
    f.time_until([&] { return all_settled({&a}); });
    CHECK(kept_by(a).size() == objects);
    CHECK(stats_of(a).reflector.lists_total() == lists);
    f.end(a);
}

TEST_CASE("shard objects: a controller whose keys its informer would not show is refused", "[shards]")
{
    fixture f;
    shard_member by_object(f.run.executor(), f.api.plain(), {.group = "g"});
    shard_member divides_namespaces(f.run.executor(), f.api.plain(), {.group = "h", .by = shard_by::ns});
    informer_factory informers(f.api.plain());
    const auto outcome = [&](const key_share& kept, const key_share& worked_on, enqueue map) {
        controller<object> worker(
            f.run.executor(),
            [](const object_key&, reconcile_context&) -> asio::awaitable<result<action>> { co_return action::done(); },
            {.name = "worker", .share = worked_on, .time = f.run.shared_clock()});
        worker.watch(informers.get<config_map>({.share = kept}), std::move(map));
        informers.start();
        worker.start();
        f.run.run_until_idle();
        worker.request_stop();
        return f.run.run(worker.run());
    };
    const auto owners = [] { return enqueue_owner(config_map::resource()); };
    const auto one = by_object.share();
    const auto other = divides_namespaces.share();
    CHECK(outcome(one, one, enqueue_object()).has_value());
    CHECK(outcome(other, other, owners()).has_value());
    CHECK(outcome({}, one, owners()).has_value());
    const auto mapped = outcome(one, one, owners());
    REQUIRE_FALSE(mapped);
    CHECK(mapped.error() == cond::misconfigured);
    CHECK(mapped.error().describe().find("shard_by::ns") != std::string::npos);
    for (const auto& share : {key_share(), other}) {
        const auto apart = outcome(one, share, enqueue_object());
        REQUIRE_FALSE(apart);
        CHECK(apart.error().describe().find("the same share") != std::string::npos);
    }
    CHECK(f.run.run(informers.stop()).has_value());
}
