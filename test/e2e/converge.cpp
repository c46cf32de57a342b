// End-to-end tests without disturbances: every change through the API is delivered once and in order.

#include "churn.hpp"
#include "followed.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/catch.hpp>

#include <cstdlib>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;
using untyped::pod;

TEST_CASE("a thousand random changes: stores and handlers end equal to the server", "[churn]")
{
    const auto wanted = setting("KUBECORO_SEED");
    const std::uint64_t seed = wanted.empty() ? detail::random_seed() : std::strtoull(wanted.c_str(), nullptr, 10);
    INFO("KUBECORO_SEED=" << seed);

    cluster c;
    const std::vector<std::string> namespaces{c.make_namespace("churn-a"), c.make_namespace("churn-b")};
    const auto widgets = c.widget_type();
    c.define(widgets);
    const std::vector<resource_type> types{pod::resource(), config_map::resource(), widgets};
    // The definition is served shortly after its creation.
    REQUIRE(c.eventually([&] { return c.run(c.api().list(widgets, namespaces[0])).has_value(); }));

    // Objects exist before the informers start.
    churn changes(c.api(), seed, types, namespaces);
    const auto before = c.run(changes.run(100));
    REQUIRE(before);

    std::vector<std::unique_ptr<witness>> witnesses;
    for (std::size_t i = 0; i < 3 * types.size(); ++i) witnesses.push_back(std::make_unique<witness>(c));
    std::vector<std::future<result<>>> pulls;
    informers all(c, c.api());
    std::vector<shared_informer<object>> watched;
    for (std::size_t i = 0; i < types.size(); ++i) {
        informer_options options;
        options.namespaces = namespaces;
        options.check_consistency = true;
        watched.push_back(all->get(types[i], options));
        watched[i].add_event_handler(witnesses[3 * i]->plain());
        watched[i].add_event_handler(witnesses[3 * i + 1]->coroutines());
        pulls.push_back(c.start(witnesses[3 * i + 2]->pull(watched[i].subscribe())));
    }
    all->start();
    const auto synced = c.run(all->has_synced());
    REQUIRE(synced);

    const auto churned = c.run(changes.run(1000), std::chrono::seconds{300});
    REQUIRE(churned);
    CHECK(changes.changes() > 300);

    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::vector<const witness*> hearing{witnesses[3 * i].get(), witnesses[3 * i + 1].get(),
                                                  witnesses[3 * i + 2].get()};
        std::string missing;
        c.eventually([&] { return (missing = gap(c, watched[i], hearing, namespaces)).empty(); });
        CHECK(missing == "");
        for (const auto* w : hearing) CHECK(w->complaint() == "");
        CHECK(c.eventually([&] { return watched[i].stats().consistency.checks == namespaces.size(); }));
        const auto stats = watched[i].stats();
        CHECK(stats.consistency.skipped == 0);
        CHECK(stats.consistency.last_difference == "");
        CHECK(stats.reflector.lists_total() == namespaces.size());
        CHECK(stats.reflector.relists_total() == 0);
        CHECK(stats.reflector.skipped == 0);
        CHECK(stats.reflector.decode_errors == 0);
        CHECK(stats.objects == c.read(types[i], namespaces).value().size());
    }
    all.stop();
    for (auto& p : pulls) {
        REQUIRE(p.wait_for(std::chrono::seconds{30}) == std::future_status::ready);
        CHECK(p.get());
    }
}

TEST_CASE("a streamed list and a paged list have the same result", "[churn]")
{
    const bool streamed = GENERATE(true, false);
    cluster c;
    const auto ns = c.make_namespace(streamed ? "streamed" : "paged");
    const auto api = c.api().resource(config_map::resource(), ns);
    for (int i = 0; i < 30; ++i) c.run(api.create(manifest(api.type(), "early-" + std::to_string(i)))).value();

    factory_options options;
    options.policy.watch_list = streamed;
    options.policy.page_size = 7;
    followed f(c, c.api(), config_map::resource(), ns, options);
    const auto synced = f.sync();
    REQUIRE(synced);
    CHECK(f.informer.lister().size() >= 30);
    for (int i = 0; i < 5; ++i) c.run(api.create(manifest(api.type(), "later-" + std::to_string(i)))).value();
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    const auto stats = f.stats();
    CHECK(stats.watch_lists == (streamed ? 1 : 0));
    CHECK(stats.lists == (streamed ? 0 : 1));
    CHECK(stats.fallbacks == 0);
    CHECK(stats.relists_total() == 0);
}

TEST_CASE("a sleeping handler delays no other, and gets all notifications when it wakes", "[churn]")
{
    const auto seed = detail::random_seed();
    INFO("seed " << seed);
    cluster c;
    const auto ns = c.make_namespace("sleeper");
    latch woken;
    witness slow(c);
    followed f(c, c.api(), config_map::resource(), ns);
    // Smaller than the number of notifications, so that they merge.
    handler_options small;
    small.max_pending = 10;
    f.informer.add_event_handler(slow.asleep(woken), small);
    const auto synced = f.sync();
    REQUIRE(synced);
    churn changes(c.api(), seed, {config_map::resource()}, {ns});
    const auto churned = c.run(changes.run(300));
    REQUIRE(churned);
    CHECK(f.converge() == "");
    CHECK(slow.believes().empty());

    woken.settle({});
    CHECK(c.eventually([&] { return gap(c, f.informer, {&slow}, {ns}).empty(); }));
    CHECK(slow.complaint() == "");
    CHECK(f.witnessed.complaint() == "");
}

TEST_CASE("a deleted object with finalizers is updated, then deleted", "[churn]")
{
    cluster c;
    const auto ns = c.make_namespace("held");
    followed f(c, c.api(), config_map::resource(), ns);
    const auto synced = f.sync();
    REQUIRE(synced);

    const auto api = c.api().resource(config_map::resource(), ns);
    const auto made = c.run(api.create(manifest(api.type(), "held", "1", R"(,"finalizers":["kubecoro.dev/e2e"])")));
    REQUIRE(made);
    const auto removed = c.run(api.remove("held"));
    REQUIRE(removed);
    CHECK(c.eventually([&] { return f.informer.lister().get(ns, "held").being_deleted(); }));
    CHECK(f.witnessed.counts().deleted == 0);

    const auto freed = c.run(api.patch("held", patch_kind::merge, R"({"metadata":{"finalizers":null}})"));
    REQUIRE(freed);
    CHECK(c.eventually([&] { return f.witnessed.counts().deleted == 1; }));
    CHECK_FALSE(f.informer.lister().get(ns, "held"));
    CHECK(f.witnessed.counts().unknown == 0);
    CHECK(f.witnessed.complaint() == "");
}
