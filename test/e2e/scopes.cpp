// End-to-end tests of informer scopes and of handlers that join late.

#include "churn.hpp"
#include "followed.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <set>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;
using untyped::node;
using untyped::pod;

TEST_CASE("a late joiner gets every stored object once, then later events", "[scopes]")
{
    cluster c;
    const auto ns = c.make_namespace("late");
    const auto api = c.api().resource(config_map::resource(), ns);
    for (int i = 0; i < 20; ++i) c.run(api.create(manifest(api.type(), "early-" + std::to_string(i)))).value();

    witness first(c);
    witness late(c);
    witness pulling(c);
    informers all(c, c.api());
    informer_options options;
    options.namespaces = {ns};
    auto maps = all->get<config_map>(options);
    maps.add_event_handler(first.plain());
    all->start();
    const auto synced = c.run(maps.has_synced());
    REQUIRE(synced);

    const auto registered = maps.add_event_handler(late.coroutines());
    const auto pulled = c.start(pulling.pull(maps.subscribe()));
    const auto told = c.run(registered.has_synced());
    REQUIRE(told);
    CHECK(late.counts().initial >= 20);
    for (int i = 0; i < 5; ++i) c.run(api.create(manifest(api.type(), "later-" + std::to_string(i)))).value();
    c.run(api.remove("early-0")).value();

    std::string missing;
    c.eventually([&] { return (missing = gap(c, maps, {&first, &late, &pulling}, {ns})).empty(); });
    CHECK(missing == "");
    for (const auto* w : {&first, &late, &pulling}) {
        CHECK(w->complaint() == "");
        CHECK(w->counts().initial + w->counts().added >= 25);
        CHECK(w->counts().deleted == 1);
    }
    all.stop();
}

TEST_CASE("selectors: objects that begin or cease to match are added and deleted", "[scopes]")
{
    cluster c;
    const auto ns = c.make_namespace("selectors");
    witness labelled(c);
    witness named(c);
    witness on_node(c);
    informers all(c, c.api());
    informer_options by_label;
    by_label.namespaces = {ns};
    by_label.label_selector = "app in (shop, bank),!hidden";
    informer_options by_name;
    by_name.namespaces = {ns};
    by_name.field_selector = "metadata.name=one";
    informer_options by_node;
    by_node.namespaces = {ns};
    by_node.field_selector = "spec.nodeName=n1";
    auto shops = all->get<config_map>(by_label);
    auto one = all->get<config_map>(by_name);
    auto pods = all->get<pod>(by_node);
    shops.add_event_handler(labelled.plain());
    one.add_event_handler(named.plain());
    pods.add_event_handler(on_node.plain());
    all->start();
    const auto synced = c.run(all->has_synced());
    REQUIRE(synced);

    const auto maps = c.api().resource(config_map::resource(), ns);
    c.run(maps.create(manifest(maps.type(), "one", "1", R"(,"labels":{"app":"shop"})"))).value();
    c.run(maps.create(manifest(maps.type(), "two", "1", R"(,"labels":{"app":"other"})"))).value();
    REQUIRE(c.eventually([&] { return labelled.believes().size() == 1 && named.believes().size() == 1; }));
    CHECK(shops.lister().get(ns, "one"));

    c.run(maps.patch("two", patch_kind::merge, R"({"metadata":{"labels":{"app":"bank"}}})")).value();
    c.run(maps.patch("one", patch_kind::merge, R"({"metadata":{"labels":{"hidden":"yes"}}})")).value();
    CHECK(c.eventually([&] { return labelled.counts().deleted == 1 && named.counts().updated == 1; }));
    CHECK(labelled.counts().added == 2);
    CHECK(labelled.counts().unknown == 0);
    CHECK(shops.lister().size() == 1);
    CHECK(shops.lister().get(ns, "two"));

    const auto running = c.api().resource(pod::resource(), ns);
    c.run(running.create(manifest(running.type(), "p"))).value();
    const std::string binding = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},)"
                                R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})";
    request bind;
    bind.method = "POST";
    bind.target = "/api/v1/namespaces/" + ns + "/pods/p/binding";
    bind.content_type = "application/json";
    bind.body = binding;
    const auto bound = c.run(c.api().raw(bind)).value();
    REQUIRE(bound.head.status == 201);
    CHECK(c.eventually([&] { return on_node.believes().size() == 1; }));
    const auto placed = pods.lister().get(ns, "p");
    CHECK(placed["spec"]["nodeName"].as_string() == "n1");
    delete_options now;
    now.grace_period = std::chrono::seconds{0};
    c.run(running.remove("p", now)).value();
    CHECK(c.eventually([&] { return on_node.believes().empty(); }));
    for (const auto* w : {&labelled, &named, &on_node}) CHECK(w->complaint() == "");
}

