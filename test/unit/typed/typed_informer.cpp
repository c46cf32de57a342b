// Tests of informers of kinds with C++ types: what they deliver is what untyped ones deliver.
#include "typed_fixture.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/cache/object_changes.hpp>
#include <kubecoro/cache/watcher.hpp>

#include <algorithm>
#include <type_traits>

using namespace typed_test;

namespace {

lines names_of(const std::vector<typed_object<config_map>>& maps)
{
    lines out;
    for (const auto& m : maps) out.emplace_back(m.name());
    std::ranges::sort(out);
    return out;
}

std::string line(const added<config_map>& e)
{
    return "+" + std::string(e.obj.name()) + "=" + a_of(e.obj) + (e.initial ? " initial" : "");
}
std::string line(const updated<config_map>& e) { return a_of(e.before) + ">" + a_of(e.after); }
std::string line(const deleted<config_map>& e) { return "-" + std::string(e.obj.name()) + "=" + a_of(e.obj); }

const lines story{"+old=1 initial", "+new=1", "1>2", "-new=2"};

void tell(world& w)
{
    w.put("new", "1");
    w.settle();
    w.change("new", "2");
    w.settle();
    w.remove("new");
    w.settle();
}

} // namespace

TEST_CASE("typed informer: structs give typed informers, mere names untyped ones", "[typed]")
{
    static_assert(
        std::is_same_v<decltype(std::declval<informer_factory&>().get<config_map>()), shared_informer<config_map>>);
    static_assert(std::is_same_v<decltype(std::declval<informer_factory&>().get<untyped::config_map>()),
                                 shared_informer<object>>);
    world w;
    const auto typed = w.informers.get<config_map>();
    CHECK(typed.untyped() == w.informers.get(config_map::resource()));
    CHECK(typed == w.informers.get<config_map>());
}

TEST_CASE("typed informer: handlers get typed events, whatever kind of callable they are", "[typed]")
{
    world w;
    w.put("old", "1");
    const auto maps = w.synced();
    lines seen;
    SECTION("plain functions")
    {
        maps.add_event_handler({.on_add = [&](const added<config_map>& e) { seen.push_back(line(e)); },
                                .on_update = [&](const updated<config_map>& e) { seen.push_back(line(e)); },
                                .on_delete = [&](const deleted<config_map>& e) { seen.push_back(line(e)); }});
    }
    SECTION("coroutines, which keep their event")
    {
        const auto later = [&](const auto& e) -> asio::awaitable<void> {
            (void)co_await sleep_for(w.run.clock(), 10ms);
            seen.push_back(line(e));
        };
        maps.add_event_handler(
            {.on_add = [&](const added<config_map>& e) -> asio::awaitable<void> { return later(e); },
             .on_update = [&](const updated<config_map>& e) -> asio::awaitable<void> { return later(e); },
             .on_delete = [&](const deleted<config_map>& e) -> asio::awaitable<void> { return later(e); }});
        tell(w);
        CHECK(seen == story);
        return;
    }
    SECTION("coroutines that may fail")
    {
        const auto noting = [&](const auto& e) -> asio::awaitable<result<>> {
            seen.push_back(line(e));
            co_return failure(cond::internal, "counted");
        };
        const auto added_to =
            maps.add_event_handler({.on_add = [&](const added<config_map>& e) { return noting(e); },
                                    .on_update = [&](const updated<config_map>& e) { return noting(e); },
                                    .on_delete = [&](const deleted<config_map>& e) { return noting(e); }});
        tell(w);
        CHECK(seen == story);
        CHECK(added_to.stats().failed == 4);
        return;
    }
    tell(w);
    CHECK(seen == story);
}

TEST_CASE("typed informer: an empty handler does nothing", "[typed]")
{
    world w;
    const auto maps = w.synced();
    const auto idle = maps.add_event_handler({});
    tell(w);
    CHECK(idle.stats().failed == 0);
}

TEST_CASE("typed informer: an index function may return its values", "[typed]")
{
    world w;
    w.put("a", "1");
    const auto maps = w.synced();
    REQUIRE(maps.add_index("texts", [](const typed_object<config_map>& m) { return lines{a_of(m), "all"}; }));
    REQUIRE(maps.add_index("parts", [](const typed_object<config_map>& m) { return std::vector{m->data()["a"]}; }));
    REQUIRE(maps.untyped().add_index("views", [](const object& o) { return std::vector{o.name(), o.ns()}; }));
    REQUIRE(maps.add_index("none", [](const typed_object<config_map>&) { return lines(); }));
    const auto stored = maps.lister();
    CHECK(names_of(stored.by_index("texts", "1")) == lines{"a"});
    CHECK(names_of(stored.by_index("texts", "all")) == lines{"a"});
    CHECK(names_of(stored.by_index("parts", "1")) == lines{"a"});
    CHECK(names_of(stored.by_index("views", "default")) == lines{"a"});
    CHECK(stored.index_values("none").empty());
}

