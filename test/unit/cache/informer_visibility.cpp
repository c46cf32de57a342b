// Tests of an informer's statistics, metrics, log lines and description.

#include "informer/informer_meter.hpp"
#include "informer_fixture.hpp"

#include <stdexcept>

using namespace informer_test;
using kubecoro::informer_state;

namespace {

const kubecoro::metric_labels pods_labels{{"informer", "pods"}, {"resource", "pods"}};

kubecoro::metric_labels pods_and(std::string name, std::string value)
{
    auto l = pods_labels;
    l.emplace_back(std::move(name), std::move(value));
    return l;
}

} // namespace

TEST_CASE("visibility: statistics and metrics of a life cycle with a relist and a slow handler", "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    fixture f({.metrics = numbers});
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"), 2s);
    auto watch = f.source().on_watch();
    auto named = pods.add_event_handler(f.writer(), {.name = "greeter"});
    auto unnamed = pods.add_event_handler({.on_add = [](const kubecoro::added<>&) { throw 1; }});
    auto idle = pods.subscribe({.name = "idle"});
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK_FALSE(pods.stats().silent_for == std::nullopt);
    f.run.advance(10s);
    watch.send({kt::added(kt::make_pod("web", "c", "6")), kt::error_event(410, "Expired")});
    f.source().on_list(kt::make_page({kt::make_pod("web", "c", "6")}, "8"));
    auto again = f.source().on_watch();
    f.run.advance(1s);
    f.run.advance(1s);
    again.send(kt::bookmark("9"));
    f.run.advance(30s);

    const auto s = pods.stats();
    CHECK(s.objects == 1);
    CHECK(s.namespaces == 1);
    CHECK(s.bytes > 0);
    CHECK(s.resource_version == "9");
    CHECK(s.silent_for == kubecoro::duration(30s));
    CHECK(s.time_to_sync == kubecoro::duration(2s));

    CHECK(numbers->value("kubecoro_informer_objects", pods_labels) == 1);
    CHECK(numbers->value("kubecoro_informer_synced", pods_labels) == 1);
    CHECK(numbers->value("kubecoro_informer_time_to_sync_seconds", pods_labels) == 2);
    CHECK(numbers->value("kubecoro_informer_lists_total", pods_labels) == 2);
    CHECK(numbers->value("kubecoro_informer_relists_total", pods_and("reason", "expired")) == 1);
    CHECK(numbers->value("kubecoro_informer_notifications_total", pods_and("type", "added")) == 3);
    CHECK(numbers->value("kubecoro_informer_notifications_total", pods_and("type", "deleted")) == 2);
    CHECK(numbers->value("kubecoro_informer_bookmarks_total", pods_labels) == 1);
    CHECK(numbers->value("kubecoro_handler_delivered_total", pods_and("handler", "greeter")) == 5);
    CHECK(numbers->value("kubecoro_handler_failed_total", pods_and("handler", "unnamed")) == 3);
    CHECK(numbers->value("kubecoro_handler_pending", pods_and("handler", "idle")) == 5);

    const auto text = pods.describe();
    for (const auto* part : {"pods: watching, synced, 1 objects", "heard 30 s ago", "expired=1", "handler greeter",
                             "pending 5", "streamed lists 0, fallbacks 0", "ended by us: overdue 0, idle 0"})
        CHECK(text.find(part) != std::string::npos);
    CHECK(f.log.count("synced informer=pods objects=2 seconds=2") == 1);
    CHECK(f.log.count("listing again informer=pods") == 1);
    CHECK(f.log.count("reason=expired") == 1);
    REQUIRE(f.run.run(f.informers->stop()));
    CHECK(f.log.count("stopped informer=pods objects=1 lists=2 watches=2") == 1);
}