TEST_CASE("namespaces: an informer covers several namespaces, and no others", "[scopes]")
{
    cluster c;
    const std::vector<std::string> covered{c.make_namespace("in-a"), c.make_namespace("in-b")};
    const auto other = c.make_namespace("out");
    witness w(c);
    witness everywhere(c);
    informers all(c, c.api());
    informer_options options;
    options.namespaces = covered;
    auto some = all->get<config_map>(options);
    auto every = all->get<config_map>();
    some.add_event_handler(w.plain());
    every.add_event_handler(everywhere.plain());
    all->start();
    const auto synced = c.run(all->has_synced());
    REQUIRE(synced);
    for (const auto& ns : {covered[0], covered[1], other})
        for (const auto* name : {"a", "b"})
            c.run(c.api().create(config_map::resource(), ns, manifest(config_map::resource(), name))).value();

    CHECK(c.eventually([&] { return every.lister().list_in(other).size() >= 2; }));
    std::string missing;
    c.eventually([&] { return (missing = gap(c, some, {&w}, covered)).empty(); });
    CHECK(missing == "");
    CHECK(some.lister().list_in(other).empty());
    const auto shown = some.lister().namespaces();
    CHECK(std::set<std::string>(shown.begin(), shown.end()) == std::set<std::string>(covered.begin(), covered.end()));
    CHECK(w.complaint() == "");
    CHECK(everywhere.complaint() == "");
}

TEST_CASE("namespaces: 200 are added and removed, 50 at a time, during changes", "[scopes]")
{
    constexpr std::size_t count = 200;
    constexpr std::size_t step = 50;
    cluster c;
    const auto everything = c.make_namespaces("many", count);
    churn changes(c.api(), 200, {config_map::resource()}, everything);
    const auto before = c.run(changes.run(count));
    REQUIRE(before);

    witness w(c);
    informers all(c, c.api());
    informer_options options;
    options.namespaces = {everything[0]};
    auto maps = all->get<config_map>(options);
    maps.add_event_handler(w.plain());
    all->start();
    const auto synced = c.run(maps.has_synced());
    REQUIRE(synced);

    std::vector<std::size_t> sizes;
    for (std::size_t n = step; n <= count; n += step) sizes.push_back(n);
    for (std::size_t n = count - step; n >= step; n -= step) sizes.push_back(n);
    for (const auto n : sizes) {
        INFO(n << " namespaces");
        const std::vector<std::string> covered(everything.begin(), everything.begin() + static_cast<std::ptrdiff_t>(n));
        auto flowing = c.start(changes.run(count));
        const auto changed = c.run(maps.set_namespaces(covered));
        CHECK(changed);
        const auto flowed = flowing.get();
        REQUIRE(flowed);
        CHECK(maps.stats().namespaces == n);
        std::string missing;
        c.eventually([&] { return (missing = gap(c, maps, {&w}, covered)).empty(); });
        CHECK(missing == "");
        CHECK(w.complaint() == "");
    }
    const auto left = c.run(maps.set_namespaces({}));
    CHECK(left);
    CHECK(c.eventually([&] { return maps.lister().size() == 0 && w.believes().empty(); }));
    CHECK(w.complaint() == "");
}