TEST_CASE("typed informer: the lister reads typed objects", "[typed]")
{
    world w;
    w.put("a", "1");
    w.put("b", "2");
    const auto maps = w.synced();
    REQUIRE(maps.add_index("by a", [](const typed_object<config_map>& m, index_sink out) { out(m->data()["a"]); }));
    const auto stored = maps.lister();
    const auto found = stored.get("default", "a");
    REQUIRE(found);
    CHECK(found->data()["a"] == "1");
    const auto other = stored.get({"default", "b"});
    CHECK(other->metadata().name() == "b");
    CHECK_FALSE(stored.get("default", "c"));
    CHECK(names_of(stored.list()) == lines{"a", "b"});
    CHECK(names_of(stored.list_in("default")) == lines{"a", "b"});
    CHECK(stored.list_in("other").empty());
    CHECK(names_of(stored.list(*label_selector::parse("a=2"))) == lines{"b"});
    CHECK(names_of(stored.by_index("by a", "1")) == lines{"a"});
    lines visited;
    stored.for_each([&](const typed_object<config_map>& m) { visited.push_back(a_of(m)); });
    CHECK(visited.size() == 2);
    CHECK(stored.size() == 2);

    const auto written = w.run.run(w.maps().create(world::map_of("c", "3")));
    REQUIRE(written);
    const auto seen = w.run.run(stored.get_after({"default", "c"}, std::string(written->resource_version())));
    REQUIRE(seen);
    CHECK(a_of(*seen) == "3");
}

TEST_CASE("typed informer: a subscription pops typed events, or passes them on", "[typed]")
{
    world w;
    w.put("old", "1");
    const auto maps = w.synced();
    auto events = maps.subscribe();
    lines seen;
    const auto note = [&](const notification<config_map>& n) {
        std::visit([&](const auto& e) { seen.push_back(line(e)); }, n);
    };
    SECTION("popped")
    {
        const auto reading = [&]() -> asio::awaitable<result<>> {
            while (const auto batch = co_await events.pop())
                for (const auto& n : *batch) note(n);
            co_return events.end_reason();
        };
        auto reader = w.run.spawn(reading());
        tell(w);
        events.close();
        w.settle();
        REQUIRE(reader.done());
        CHECK(reader.outcome().error() == cond::cancelled);
    }
    SECTION("passed on")
    {
        auto reader = w.run.spawn(events.for_each(note));
        tell(w);
        events.close();
        w.settle();
        CHECK(reader.done());
    }
    CHECK(seen == story);
    subscription<config_map> none;
    CHECK(w.run.run(none.for_each(note)).error() == cond::misconfigured);
}

TEST_CASE("typed informer: waits take conditions, and predicates of typed objects", "[typed]")
{
    world w;
    const auto maps = w.synced();
    const object_key key("default", "m");
    auto existing = w.run.spawn(maps.wait_for(key, conditions::exists()));
    const auto second = [](const typed_object<config_map>& m) { return m && m->data()["a"] == "2"; };
    auto changed = w.run.spawn(maps.wait_for(key, second, 1min));
    const auto hopeless = [](const typed_object<config_map>& m) -> result<bool> {
        if (m) return failure(cond::invalid, "never");
        return false;
    };
    auto failing = w.run.spawn(maps.wait_for(key, hopeless));
    w.settle();
    CHECK_FALSE(existing.done());
    w.put("m", "1");
    w.settle();
    REQUIRE(existing.done());
    CHECK(a_of(existing.outcome().value()) == "1");
    REQUIRE(failing.done());
    CHECK(failing.outcome().error() == cond::invalid);
    CHECK_FALSE(changed.done());
    w.change("m", "2");
    w.settle();
    REQUIRE(changed.done());
    CHECK(a_of(changed.outcome().value()) == "2");
}

