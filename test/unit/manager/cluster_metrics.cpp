// Numbers of many clusters: one set of series, which tenants cannot extend.
#include "clusters/cluster_meters.hpp"
#include "clusters/summed_metrics.hpp"
#include "clusters_fixture.hpp"

#include <limits>
#include <map>
#include <string>

using namespace manager_test;
using kubecoro::detail::cluster_meters;
using kubecoro::detail::summed_metrics;

TEST_CASE("cluster metrics: counters and histograms add up in one series", "[clusters]")
{
    const auto out = std::make_shared<kt::recording_metrics>();
    const summed_metrics sums(out, "fleet");
    const auto eu = sums.sink("eu"), us = sums.sink("us");
    eu->make_counter("runs", {{"a", "b"}})->add(2);
    us->make_counter("runs", {{"a", "b"}})->add(3);
    us->make_histogram("sizes", {})->observe(7);
    eu->make_counter("requests", {{"host", "a:1"}, {"verb", "GET"}})->add();
    us->make_counter("requests", {{"host", "b:1"}, {"verb", "GET"}})->add();
    CHECK(out->value("requests", {{"host", "any"}, {"verb", "GET"}, {"clusters", "fleet"}}) == 2);
    CHECK(out->value("runs", {{"a", "b"}, {"clusters", "fleet"}}) == 5);
    CHECK(out->value("sizes", {{"clusters", "fleet"}}) == 7);
}

TEST_CASE("cluster metrics: gauges add up as long as their clusters have them; the greatest time counts", "[clusters]")
{
    const auto out = std::make_shared<kt::recording_metrics>();
    const summed_metrics sums(out, "fleet");
    const metric_labels all{{"clusters", "fleet"}};
    auto eu = sums.sink("one")->make_gauge("objects", {});
    auto us = sums.sink("one")->make_gauge("objects", {});
    auto old_eu = sums.sink("one")->make_gauge("silent_seconds", {});
    auto old_us = sums.sink("one")->make_gauge("silent_seconds", {});
    eu->set(10);
    us->set(5);
    eu->set(12);
    eu->set(12);
    old_eu->set(3);
    old_us->set(8);
    CHECK(out->value("objects", all) == 17);
    CHECK(out->value("silent_seconds", all) == 8);
    old_us->set(1);
    CHECK(out->value("silent_seconds", all) == 3);
    eu.reset();
    old_eu.reset();
    CHECK(out->value("objects", all) == 5);
    CHECK(out->value("silent_seconds", all) == 1);
    us.reset();
    old_us.reset();
    CHECK(out->value("objects", all) == 0);
    CHECK(out->value("silent_seconds", all) == 0);
}

TEST_CASE("cluster metrics: of the ends of certificates the first one counts", "[clusters]")
{
    const auto out = std::make_shared<kt::recording_metrics>();
    const summed_metrics sums(out, "fleet");
    const auto* const name = "kubecoro_client_certificate_expiry_timestamp_seconds";
    auto eu = sums.sink("one")->make_gauge(name, {{"server", "eu:443"}});
    auto us = sums.sink("one")->make_gauge(name, {{"server", "us:443"}});
    const metric_labels all{{"server", "any"}, {"clusters", "fleet"}};
    eu->set(2000);
    us->set(1000);
    CHECK(out->value(name, all) == 1000);
    us->set(3000);
    CHECK(out->value(name, all) == 2000);
    eu.reset();
    CHECK(out->value(name, all) == 3000);
}

TEST_CASE("cluster metrics: values that are not finite change nothing", "[clusters]")
{
    const auto out = std::make_shared<kt::recording_metrics>();
    const summed_metrics sums(out, "fleet");
    const metric_labels all{{"clusters", "fleet"}};
    for (const auto* name : {"objects", "resource_version"}) {
        INFO(name);
        auto us = sums.sink("one")->make_gauge(name, {});
        us->set(5);
        for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()}) {
            auto eu = sums.sink("one")->make_gauge(name, {});
            eu->set(odd);
            CHECK(out->value(name, all) == 5);
            eu->set(7);
            const auto with_both = out->value(name, all);
            eu->set(odd);
            CHECK(out->value(name, all) == with_both);
            eu.reset();
            CHECK(out->value(name, all) == 5);
        }
    }
}

namespace {

/// Keeps the gauges whose series can end as "name cluster".
struct ending_metrics final : metrics
{
    struct one final : gauge
    {
        void set(double v) noexcept override { value = v; }
        double value = 0;
    };
    std::map<std::string, std::weak_ptr<one>> series;

    std::shared_ptr<counter> make_counter(std::string_view n, metric_labels l) override
    {
        return null_metrics()->make_counter(n, std::move(l));
    }
    std::shared_ptr<gauge> make_gauge(std::string_view n, metric_labels l) override
    {
        return null_metrics()->make_gauge(n, std::move(l));
    }
    std::shared_ptr<histogram> make_histogram(std::string_view n, metric_labels l) override
    {
        return null_metrics()->make_histogram(n, std::move(l));
    }
    std::shared_ptr<gauge> make_transient_gauge(std::string_view n, metric_labels l) override
    {
        auto& kept = series[std::string(n) + " " + l.back().second];
        auto out = kept.lock();
        if (!out) kept = out = std::make_shared<one>();
        return out;
    }
    /// -1 = it has ended.
    [[nodiscard]] double value(const std::string& which) const
    {
        const auto at = series.find(which);
        const auto held = at == series.end() ? nullptr : at->second.lock();
        return held ? held->value : -1;
    }
};

} // namespace

