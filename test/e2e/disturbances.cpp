// End-to-end tests with disturbances: history is compacted, the server is killed, the server stops answering.

#include "churn.hpp"
#include "followed.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/faulty_transport.hpp>

#include <atomic>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;
using untyped::pod;

namespace asio = boost::asio;

namespace {

/// A transport that sends through another client, so that a case can intervene before each request.
class relay final : public transport
{
public:
    using observer = std::function<void(const request&)>;
    /// @param before  Called with each request before it is sent; may block.
    explicit relay(client over, observer before = {}) : over_(std::move(over)), before_(std::move(before)) {}
    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        if (before_) before_(r);
        r.headers.clear(); // the other client adds its own
        co_return co_await over_.send(std::move(r));
    }

private:
    client over_;
    observer before_;
};

/// A client whose connections the plan can break.
client fragile(cluster& c, std::shared_ptr<testing::fault_plan> plan)
{
    return {c.executor(), std::make_shared<testing::faulty_transport>(std::make_shared<relay>(c.api()), std::move(plan),
                                                                      real_clock())};
}

std::uint64_t relists(const shared_informer<object>& i, relist_reason why)
{
    return i.stats().reflector.relists[static_cast<std::size_t>(why)];
}

} // namespace

TEST_CASE("410: etcd is compacted while the watch is down", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    cluster c;
    const auto ns = c.make_namespace("compacted");
    const auto maps = c.api().resource(config_map::resource(), ns);
    const auto make = [&](const std::string& name) { c.run(maps.create(manifest(maps.type(), name))).value(); };
    for (int i = 0; i < 10; ++i) make("stays-" + std::to_string(i));
    make("changes");
    make("goes");
    make("comes-back");

    const auto plan = std::make_shared<testing::fault_plan>();
    followed f(c, fragile(c, plan), config_map::resource(), ns, impatient());
    const auto synced = f.sync();
    REQUIRE(synced);
    REQUIRE(c.eventually([&] { return f.stats().watches == 1; }));

    plan->set_down(true);
    c.run(maps.patch("changes", patch_kind::merge, R"({"data":{"value":"2"}})")).value();
    c.run(maps.remove("goes")).value();
    c.run(maps.remove("comes-back")).value();
    make("comes-back");
    make("new");
    c.disturb("compact");
    REQUIRE(c.eventually([&] { return f.stats().failures > 0; }));
    CHECK(f.witnessed.counts().deleted == 0);
    plan->set_down(false);

    CHECK(f.converge() == "");
    CHECK(relists(f.informer, relist_reason::expired) >= 1);
    CHECK(f.witnessed.complaint() == "");
    const auto told = f.witnessed.counts();
    CHECK(told.updated == 1);
    CHECK(told.deleted == 2);
    CHECK(told.unknown == 2);
    // Unchanged objects were not notified again. (On a full cluster, controllers add objects to new namespaces.)
    CHECK(told.added == 2);
    make("after");
    CHECK(c.eventually([&] { return static_cast<bool>(f.informer.lister().get(ns, "after")); }));
}

TEST_CASE("410: the API server has lost the history of a pod watch", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    cluster c;
    const auto ns = c.make_namespace("restarted");
    const auto pods = c.api().resource(pod::resource(), ns);
    const auto make = [&](const std::string& name) { c.run(pods.create(manifest(pods.type(), name))).value(); };
    make("stays");
    make("goes");
    const auto plan = std::make_shared<testing::fault_plan>();
    followed f(c, fragile(c, plan), pod::resource(), ns, impatient());
    const auto synced = f.sync();
    REQUIRE(synced);

    plan->set_down(true);
    delete_options now;
    now.grace_period = std::chrono::seconds{0};
    c.run(pods.remove("goes", now)).value();
    make("new");
    c.disturb("restart-apiserver"); // its watch cache starts with the current objects
    plan->set_down(false);
    CHECK(f.converge() == "");
    CHECK(relists(f.informer, relist_reason::expired) >= 1);
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.witnessed.counts().updated == 0);
    CHECK(f.witnessed.counts().unknown == 1);
}