TEST_CASE("typed informer: wait_for_any returns typed notifications, for predicates of typed and of untyped ones",
          "[typed]")
{
    world w;
    const auto maps = w.synced();
    const auto gone = [](const notification<config_map>& n) { return std::holds_alternative<deleted<config_map>>(n); };
    auto deletion = w.run.spawn(maps.wait_for_any(gone));
    const auto second = [](const auto& n) { return object_of(n)->data()["a"] == "2"; };
    auto changed = w.run.spawn(maps.wait_for_any(second, 1min));
    auto first =
        w.run.spawn(maps.wait_for_any([](const notification<object>& n) { return object_of(n).name() == "m"; }));
    const auto hopeless = [](const notification<config_map>& n) -> result<bool> {
        return failure(cond::invalid, "never " + a_of(object_of(n)));
    };
    auto failing = w.run.spawn(maps.wait_for_any(hopeless));
    auto late = w.run.spawn(maps.wait_for_any(gone, 1ms, {.initial = false}));
    w.settle();
    w.run.advance(1s);
    w.put("m", "1");
    w.settle();
    REQUIRE(first.done());
    CHECK(std::get<added<config_map>>(first.outcome().value()).obj->data()["a"] == "1");
    REQUIRE(failing.done());
    CHECK(failing.outcome().error() == cond::invalid);
    REQUIRE(late.done());
    CHECK(late.outcome().error() == cond::timed_out);
    CHECK_FALSE(changed.done());
    w.change("m", "2");
    w.settle();
    REQUIRE(changed.done());
    CHECK(a_of(std::get<updated<config_map>>(changed.outcome().value()).before) == "1");
    CHECK(a_of(object_of(changed.outcome().value())) == "2");
    CHECK_FALSE(deletion.done());
    w.remove("m");
    w.settle();
    REQUIRE(deletion.done());
    CHECK(a_of(object_of(deletion.outcome().value())) == "2");
}

TEST_CASE("typed informer: what an update of a typed object changed", "[typed]")
{
    const auto m = to_object(world::map_of("m", "1")).value();
    const auto same = to_object(world::map_of("m", "1")).value();
    const auto other = to_object(world::map_of("m", "2")).value();
    const updated<config_map> change{m, other};
    CHECK(member_changed(change, "data"));
    CHECK(labels_changed(change));
    CHECK_FALSE(annotations_changed(change));
    CHECK_FALSE(spec_changed(change));
    CHECK_FALSE(status_changed(change));
    const updated<config_map> none{m, same};
    CHECK_FALSE(member_changed(none, "data"));
    CHECK_FALSE(labels_changed(none));
}

TEST_CASE("typed informer: own writes are shown as typed objects", "[typed]")
{
    world w;
    w.put("old", "1");
    const auto maps = w.synced();
    const mutation_cache seen(maps.lister());
    static_assert(std::is_same_v<decltype(seen), const mutation_cache<config_map>>);
    const auto made = w.run.run(w.maps().create(world::map_of("new", "2")));
    REQUIRE(made);
    seen.written(*made);
    const auto own = seen.get("default", "new");
    REQUIRE(own);
    CHECK(own->data()["a"] == "2");
    const auto stored = seen.get({"default", "old"});
    CHECK(a_of(stored) == "1");
    CHECK(names_of(seen.list()) == lines{"new", "old"});
    CHECK(names_of(seen.list_in("default")) == lines{"new", "old"});
    CHECK(names_of(seen.list(*label_selector::parse("a=2"))) == lines{"new"});
    CHECK(seen.untyped().list_in("other").empty());
}

TEST_CASE("typed watcher: delivers what an untyped one delivers, as typed objects", "[typed]")
{
    world w;
    w.put("old", "1");
    watcher<config_map> maps(w.cluster, {.ns = "default", .time = w.run.shared_clock(), .seed = 1});
    static_assert(std::is_same_v<decltype(watcher(w.cluster.provider(), config_map::resource())), watcher<object>>);
    lines seen;
    std::string version;
    const auto next = [&] {
        auto batch = w.run.run(maps.next());
        REQUIRE(batch);
        version = batch->resource_version;
        CHECK(batch->left_out.empty());
        for (const auto& e : batch->events)
            seen.push_back(std::string(to_string(e.type)) +
                           (e.obj ? " " + std::string(e.obj.name()) + "=" + a_of(e.obj) : ""));
    };
    while (version.empty()) next();
    w.put("new", "2");
    w.remove("old");
    while (seen.empty() || !seen.back().starts_with("deleted")) next();
    CHECK(seen == lines{"init_begins", "listed old=1", "init_done", "applied new=2", "deleted old=1"});
    CHECK(w.run.run(maps.stop()));
    CHECK(w.run.run(maps.next()).error() == cond::cancelled);
    watcher<config_map> of_untyped{watcher(w.cluster.provider(), config_map::resource())};
    CHECK(w.run.run(of_untyped.stop()));
}