TEST_CASE("cluster metrics: objects and queues of each cluster, until it has left", "[clusters]")
{
    const auto out = std::make_shared<ending_metrics>();
    manager_options o;
    o.metrics = out;
    world w(std::move(o));
    far_cluster eu(w), us(w);
    eu.put("one");
    eu.put("two");
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    fleet->add("us", us.connect());
    (void)w.m->clusters(fleet, noting(seen), {.name = "fleet", .max_clusters = 1});
    w.begin();
    w.run.advance(1min);
    CHECK(out->value("kubecoro_cluster_ready eu") == 1);
    CHECK(out->value("kubecoro_cluster_objects eu") == 2);
    CHECK(out->value("kubecoro_cluster_queue_depth eu") == 0);
    CHECK(out->value("kubecoro_cluster_ready us") == -1);
    fleet->remove("eu");
    w.run.advance(1min);
    CHECK(out->value("kubecoro_cluster_ready eu") == -1);
    CHECK(out->value("kubecoro_cluster_objects eu") == -1);
    CHECK(out->value("kubecoro_cluster_queue_depth eu") == -1);
    CHECK(out->value("kubecoro_cluster_ready us") == 1);
    CHECK(out->value("kubecoro_cluster_objects us") == 0);
}

TEST_CASE("cluster metrics: a cluster that has come back adds to what is left of its former time", "[clusters]")
{
    const auto out = std::make_shared<ending_metrics>();
    const summed_metrics sums(out, "fleet");
    auto former = sums.sink("eu")->make_gauge("kubecoro_informer_objects", {});
    former->set(3); // of an informer that the program has kept
    auto now = sums.sink("eu")->make_gauge("kubecoro_informer_objects", {});
    now->set(500);
    CHECK(out->value("kubecoro_cluster_objects eu") == 503);
    former.reset();
    CHECK(out->value("kubecoro_cluster_objects eu") == 500);
    now.reset();
    CHECK(out->value("kubecoro_cluster_objects eu") == -1);
}

TEST_CASE("cluster metrics: a limited number of names get a series of their own", "[clusters]")
{
    const auto out = std::make_shared<kt::recording_metrics>();
    cluster_meters meters(out, "fleet", 2);
    const auto ready = [&](const std::string& name) {
        return out->value("kubecoro_cluster_ready", {{"clusters", "fleet"}, {"cluster", name}});
    };
    const auto count = [&](const std::string& state) {
        return out->value("kubecoro_clusters", {{"clusters", "fleet"}, {"state", state}});
    };
    for (const auto* name : {"a", "b", "c"}) {
        meters.moved(name, {}, cluster_state::joining);
        meters.moved(name, cluster_state::joining, cluster_state::ready);
    }
    CHECK(count("ready") == 3);
    CHECK(count("joining") == 0);
    CHECK((ready("a") == 1 && ready("b") == 1 && ready("c") == 0));
    meters.moved("a", cluster_state::ready, {});
    meters.moved("c", cluster_state::ready, cluster_state::resting);
    CHECK(count("ready") == 1);
    CHECK(count("resting") == 1);
    CHECK(ready("a") == 0);
    meters.moved("d", {}, cluster_state::ready); // the series of one that has left stays, and its place with it
    CHECK(ready("d") == 0);
}

TEST_CASE("cluster metrics: the set tells its states, and the numbers of all clusters in one", "[clusters]")
{
    manager_options o;
    const auto numbers = std::make_shared<kt::recording_metrics>();
    o.metrics = numbers;
    world w(std::move(o));
    far_cluster eu(w), us(w), down(w);
    eu.put("one");
    us.put("one");
    us.put("two");
    down.faults->set_down(true);
    w.put("home");
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    fleet->add("us", us.connect());
    fleet->add("down", down.connect());
    (void)w.m->clusters(fleet, noting(seen), {.name = "fleet", .max_clusters = 3});
    fleet->add("zz", us.connect());
    noting(seen)(*w.m);
    w.begin();
    w.run.advance(10s);
    const auto count = [&](const std::string& state) {
        return numbers->value("kubecoro_clusters", {{"clusters", "fleet"}, {"state", state}});
    };
    CHECK(count("ready") == 2);
    CHECK(count("joining") == 1);
    CHECK(count("waiting") == 1);
    const auto runs = [&](metric_labels labels) {
        labels.insert(labels.begin(), {{"controller", "configmaps"}, {"result", "success"}});
        return numbers->value("controller_runtime_reconcile_total", labels);
    };
    CHECK(runs({{"clusters", "fleet"}}) == 3);
    CHECK(runs({}) == 1);
    const auto objects = [&] { return numbers->value("kubecoro_informer_objects"); };
    CHECK(objects() == 3 + 1); // and the one at home
    CHECK(numbers->value("kubecoro_cluster_ready", {{"clusters", "fleet"}, {"cluster", "us"}}) == 1);
    fleet->remove("zz");
    fleet->remove("us");
    w.run.advance(10s);
    CHECK(objects() == 1 + 1);
    CHECK(count("waiting") == 0);
    CHECK(count("leaving") == 0);
    CHECK(numbers->value("kubecoro_cluster_ready", {{"clusters", "fleet"}, {"cluster", "us"}}) == 0);
}
