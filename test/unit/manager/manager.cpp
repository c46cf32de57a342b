// A manager and its controllers: what users write, in what order it starts, and what it says while it waits.
#include "manager_fixture.hpp"

#include <kubecoro/api/edit.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <optional>

using namespace manager_test;

TEST_CASE("manager: a chain declares a controller, which runs when all informers have synced", "[manager]")
{
    world w;
    w.put("one");
    lines seen;
    const auto shop_of = [](const typed_object<namespace_>& n) { return object_key("default", std::string(n.name())); };
    const auto c = w.m->control<config_map>(janitor{*w.m, seen}).owns<secret>().watches<namespace_>(shop_of);
    CHECK(c.name() == "configmaps");
    CHECK(seen.empty());
    w.begin();
    CHECK(w.m->stats().phase == manager_phase::running);
    CHECK(w.run.run(w.m->ready()));
    CHECK(seen == lines{"one:0"});
    CHECK(w.log.count("info synced informer=") == 3);
    CHECK(w.log.count("ready") == 1);

    seen.clear();
    w.put("shop");
    w.run.advance(1s);
    const namespace_ ns{.metadata = {.name = "shop"}};
    REQUIRE(w.run.run(w.cluster.resource<namespace_>().create(ns)));
    w.run.advance(1s);
    CHECK(seen == lines{"shop:0", "shop:0"});

    w.m->request_stop();
    w.run.advance(1s);
    REQUIRE(w.running->done());
    CHECK(w.running->outcome().has_value());
    CHECK(w.m->stats().phase == manager_phase::stopped);
}

TEST_CASE("manager: a map function may name no key, and a reconciler may take auto", "[manager]")
{
    world w;
    lines seen;
    const auto note = [&seen](const auto& map, auto&) -> reconciled {
        seen.emplace_back(map->metadata().name());
        co_return action::done();
    };
    const auto shop_of = [](const typed_object<namespace_>& n) -> std::optional<object_key> {
        if (n.name() != "shop") return std::nullopt;
        return object_key("default", n.name());
    };
    w.m->control<config_map>(note).watches<namespace_>(shop_of);
    w.put("shop");
    w.begin();
    CHECK(seen == lines{"shop"});
    for (const auto* name : {"shop", "other"}) {
        seen.clear();
        const namespace_ ns{.metadata = {.name = name}};
        REQUIRE(w.run.run(w.cluster.resource<namespace_>().create(ns)));
        w.run.advance(1s);
        CHECK(seen.size() == (name == std::string_view("shop") ? 1 : 0));
    }
    lines listed;
    const auto maps = w.run.run(w.cluster.resource<config_map>("default").list());
    REQUIRE(maps);
    for (const auto& map : *maps) listed.emplace_back(map.name());
    CHECK(listed == lines{"shop"});
}

TEST_CASE("manager: a reconciler of keys is also called for what is gone; a second controller gets a number",
          "[manager]")
{
    world w;
    lines keys;
    const auto note = [&](const object_key& key, reconcile_context&) -> reconciled {
        keys.push_back(to_string(key));
        co_return action::done();
    };
    w.m->control<config_map>(note);
    CHECK(w.m->control<config_map>(note).name() == "configmaps-2");
    w.put("one");
    w.begin();
    CHECK(keys == lines{"default/one", "default/one"});
    REQUIRE(w.run.run(w.cluster.resource<config_map>("default").remove("one")));
    w.run.advance(1s);
    CHECK(keys.size() == 4);
}

TEST_CASE("manager: owners and filters: the controlling owner by default, and each filter for its own source",
          "[manager]")
{
    world w;
    lines few, all;
    const auto note = [](lines& seen) {
        return [&seen](const object_key& key, reconcile_context&) -> reconciled {
            seen.push_back(key.name);
            co_return action::done();
        };
    };
    const auto named = [](std::string_view name) {
        return predicates::not_(predicates::matches([name](const object& o) { return o.name() == name; }));
    };
    w.m->control<config_map>(note(few), {.filter = named("two")}).owns<secret>({.filter = named("ignored")});
    w.m->control<config_map>(note(all), {.filter = named("one")}).watches<secret>(enqueue_owners<config_map>());
    w.put("one");
    w.put("two");
    w.begin();
    CHECK(few == lines{"one"});
    CHECK(all == lines{"two"});

    const auto make_owned = [&](const std::string& name) {
        boost::json::object owned = new_object(secret::resource(), {"default", name});
        for (const auto* owner : {"one", "two"}) {
            const auto read = w.run.run(w.cluster.get(config_map::resource(), "default", owner));
            REQUIRE(read);
            if (owner == std::string_view("one"))
                set_controller_reference(*read, owned);
            else
                set_owner_reference(*read, owned);
        }
        few.clear();
        all.clear();
        REQUIRE(w.run.run(w.cluster.resource<secret>("default").create(boost::json::value(owned))));
        w.run.advance(1s);
        std::sort(all.begin(), all.end());
    };
    make_owned("seen");
    CHECK(few == lines{"one"});
    CHECK(all == lines{"one", "two"});
    make_owned("ignored");
    CHECK(few.empty());
    CHECK(all == lines{"one", "two"});
}