TEST_CASE("cluster-scoped objects: nodes", "[scopes]")
{
    cluster c;
    const auto mark = c.unique("e2e");
    const auto make = [&](const std::string& name) {
        c.make(node::resource(), {}, c.unique(name),
               R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + c.unique(name) + R"(","labels":{"run":")" +
                   mark + R"("}}})");
    };
    make("n1");
    witness w(c);
    informers all(c, c.api());
    informer_options options;
    options.label_selector = "run=" + mark;
    auto nodes = all->get<node>(options);
    nodes.add_event_handler(w.plain());
    all->start();
    const auto synced = c.run(nodes.has_synced());
    REQUIRE(synced);
    CHECK(nodes.lister().get("", c.unique("n1")));
    make("n2");
    const auto patched =
        c.run(c.api().patch(node::resource(), {}, c.unique("n1"), patch_kind::strategic_merge,
                            R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})", {}, "status"));
    REQUIRE(patched);
    CHECK(c.eventually([&] { return w.believes().size() == 2 && w.counts().updated >= 1; }));
    const auto node = nodes.lister().get("", c.unique("n1"));
    CHECK(node["status"]["conditions"][std::size_t{0}]["type"].as_string() == "Ready");
    const auto removed = c.run(c.api().remove(node::resource(), {}, c.unique("n2")));
    REQUIRE(removed);
    CHECK(c.eventually([&] { return w.believes().size() == 1; }));
    CHECK(w.complaint() == "");
}

TEST_CASE("watches that the server ends are resumed without a relist", "[scopes]")
{
    cluster c;
    const auto ns = c.make_namespace("resume");
    const auto maps = c.api().resource(config_map::resource(), ns);
    auto options = impatient();
    options.policy.watch_timeout_min = std::chrono::seconds{2};
    options.policy.watch_timeout_max = std::chrono::seconds{2};
    followed f(c, c.api(), config_map::resource(), ns, options);
    const auto synced = f.sync();
    REQUIRE(synced);
    int made = 0;
    for (std::uint64_t watches = 2; watches <= 4; ++watches) {
        c.run(maps.create(manifest(maps.type(), "m" + std::to_string(made++)))).value();
        REQUIRE(c.eventually([&] { return f.stats().watches >= watches; }));
    }
    c.run(maps.create(manifest(maps.type(), "last"))).value();
    CHECK(f.converge() == "");
    const auto stats = f.informer.stats();
    CHECK(stats.reflector.lists_total() == 1);
    CHECK(stats.reflector.failures == 0);
    CHECK(f.witnessed.complaint() == "");
}

TEST_CASE("shards: two informers share all objects without overlap", "[scopes]")
{
    cluster c;
    const auto ns = c.make_namespace("shards");
    const auto accounts = c.api().resource(untyped::service_account::resource(), ns);
    for (int i = 0; i < 20; ++i)
        c.run(accounts.create(manifest(accounts.type(), "early-" + std::to_string(i)))).value();

    informers all(c, c.api());
    const auto shard = [&](const std::string& first, const std::string& end) {
        informer_options options;
        options.namespaces = {ns};
        options.shard_selector = "shardRange(object.metadata.uid, '" + first + "', '" + end + "')";
        return all->get(accounts.type(), options);
    };
    const auto lower = shard("0x0000000000000000", "0x8000000000000000");
    const auto upper = shard("0x8000000000000000", "0x10000000000000000");
    all->start();
    const auto synced = c.run(all->has_synced());
    REQUIRE(synced);
    CHECK(lower.lister().size() + upper.lister().size() == 20);
    for (int i = 0; i < 20; ++i)
        c.run(accounts.create(manifest(accounts.type(), "later-" + std::to_string(i)))).value();
    CHECK(c.eventually([&] { return lower.lister().size() + upper.lister().size() == 40; }));

    std::set<std::string> names;
    for (const auto* half : {&lower, &upper}) {
        CHECK(half->lister().size() > 0);
        half->lister().for_each([&](const object& o) { names.emplace(o.name()); });
    }
    CHECK(names.size() == 40);
}