TEST_CASE("visibility: an informer that is behind shows it, and how old its store may be", "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    fixture f({.metrics = numbers});
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.run.advance(20s);
    watch.send(kt::bookmark("6"));
    f.run.advance(40s);
    CHECK(pods.stats().store_age == kubecoro::duration(40s));
    CHECK(pods.stats().reflector.behind == 0);
    CHECK(pods.describe().find("behind") == std::string::npos);
    CHECK(numbers->value("kubecoro_informer_behind", pods_labels) == 0);

    // Each list has the version that the watch refuses; the second one after a refusal asked for the newest.
    watch.send(kt::error_event(410, "Expired"));
    for (int i = 0; i < 30; ++i) {
        f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "6"));
        f.source().on_watch(kt::server_failure(410, "Expired"));
    }
    f.run.advance(200s);
    const auto s = pods.stats();
    CHECK(s.synced);
    CHECK(s.reflector.behind == 1);
    CHECK(s.store_age == kubecoro::duration(240s));
    CHECK(s.silent_for < kubecoro::duration(60s)); // the server answers
    INFO(pods.describe());
    CHECK(pods.describe().find(", behind: the server refuses to watch from its version, it may be 240 s old") !=
          std::string::npos);
    CHECK(numbers->value("kubecoro_informer_behind", pods_labels) == 1);
    CHECK(numbers->value("kubecoro_informer_store_age_seconds", pods_labels) > 235);
    CHECK(f.source().list_call(1).resource_version == "6");
    CHECK(f.source().list_call(2).resource_version.empty());
}

TEST_CASE("visibility: the store is as old as the namespace that is worst off", "[cache][visibility]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web", "jobs"}});
    f.source("web").on_list(kt::make_page({}, "5"));
    f.source("jobs").on_list(kt::make_page({}, "5"));
    auto web = f.source("web").on_watch();
    auto jobs = f.source("jobs").on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.run.advance(10s);
    web.send(kt::bookmark("6"));
    f.run.advance(5s);
    CHECK(pods.stats().store_age == kubecoro::duration(15s));
    jobs.send(kt::error_event(410, "Expired"));
    f.settle();
    CHECK(pods.stats().reflector.behind == 1);
    REQUIRE(f.run.run(pods.remove_namespace("jobs")));
    CHECK(pods.stats().store_age == kubecoro::duration(5s));
    CHECK(pods.stats().reflector.behind == 0);
}

TEST_CASE("visibility: durations of calls, filtered events and indexed labels", "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    fixture f({.metrics = numbers});
    auto pods = f.informers->get<pod>({.label_indexes = {"app", "team"}});
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    kubecoro::duration pause = 7s;
    const auto sleep = [&](const auto&) -> boost::asio::awaitable<void> {
        co_await kubecoro::sleep_for(f.run.clock(), pause);
    };
    const auto no_b = [](const kubecoro::object& o) { return o.name() != "b"; };
    auto handler = pods.add_event_handler({.on_add = sleep, .on_update = sleep}, {.filter = no_b, .name = "sleeper"});
    f.informers->start();
    f.run.advance(8s);
    pause = 2500ms;
    watch.send({kt::modified(kt::make_pod("web", "a", "6"))});
    f.run.advance(5s);
    pause = 60s;
    watch.send({kt::modified(kt::make_pod("web", "a", "7"))});
    f.run.advance(12s);

    const auto sleeper = pods_and("handler", "sleeper");
    CHECK(handler.stats().slow == 1);
    CHECK(numbers->value("kubecoro_handler_slow_calls_total", sleeper) == 1);
    CHECK(numbers->value("kubecoro_handler_filtered_total", sleeper) == 1);
    CHECK(numbers->value("kubecoro_handler_slowest_seconds", sleeper) == 7);
    CHECK(numbers->value("kubecoro_handler_running", sleeper) == 1);
    CHECK(numbers->value("kubecoro_handler_running_seconds", sleeper) >= 7);
    CHECK(numbers->value("kubecoro_informer_indexed_labels", pods_labels) == 2);
    CHECK(numbers->updates("kubecoro_informer_consistency_checks_total", pods_and("result", "equal")) == 0);
    const auto text = pods.describe();
    for (const auto* part :
         {"indexed labels: app team", "filtered 1, failed 0, slow 1, slowest 7 s", "running 1 for 12 s"})
        CHECK(text.find(part) != std::string::npos);
}