TEST_CASE("410: etcd is compacted between two pages of the first list", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    cluster c;
    const auto ns = c.make_namespace("pages");
    const auto maps = c.api().resource(config_map::resource(), ns);
    const auto make = [&](const std::string& name) { c.run(maps.create(manifest(maps.type(), name))).value(); };
    for (int i = 0; i < 30; ++i) make("m-" + std::to_string(i));

    std::atomic<int> further_pages{0};
    const auto between = [&](const request& r) {
        if (r.target.find("continue=") == std::string::npos || ++further_pages != 2) return;
        make("late");
        c.disturb("compact");
    };
    const client carried(c.executor(), std::make_shared<relay>(c.api(), between));
    auto options = impatient();
    options.policy.page_size = 10;
    options.policy.watch_list = false; // a streamed list has no pages
    followed f(c, carried, config_map::resource(), ns, options);
    const auto synced = f.sync();
    REQUIRE(synced);
    CHECK(further_pages == 2);
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.witnessed.counts().initial + f.witnessed.counts().added >= 31);
    const auto stats = f.stats();
    CHECK(stats.lists_total() == 1);
    CHECK(stats.failures == 1);
    REQUIRE(stats.last_failure);
    CHECK(*stats.last_failure == cond::expired);
}

TEST_CASE("410: etcd is compacted repeatedly under load while connections break", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    const auto seed = detail::random_seed();
    INFO("seed " << seed);
    cluster c;
    const auto ns = c.make_namespace("shrinking");
    const auto plan = std::make_shared<testing::fault_plan>();
    followed f(c, fragile(c, plan), config_map::resource(), ns, impatient());
    const auto synced = f.sync();
    REQUIRE(synced);

    churn changes(c.api(), seed, {config_map::resource()}, {ns});
    for (int round = 0; round < 4; ++round) {
        auto load = c.start(changes.run(150));
        plan->set_down(true);
        c.disturb("compact");
        plan->set_down(false);
        const auto done = load.get();
        REQUIRE(done);
    }
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.stats().failures > 0);
}

TEST_CASE("the API server is killed and restarted during changes", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    const auto seed = detail::random_seed();
    INFO("seed " << seed);
    cluster c;
    const std::vector<std::string> namespaces{c.make_namespace("killed")};
    const auto widgets = c.widget_type();
    c.define(widgets);
    const std::vector<resource_type> types{pod::resource(), config_map::resource(), widgets};
    REQUIRE(c.eventually([&] { return c.run(c.api().list(widgets, namespaces[0])).has_value(); }));

    std::vector<std::unique_ptr<witness>> witnesses;
    for (std::size_t i = 0; i < types.size(); ++i) witnesses.push_back(std::make_unique<witness>(c));
    informers all(c, c.api(), impatient());
    std::vector<shared_informer<object>> watched;
    for (std::size_t i = 0; i < types.size(); ++i) {
        informer_options scope;
        scope.namespaces = namespaces;
        watched.push_back(all->get(types[i], scope));
        watched[i].add_event_handler(witnesses[i]->plain());
    }
    all->start();
    const auto synced = c.run(all->has_synced());
    REQUIRE(synced);

    churn changes(c.api(), seed, types, namespaces);
    const auto calm = c.run(changes.run(100));
    REQUIRE(calm);
    auto stormy = c.start(changes.run(1000000));
    c.disturb("kill-apiserver");
    REQUIRE(stormy.wait_for(std::chrono::seconds{60}) == std::future_status::ready);
    CHECK(stormy.get().has_error());
    for (const auto& i : watched) CHECK(c.eventually([&] { return i.stats().reflector.failures > 0; }));
    c.disturb("start-apiserver");
    const auto again = c.run(changes.run(200));
    CHECK(again);

    for (std::size_t i = 0; i < types.size(); ++i) {
        std::string missing;
        c.eventually([&] { return (missing = gap(c, watched[i], {witnesses[i].get()}, namespaces)).empty(); });
        CHECK(missing == "");
        CHECK(witnesses[i]->complaint() == "");
        CHECK(watched[i].synced());
        CHECK(watched[i].stats().reflector.watches >= 2);
    }
}

TEST_CASE("the API server stops answering: a half-open watch is abandoned and resumed", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    cluster c;
    const auto ns = c.make_namespace("silent");
    auto options = impatient();
    options.policy.watch_timeout_min = std::chrono::seconds{2};
    options.policy.watch_timeout_max = std::chrono::seconds{2};
    options.policy.watch_grace = std::chrono::seconds{1};
    options.policy.open_timeout = std::chrono::seconds{2};
    followed f(c, c.api(), config_map::resource(), ns, options);
    const auto synced = f.sync();
    REQUIRE(synced);
    c.disturb("stop-apiserver");
    CHECK(c.eventually([&] { return f.stats().failures > 0; }));
    c.disturb("cont-apiserver");
    c.run(c.api().create(config_map::resource(), ns, manifest(config_map::resource(), "after"))).value();
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.stats().reconnects >= 1);
}