TEST_CASE("manager: reading an undeclared kind fails the run at once", "[manager]")
{
    world w;
    w.put("one");
    std::string why;
    w.m->control<config_map>([&](const typed_object<config_map>&, reconcile_context&) -> reconciled {
        try {
            (void)w.m->lister<secret>().size();
        } catch (const error& e) {
            why = e.what();
        }
        co_return action::done();
    });
    w.begin();
    CHECK(why.find("secrets is read, but was not declared") != std::string::npos);
    const auto late = w.m->informer<secret>(); // on purpose, while running
    w.run.advance(1s);
    CHECK(late.synced());
    CHECK(w.m->lister<secret>().size() == 0);
}

TEST_CASE("manager: the first informer of a kind is the one that everything uses", "[manager]")
{
    world w({.namespaces = {"shop"}});
    const auto selected = w.m->informer<secret>({.label_selector = "app=shop"});
    const auto c = w.m->control<config_map>(
        [](const typed_object<config_map>&, reconcile_context&) -> reconciled { co_return action::done(); });
    c.owns<secret>();
    CHECK(w.m->informers().informers().size() == 2);
    CHECK(selected.namespaces() == lines{"shop"});
    CHECK(w.m->informer<namespace_>().namespaces().empty());
    w.begin();
    CHECK(w.m->stats().phase == manager_phase::running);
}

TEST_CASE("manager: a typed controller reads the first informer of its kind, whatever that keeps", "[manager]")
{
    world w;
    informer_options few;
    few.decode.prune.keep = {"metadata.labels"};
    const auto first = w.m->informer<config_map>(few);
    bool has_data = true;
    w.m->control<config_map>([&](const typed_object<config_map>& m, reconcile_context&) -> reconciled {
        has_data = !m->data().empty();
        co_return action::done();
    });
    CHECK(w.m->informers().informers().size() == 1);
    w.put("one");
    w.begin();
    CHECK_FALSE(has_data);
    CHECK(first.stats().objects == 1);
}

TEST_CASE("manager: while informers are missing it says which and why, then ends with their names", "[manager]")
{
    world w({.sync_timeout = 25s, .check_access = false}, {"nobody"});
    w.m->control<config_map>(
        [](const typed_object<config_map>&, reconcile_context&) -> reconciled { co_return action::done(); });
    w.begin();
    CHECK(w.m->stats().phase == manager_phase::syncing);
    w.run.advance(20s);
    CHECK(w.log.count("list failed informer=configmaps") >= 1);
    CHECK(w.log.count(log_level::warning) == 1); // the informer's, at its first failure
    CHECK(w.log.count("waiting for informers synced=0 of=1") == 2);
    w.run.advance(10s);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error() == cond::forbidden);
    CHECK(w.running->outcome().error().message().find("informers did not sync within 25 s: configmaps: forbidden") ==
          0);
    const auto ready = w.run.run(w.m->ready());
    REQUIRE_FALSE(ready);
    CHECK(ready.error() == cond::forbidden);
}

TEST_CASE("manager: a kind that the server does not know comes with the next step", "[manager]")
{
    world w({.sync_timeout = 25s, .check_access = false});
    (void)w.m->informer(resource_type{"shop.example.com", "v1", "gadgets", "Gadget"});
    w.begin();
    w.run.advance(12s);
    CHECK(w.log.count("gadgets.shop.example.com: not_found: the server does not know this kind: apply its") == 1);
    w.run.advance(15s);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error() == cond::not_found);
    CHECK(w.running->outcome().error().message().find("install_crds()") != std::string::npos);
}

TEST_CASE("manager: a stop before the start, and one at once after it", "[manager]")
{
    world early;
    early.m->control<config_map>(
        [](const typed_object<config_map>&, reconcile_context&) -> reconciled { co_return action::done(); });
    CHECK(early.run.run(early.m->stop()));
    CHECK(early.run.run(early.m->run()));

    world soon;
    soon.m->control<config_map>(
        [](const typed_object<config_map>&, reconcile_context&) -> reconciled { co_return action::done(); });
    soon.m->start();
    soon.m->request_stop();
    CHECK(soon.run.run(soon.m->run()));
}

TEST_CASE("manager: it may be stopped after any number of steps", "[manager]")
{
    for (std::size_t steps = 0; steps < 400; steps += 7) {
        INFO("after " << steps << " steps");
        world w;
        w.put("one");
        lines seen;
        w.m->control<config_map>(janitor{*w.m, seen}).owns<secret>();
        w.m->run("idle", [&]() -> ended { return sleep_for(w.run.clock(), 1h); });
        w.m->start();
        (void)w.run.step(steps);
        CHECK(w.run.run(w.m->stop()));
        CHECK(w.m->stats().phase == manager_phase::stopped);
    }
}

TEST_CASE("manager: it describes itself", "[manager]")
{
    world w;
    w.m->run("idle", [&]() -> ended { return sleep_for(w.run.clock(), 1h); });
    (void)w.m->informer<secret>();
    w.begin();
    const auto text = w.m->describe();
    CHECK(text.find("manager subject: running\n  idle: running\n") == 0);
    CHECK(text.find("secrets") != std::string::npos);
}