namespace {

/// Metrics that cannot be made for a while.
class failing_metrics final : public kubecoro::metrics
{
public:
    std::shared_ptr<counter> make_counter(std::string_view name, kubecoro::metric_labels labels) override
    {
        return inner.make_counter(name, std::move(labels));
    }
    std::shared_ptr<gauge> make_gauge(std::string_view name, kubecoro::metric_labels labels) override
    {
        if (fails) throw std::runtime_error("no gauges today");
        return inner.make_gauge(name, std::move(labels));
    }
    std::shared_ptr<histogram> make_histogram(std::string_view name, kubecoro::metric_labels labels) override
    {
        return inner.make_histogram(name, std::move(labels));
    }
    kt::recording_metrics inner;
    bool fails = true;
};

} // namespace

TEST_CASE("visibility: metrics that throw are updated again later, and hold up nothing", "[cache][visibility]")
{
    auto numbers = std::make_shared<failing_metrics>();
    fixture f({.metrics = numbers, .metrics_period = 10s});
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.run.advance(25s);
    CHECK(f.log.count(kubecoro::log_level::error) == 1); // once for three attempts
    CHECK(f.log.count("metrics could not be updated informer=pods failure=\"no gauges today\"") == 3);
    numbers->fails = false;
    f.run.advance(10s);
    CHECK(numbers->inner.value("kubecoro_informer_objects") == 1);
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    f.run.advance(10s);
    CHECK(numbers->inner.value("kubecoro_informer_objects") == 2);

    // A stop ends with an update.
    numbers->fails = true;
    static_cast<void>(f.informers->get<pod>({.namespaces = {"jobs"}}));
    CHECK(f.run.run(f.informers->stop()));
}

TEST_CASE("visibility: no timer runs for metrics that are dropped", "[cache][visibility]")
{
    const auto timers_with = [](std::shared_ptr<kubecoro::metrics> receiver) {
        fixture f({.metrics = std::move(receiver)});
        auto pods = f.informers->get<pod>();
        auto watch = f.with_one_pod();
        f.informers->start();
        REQUIRE(f.run.run(pods.has_synced()));
        f.settle();
        return f.run.clock().waiting();
    };
    const auto without = timers_with(nullptr);
    CHECK(timers_with(kubecoro::null_metrics()) == without);
    CHECK(timers_with(std::make_shared<kt::recording_metrics>()) == without + 1);
}

