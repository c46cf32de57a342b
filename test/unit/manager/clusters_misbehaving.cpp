// Clusters that flap or never sync, and providers that do not keep to the rules.
#include "clusters_fixture.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <stdexcept>

using namespace manager_test;

namespace {

constexpr backoff_policy no_jitter{.initial = 1s, .factor = 2, .cap = 1min, .jitter = 0};

/// Hands its sink out, and ends when it pleases.
struct scripted_provider final : cluster_provider
{
    std::shared_ptr<time_source> time;
    /// Cancellations before that time are ignored.
    time_point stays_until = {};
    std::optional<cluster_sink> sink = {};
    bool over = false;

    explicit scripted_provider(world& w) : time(w.run.shared_clock()) {}
    void attach(manager&) override {}
    ended run(cluster_sink s) override
    {
        sink = std::move(s);
        co_await finish_despite_cancellation();
        do {
            co_await catch_failure(sleep_for(*time, 1h));
        } while (time->now() < stays_until);
        over = true;
        co_return failure(cond::cancelled);
    }
};

/// Fails to make one series.
class failing_metrics final : public metrics
{
public:
    std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) override
    {
        return inner_->make_counter(name, std::move(labels));
    }
    std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) override
    {
        if (name == "kubecoro_cluster_ready") throw std::runtime_error("no more series");
        return inner_->make_gauge(name, std::move(labels));
    }
    std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) override
    {
        return inner_->make_histogram(name, std::move(labels));
    }

private:
    std::shared_ptr<metrics> inner_ = std::make_shared<kt::recording_metrics>();
};

} // namespace

TEST_CASE("clusters: a provider that outlives the grace period is awaited", "[clusters]")
{
    world w;
    lines seen;
    const auto provider = std::make_shared<scripted_provider>(w);
    provider->stays_until = w.run.clock().now() + 10min;
    (void)w.m->clusters(provider, noting(seen));
    w.begin();
    w.m->request_stop();
    w.run.advance(5min);
    CHECK_FALSE(provider->over);
    CHECK_FALSE(w.running->done());
    w.run.advance(2h);
    CHECK(provider->over);
    REQUIRE(w.running->done());
}

TEST_CASE("clusters: an exception in the work of the set ends the manager in order", "[clusters]")
{
    manager_options o;
    o.metrics = std::make_shared<failing_metrics>();
    world w(std::move(o));
    far_cluster eu(w);
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    (void)w.m->clusters(fleet, noting(seen), {.name = "fleet"});
    w.begin();
    w.run.advance(1min);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error().describe().find("no more series") != std::string::npos);
}

TEST_CASE("clusters: a set that has stopped keeps no offer, and its sink outlives the manager", "[clusters]")
{
    world w;
    lines seen;
    const auto provider = std::make_shared<scripted_provider>(w);
    const auto handle = w.m->clusters(provider, noting(seen));
    w.begin();
    REQUIRE(provider->sink);
    const auto offer_secret = [&] {
        const auto secret = std::make_shared<std::string>("token");
        cluster_offer offer{.name = "eu", .revision = "1"};
        offer.connect = [secret](auto, auto) -> result<client> { return failure(cond::misconfigured, *secret); };
        provider->sink->offer(std::move(offer));
        return std::weak_ptr<std::string>(secret);
    };
    CHECK_FALSE(offer_secret().expired());
    CHECK(w.run.run(handle.removed()));
    CHECK(offer_secret().expired());
    CHECK(w.run.run(w.m->stop()));
    CHECK(offer_secret().expired());
    w.m.reset();
    provider->sink->offer({.name = "a b", .revision = "1"});
    provider->sink->withdraw("eu");
    CHECK(w.log.count("a cluster is ignored") == 0);
}

TEST_CASE("clusters: manual clusters serve one manager at a time", "[clusters]")
{
    world w;
    far_cluster eu(w);
    eu.put("one");
    lines first, second;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    (void)w.m->clusters(fleet, noting(first));
    w.begin();
    {
        manager other(w.cluster, {.name = "other"});
        (void)other.clusters(fleet, noting(second));
        const auto outcome = w.run.run(other.run());
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error() == cond::misconfigured);
        CHECK(outcome.error().describe().find("one manager at a time") != std::string::npos);
    }
    CHECK(w.m->stats().phase == manager_phase::running);
    eu.put("two");
    w.run.advance(1s);
    CHECK(first == lines{"eu/one", "eu/two"});
    CHECK(second.empty());

    CHECK(w.run.run(w.m->stop())); // now another one may
    manager next(w.cluster, {.name = "next"});
    (void)next.clusters(fleet, noting(second));
    auto running = w.run.spawn(next.run());
    w.run.advance(1s);
    CHECK(second.size() == 2);
    CHECK(w.run.run(next.stop()));
}

TEST_CASE("clusters: a cluster that changes all the time joins seldom", "[clusters]")
{
    world w;
    lines seen;
    int joins = 0;
    const auto fleet = std::make_shared<manual_clusters>();
    int revision = 0;
    const auto change = [&] {
        cluster_offer offer{.name = "eu", .revision = std::to_string(++revision)};
        offer.connect = [&joins](auto, auto) -> result<client> {
            ++joins;
            return failure(cond::misconfigured, "no address");
        };
        fleet->add(std::move(offer));
    };
    const auto handle = w.m->clusters(fleet, noting(seen), {.retry = no_jitter});
    w.begin();
    for (int i = 0; i < 1200; ++i) { // for a minute
        change();
        w.run.advance(50ms);
    }
    CHECK(joins <= 7); // at 0, 1, 3, 7, 15, 31 s
    CHECK(joins >= 5);
    CHECK(states(handle.stats()) == "eu waiting");
    w.run.advance(2min);
    CHECK(states(handle.stats()) == "eu resting"); // with the last offer
}

TEST_CASE("clusters: one that never syncs is tried later each time, one that has worked for long at once", "[clusters]")
{
    world w;
    far_cluster hung(w), good(w);
    hung.faults->add({.what = kt::fault::no_answer(), .times = 0});
    lines seen;
    int good_runs = 0;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("hung", hung.connect());
    fleet->add("good", good.connect());
    const auto setup = [&](manager& m) {
        noting(seen)(m);
        if (m.cluster() != "good") return;
        m.run("work", [&]() -> ended {
            ++good_runs;
            co_await sleep_for(w.run.clock(), 80s);
            co_return failure(cond::unreachable, "lost");
        });
    };
    clusters_options o{.retry = no_jitter};
    o.each.sync_timeout = 80s;
    const auto handle = w.m->clusters(fleet, setup, std::move(o));
    w.begin();
    w.run.advance(20min);
    CHECK(good_runs == 15); // every 81 s
    const auto all = handle.stats();
    REQUIRE(all.size() == 2);
    CHECK(all[1].name == "hung");
    CHECK(all[1].attempts < 12); // the delays are 1, 2, 4 s and so on, up to a minute
    CHECK(all[1].attempts > 8);
}