TEST_CASE("visibility: every count is a metric with the same value", "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    auto meter = kubecoro::detail::informer_meter(numbers, "pods", "pods");
    kubecoro::informer_stats s;
    s.state = informer_state::waiting;
    s.objects = 21;
    s.bytes = 22;
    s.resource_version = "23";
    s.namespaces = 24;
    s.silent_for = 25s;
    s.store_age = 26s;
    s.reflector = {.lists = 1,
                   .pages = 3,
                   .relists = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                   .watch_lists = 4,
                   .fallbacks = 1,
                   .watches = 7,
                   .reconnects = 8,
                   .overdue_ends = 5,
                   .idle_ends = 6,
                   .bookmarks = 9,
                   .skipped = 10,
                   .behind = 1,
                   .decode_errors = 11,
                   .failures = 12,
                   .parks = 2};
    s.index_failures = 13;
    s.transform_failures = 14;
    s.consistency = {.checks = 10, .skipped = 3, .failed = 1};
    s.handlers = {{.name = "slow", .pending = 31, .coalesced = 32, .failed = 33, .slowest = 34s}};
    const std::vector<std::pair<std::string, double>> rows{{"objects", 21},
                                                           {"object_bytes", 22},
                                                           {"resource_version", 23},
                                                           {"namespaces", 24},
                                                           {"silent_seconds", 25},
                                                           {"store_age_seconds", 26},
                                                           {"behind", 1},
                                                           {"lists_total", 1},
                                                           {"list_pages_total", 3},
                                                           {"watch_lists_total", 4},
                                                           {"fallbacks_total", 1},
                                                           {"watches_total", 7},
                                                           {"reconnects_total", 8},
                                                           {"overdue_ends_total", 5},
                                                           {"idle_ends_total", 6},
                                                           {"bookmarks_total", 9},
                                                           {"skipped_total", 10},
                                                           {"decode_errors_total", 11},
                                                           {"failures_total", 12},
                                                           {"index_failures_total", 13},
                                                           {"transform_failures_total", 14},
                                                           {"parks_total", 2}};
    for (int i = 0; i < 2; ++i) { // the same sums, however often they are published
        meter.publish(s);
        for (const auto& [name, value] : rows) {
            INFO(name);
            CHECK(numbers->value("kubecoro_informer_" + name, pods_labels) == value);
        }
        const std::string checks = "kubecoro_informer_consistency_checks_total";
        CHECK(numbers->value(checks, pods_and("result", "equal")) == 6);
        CHECK(numbers->value(checks, pods_and("result", "skipped")) == 3);
        CHECK(numbers->value(checks, pods_and("result", "different")) == 1);
        for (std::size_t r = 0; r < kubecoro::relist_reasons; ++r) {
            const std::string reason(to_string(static_cast<kubecoro::relist_reason>(r)));
            CHECK(numbers->value("kubecoro_informer_relists_total", pods_and("reason", reason)) ==
                  static_cast<double>(r + 1));
        }
        CHECK(numbers->value("kubecoro_informer_state", pods_and("state", "waiting")) == 1);
        CHECK(numbers->value("kubecoro_informer_state") == 1); // no other state
        CHECK(numbers->value("kubecoro_handler_pending", pods_and("handler", "slow")) == 31);
        CHECK(numbers->value("kubecoro_handler_coalesced_total", pods_and("handler", "slow")) == 32);
        CHECK(numbers->value("kubecoro_handler_failed_total", pods_and("handler", "slow")) == 33);
        CHECK(numbers->value("kubecoro_handler_slowest_seconds", pods_and("handler", "slow")) == 34);
    }
}

TEST_CASE("visibility: only versions that are decimal numbers are shown, whatever the server says",
          "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    auto meter = kubecoro::detail::informer_meter(numbers, "pods", "pods");
    kubecoro::informer_stats s;
    for (const auto* version : {"nan", "inf", "-inf", "infinity", "1e308", "-1", "0.5", "0x10", "", "7 ", "v7"}) {
        INFO(version);
        s.resource_version = version;
        meter.publish(s);
        CHECK(numbers->updates("kubecoro_informer_resource_version", pods_labels) == 0);
    }
    s.resource_version = std::string(400, '9'); // more than a double can hold
    meter.publish(s);
    CHECK(numbers->updates("kubecoro_informer_resource_version", pods_labels) == 0);
    s.resource_version = "7";
    meter.publish(s);
    CHECK(numbers->value("kubecoro_informer_resource_version", pods_labels) == 7);
}

TEST_CASE("visibility: a removed handler shows zeros, and a new one of its name starts from zero",
          "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    auto meter = kubecoro::detail::informer_meter(numbers, "pods", "pods");
    kubecoro::informer_stats s;
    s.handlers = {{.name = "slow", .pending = 5, .delivered = 10, .slowest = 3s}};
    meter.publish(s);
    s.handlers.clear();
    meter.publish(s);
    const auto slow = pods_and("handler", "slow");
    CHECK(numbers->value("kubecoro_handler_pending", slow) == 0);
    CHECK(numbers->value("kubecoro_handler_slowest_seconds", slow) == 0);
    CHECK(numbers->value("kubecoro_handler_delivered_total", slow) == 10);
    const auto told = numbers->updates("kubecoro_handler_pending", slow);
    meter.publish(s);
    CHECK(numbers->updates("kubecoro_handler_pending", slow) == told);
    s.handlers = {{.name = "slow", .pending = 1, .delivered = 4}};
    meter.publish(s);
    CHECK(numbers->value("kubecoro_handler_pending", slow) == 1);
    CHECK(numbers->value("kubecoro_handler_delivered_total", slow) == 14);
}

TEST_CASE("visibility: a version that is not a number is not shown", "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    auto meter = kubecoro::detail::informer_meter(numbers, "pods", "pods");
    kubecoro::informer_stats s;
    for (const auto* version : {"", "abc", "12a"}) {
        s.resource_version = version;
        meter.publish(s);
    }
    CHECK(numbers->updates("kubecoro_informer_resource_version", pods_labels) == 0);
}

TEST_CASE("visibility: describe() has every count that an operator needs", "[cache][visibility]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.label_indexes = {"app"}, .check_consistency = true, .label = "all-pods"});
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto watch = f.with_one_pod();
    auto handler = pods.add_event_handler(f.writer(), {.name = "greeter"});
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    f.settle();
    const auto text = pods.describe();
    for (const auto* part :
         {"pods (all-pods): watching, synced, 1 objects, ", " bytes, version 5, heard 0 s ago", "storage plain",
          "indexed labels: app", "lists 1 (1 pages)", "streamed lists 0, fallbacks 0", "watches 1", "reconnects 0",
          "overdue 0, idle 0", "relists 0",
          "events: added 0, modified 0, deleted 0, bookmarks 0, skipped 0, with unknown fields 0, "
          "outdated objects 0, decode errors 0, "
          "failures 0, parked 0 times",
          "notifications: added 1, updated 0, deleted 0",
          "handler greeter: synced, delivered 1, pending 0, coalesced 0, filtered 0, failed 0, slow 0, slowest 0 s",
          "consistency checks 1, skipped 0, failed 0"}) {
        INFO(part);
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    }
}

TEST_CASE("visibility: a streamed relist is logged like any other", "[cache][visibility][stream]")
{
    fixture f;
    f.source().allow_streamed_lists();
    auto pods = f.informers->get<pod>();
    auto stream = f.source().on_watch();
    stream.send(kt::added(kt::make_pod("web", "a", "1"))).send(kt::bookmark("5", true));
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(f.log.count("listing again") == 0);
    auto again = f.source().on_watch();
    again.send(kt::bookmark("8", true));
    stream.send(kt::error_event(410, "Expired"));
    f.run.advance(5s);
    CHECK(pods.stats().reflector.watch_lists == 2);
    CHECK(f.log.count("listing again informer=pods source=pods reason=expired") == 1);
}

TEST_CASE("visibility: unnamed handlers share one time series", "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    fixture f({.metrics = numbers});
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    for (int i = 0; i < 20; ++i) {
        auto handler = pods.add_event_handler(f.writer());
        f.run.advance(10s);
        handler.remove();
    }
    CHECK(numbers->value("kubecoro_handler_delivered_total", pods_and("handler", "unnamed")) == 20);
    CHECK(numbers->value("kubecoro_handler_delivered_total", pods_labels) == 0);
}

TEST_CASE("visibility: informers of one resource have unique names, which are reused after their release",
          "[cache][visibility]")
{
    auto numbers = std::make_shared<kt::recording_metrics>();
    fixture f({.metrics = numbers});
    auto a = f.informers->get<pod>();
    auto b = f.informers->get<pod>({.namespaces = {"web"}});
    auto c = f.informers->get<pod>({.namespaces = {"jobs"}, .label = "workers"});
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    f.source("web").on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto web = f.source("web").on_watch();
    f.source("jobs").on_list(kt::make_page({}, "5"));
    auto jobs = f.source("jobs").on_watch();
    f.informers->start();
    f.run.advance(20s);
    CHECK(numbers->value("kubecoro_informer_objects", {{"informer", "pods-2"}, {"resource", "pods"}}) == 1);
    CHECK(numbers->updates("kubecoro_informer_objects", {{"informer", "workers"}, {"resource", "pods"}}) > 0);
    REQUIRE(f.run.run(f.informers->release(b)));
    auto d = f.informers->get<pod>({.namespaces = {"other"}});
    f.source("other").on_list(kt::make_page({}, "5"));
    auto other = f.source("other").on_watch();
    f.informers->start();
    f.run.advance(20s);
    CHECK(numbers->value("kubecoro_informer_objects", {{"informer", "pods-2"}, {"resource", "pods"}}) == 0);
}
