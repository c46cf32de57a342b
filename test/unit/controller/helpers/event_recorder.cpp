// Events that are recorded, up to the server.
#include "helpers_fixture.hpp"

#include <kubecoro/controller/event_recorder.hpp>
#include <kubecoro/test/failing_timers.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <optional>

using namespace helpers_test;
namespace json = boost::json;

namespace {

const auto events_type = untyped::event::resource();

struct recording : world
{
    object shop = make_map();

    event_recorder make_recorder(event_api api = event_api::core_v1, event_recorder_options o = {})
    {
        o.component = "janitor";
        o.instance = "janitor-0";
        o.api = api;
        o.seed = 1;
        o.log = log.handle();
        o.metrics = numbers;
        net->seen.clear();
        return event_recorder(cluster, std::move(o));
    }
    std::vector<object> events() { return run.run(cluster.list_all(events_type, "")).value().items; }
};

} // namespace

TEST_CASE("recorder: an event is on the server, beside its object", "[controller][events]")
{
    recording the;
    const auto recorder = the.make_recorder();
    recorder.event(the.shop, event_type::warning, "Failed", "Sweep", "no broom");
    recorder.event(the.shop, event_type::warning, "Failed", "Sweep", "no broom");
    the.run.run_until_idle();
    const auto all = the.events();
    REQUIRE(all.size() == 1);
    CHECK(all[0].ns() == "default");
    CHECK(all[0].name().starts_with("shop."));
    CHECK(all[0].path("involvedObject.uid").as_string() == the.shop.uid());
    CHECK(all[0].path("involvedObject.kind").as_string() == "ConfigMap");
    CHECK(all[0]["type"].as_string() == "Warning");
    CHECK(all[0]["message"].as_string() == "no broom");
    CHECK(all[0]["count"].as_int64() == 2);
    recorder.event(the.shop, event_type::warning, "Failed", "Sweep", "no broom");
    the.run.run_until_idle();
    CHECK(the.events().at(0)["count"].as_int64() == 3);
    CHECK(the.numbers->value("kubecoro_events_recorded_total") == 3);
    CHECK(the.numbers->value("kubecoro_events_repeated_total") == 2);
    CHECK(the.numbers->value("kubecoro_events_created_total") == 1);
    CHECK(the.numbers->value("kubecoro_events_updated_total") == 1);
    CHECK(the.numbers->value("kubecoro_events_pending") == 0);
    CHECK(recorder.describe().starts_with("events: 3 recorded, 2 repeated, 1 created, 1 updated, 0 dropped"));
    CHECK(the.run.run(recorder.stop()).has_value());
}

TEST_CASE("recorder: an event about an object without a namespace is in the namespace default", "[controller][events]")
{
    recording the;
    const auto recorder = the.make_recorder();
    event_target node;
    node.api_version = "v1";
    node.kind = "Node";
    node.name = "n1";
    recorder.event(node, event_type::warning, "Failed", "Sweep", "no broom");
    the.run.run_until_idle();
    const auto all = the.events();
    REQUIRE(all.size() == 1);
    CHECK(all[0].ns() == "default");
    CHECK(all[0].path("involvedObject.namespace").as_string("none") == "none");
    CHECK(the.run.run(recorder.stop()));
}

TEST_CASE("recorder: a series in the new API", "[controller][events]")
{
    recording the;
    const auto recorder = the.make_recorder(event_api::events_v1);
    the.net->answers = [](const request& r) { return r.method == "POST" ? 201 : 200; };
    const object node = kt::make_object({.kind = "Node", .name = "n1", .resource_version = "5"});
    for (int i = 0; i < 3; ++i) {
        recorder.event(node, event_type::normal, "Swept", "Sweep", "clean", the.shop);
        the.run.run_until_idle();
    }
    REQUIRE(the.net->seen.size() == 2);
    const auto made = json::parse(the.net->seen[0].body);
    CHECK(the.net->seen[0].target.starts_with("/apis/events.k8s.io/v1/namespaces/default/events"));
    CHECK(made.at("regarding").at("name") == "n1");
    CHECK(made.at("related").at("name") == "shop");
    CHECK(the.net->seen[1].method == "PATCH");
    CHECK(json::parse(the.net->seen[1].body).at("series").at("count") == 2);
    the.run.advance(8min);
    REQUIRE(the.net->seen.size() == 3);
    CHECK(json::parse(the.net->seen[2].body).at("series").at("count") == 3);
    CHECK(recorder.stats().recent == 0);
    the.run.advance(2min);
    CHECK(the.run.clock().waiting() == 0); // the sweeps have ended
    CHECK(the.run.run(recorder.stop()).has_value());
}

TEST_CASE("recorder: a request that others have cancelled is sent again", "[controller][events]")
{
    recording the;
    const auto recorder = the.make_recorder();
    int cancelled = 0;
    the.net->answers = [&](const request&) { return ++cancelled <= 20 ? std::optional(-2) : std::nullopt; };
    recorder.event(the.shop, event_type::warning, "Failed", "Sweep", "no broom");
    recorder.event(the.shop, event_type::normal, "Swept", "Sweep", "clean");
    the.run.advance(5min);
    CHECK(cancelled > 20);
    the.net->answers = {};
    recorder.event(the.shop, event_type::normal, "Late", "Sweep", "clean");
    the.run.advance(5min);
    const auto all = the.events();
    CHECK(std::any_of(all.begin(), all.end(), [](const object& o) { return o["reason"].as_string() == "Late"; }));
    CHECK(the.run.run(recorder.stop()).has_value());
}

TEST_CASE("recorder: a server that is away gets its events later", "[controller][events]")
{
    recording the;
    const auto recorder = the.make_recorder();
    bool away = true;
    the.net->answers = [&](const request&) { return away ? std::optional<int>(0) : std::nullopt; };
    recorder.event(the.shop, event_type::normal, "Swept", "Sweep", "clean");
    the.run.advance(30s);
    CHECK(recorder.stats().retried >= 2);
    CHECK(recorder.stats().pending == 1);
    away = false;
    the.run.advance(13s);
    CHECK(the.events().size() == 1);
    CHECK(recorder.stats().pending == 0);
    CHECK(the.run.run(recorder.stop()).has_value());
}

TEST_CASE("recorder: what the server refuses is logged without its texts, once a minute", "[controller][events]")
{
    recording the;
    const auto recorder = the.make_recorder();
    the.net->answers = [](const request&) { return 403; };
    recorder.event(the.shop, event_type::normal, "Swept", "Sweep", "my password");
    recorder.event(the.shop, event_type::normal, "Cleaned", "Sweep", "my password");
    the.run.run_until_idle();
    CHECK(recorder.stats().dropped_refused == 2);
    CHECK(the.log.count("the server refused an event") == 1);
    CHECK(the.log.count("condition=forbidden") == 1);
    CHECK(the.log.count("password") == 0);
    the.run.advance(1min);
    recorder.event(the.shop, event_type::normal, "Swept", "Sweep", "my password");
    the.run.run_until_idle();
    CHECK(the.log.count("the server refused an event") == 2);
    CHECK(the.numbers->value("kubecoro_events_dropped_total", {{"component", "janitor"}, {"reason", "refused"}}) == 3);
    CHECK(the.run.run(recorder.stop()).has_value());
}

TEST_CASE("recorder: no more requests than its rate, and dropped events are logged", "[controller][events]")
{
    recording the;
    event_recorder_options o;
    o.requests_per_second = 1;
    o.max_pending = 5;
    const auto recorder = the.make_recorder(event_api::core_v1, std::move(o));
    for (int i = 0; i < 7; ++i)
        recorder.event(the.shop, event_type::normal, "Swept" + std::to_string(i), "Sweep", "clean");
    the.run.run_until_idle();
    CHECK(the.net->seen.size() == 2); // the burst
    the.run.advance(1s);
    CHECK(the.net->seen.size() == 3);
    the.run.advance(1min);
    CHECK(the.events().size() == 5);
    CHECK(recorder.stats().dropped_full == 2);
    CHECK(the.log.count("events were dropped component=janitor full=2") == 1);
    CHECK(the.run.run(recorder.stop()).has_value());
}

TEST_CASE("recorder: the stop sends what waits, at any rate, and ends", "[controller][events]")
{
    recording the;
    event_recorder_options o;
    o.requests_per_second = 0.01;
    const auto recorder = the.make_recorder(event_api::core_v1, std::move(o));
    for (int i = 0; i < 20; ++i)
        recorder.event(the.shop, event_type::normal, "Swept" + std::to_string(i), "Sweep", "clean");
    the.run.run_until_idle();
    const auto begun = the.run.clock().now();
    CHECK(the.run.run(recorder.stop()).has_value());
    CHECK(the.run.clock().now() == begun);
    CHECK(the.events().size() == 20);
    recorder.event(the.shop, event_type::normal, "Late", "Sweep", "clean");
    CHECK(recorder.stats().dropped_stopped == 1);
    CHECK(the.run.run(recorder.stop()).has_value()); // idempotent
    CHECK(the.run.clock().waiting() == 0);
}

TEST_CASE("recorder: a timer that throws ends it, visibly", "[controller][events][ends]")
{
    recording the;
    const auto time = std::make_shared<kubecoro::test::failing_timers>(the.run.shared_clock());
    event_recorder_options o;
    o.time = time;
    const auto recorder = the.make_recorder(event_api::core_v1, std::move(o));
    time->fail();
    recorder.event(the.shop, event_type::normal, "Swept", "Sweep", "clean");
    the.run.run_until_idle();
    CHECK(the.log.count("a loop failed and has ended its owner") == 1);
    CHECK(the.log.count(log_level::error) == 1);
    CHECK(the.numbers->value("kubecoro_ended_owners_total", {{"owner", "event_recorder"}, {"name", "janitor"}}) == 1);
    const auto dropped = recorder.stats().dropped_stopped;
    recorder.event(the.shop, event_type::normal, "Late", "Sweep", "clean");
    CHECK(recorder.stats().dropped_stopped == dropped + 1);
    const auto stopped = the.run.run(recorder.stop());
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error() == cond::internal);
    CHECK(stopped.error().describe().find("a broken timer") != std::string::npos);
}

TEST_CASE("recorder: the stop has a limit", "[controller][events]")
{
    recording the;
    const auto recorder = the.make_recorder();
    the.net->answers = [](const request&) { return -1; };
    for (int i = 0; i < 6; ++i)
        recorder.event(the.shop, event_type::normal, "Swept" + std::to_string(i), "Sweep", "clean");
    the.run.run_until_idle();
    const auto begun = the.run.clock().now();
    const auto stopped = the.run.run(recorder.stop());
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error() == cond::timed_out);
    CHECK(the.run.clock().now() - begun == 5s);
    CHECK(recorder.stats().dropped_stopped == 6);
    CHECK(the.log.count("events were not sent before the stop component=janitor events=6") == 1);
    CHECK(the.run.clock().waiting() == 0);
}

TEST_CASE("recorder: without a limit for the stop nothing more is sent", "[controller][events]")
{
    recording the;
    event_recorder_options o;
    o.flush_limit = 0s;
    const auto recorder = the.make_recorder(event_api::core_v1, std::move(o));
    the.net->answers = [](const request&) { return -1; };
    recorder.event(the.shop, event_type::normal, "Swept", "Sweep", "clean");
    CHECK_FALSE(the.run.run(recorder.stop()));
    CHECK(the.run.clock().waiting() == 0);
}

TEST_CASE("recorder: the last handle ends it", "[controller][events]")
{
    recording the;
    {
        const auto recorder = the.make_recorder();
        const auto copy = recorder; // NOLINT(performance-unnecessary-copy-initialization)
        the.net->answers = [](const request&) { return -1; };
        copy.event(the.shop, event_type::normal, "Swept", "Sweep", "clean");
        the.run.run_until_idle();
        SECTION("at once") {}
        SECTION("after its stop, which goes on") { recorder.request_stop(); }
    }
    the.run.advance(6s);
    CHECK(the.log.count("events were not sent before the stop component=janitor events=1") == 1);
    the.net->answers = nullptr;
    CHECK(the.run.clock().waiting() == 0);
}

TEST_CASE("recorder: every step may be the last, and every wait may be cancelled", "[controller][events]")
{
    const auto make = [](kt::runner& run) {
        struct parts
        {
            apiserver::embedded_server server;
            client cluster;
            event_recorder recorder;
            parts(kt::runner& r, client_options how)
                : server(r.executor(), apiserver::server_options()),
                  cluster(r.executor(), std::make_shared<apiserver::in_process_transport>(server), std::move(how)),
                  recorder(cluster,
                           {.component = "janitor", .api = event_api::core_v1, .seed = 1, .log = logger::silent()})
            {
            }
        };
        client_options how;
        how.time = run.shared_clock();
        auto all = std::make_shared<parts>(run, std::move(how));
        const auto body = [](std::shared_ptr<parts> p) -> asio::awaitable<result<>> {
            const object pod = kt::make_pod("default", "a", "1");
            for (int i = 0; i < 3; ++i) p->recorder.event(pod, event_type::normal, "Swept", "Sweep", "clean");
            (void)co_await sleep_for(p->cluster.time(), 10ms);
            p->recorder.event(pod, event_type::normal, "Swept", "Sweep", "clean");
            co_return co_await p->recorder.stop();
        };
        return kt::scenario{body(all), all};
    };
    CHECK(kt::stop_after_every_step(make).has_value());
    CHECK(kt::cancel_after_every_step(make, [](const result<>& r) {
              CHECK((r || r.error() == cond::cancelled));
          }).has_value());
}

TEST_CASE("recorder: an event outlives the context of its client", "[controller][events]")
{
    std::optional<event_recorder> recorder;
    {
        asio::io_context context;
        client nowhere(context.get_executor(), std::make_shared<watched_transport>(nullptr));
        recorder.emplace(nowhere, event_recorder_options{.log = logger::silent()});
        recorder->event(kt::make_pod("default", "a", "1"), event_type::normal, "Swept", "Sweep", "clean");
    }
    recorder->event(kt::make_pod("default", "a", "1"), event_type::normal, "Swept", "Sweep", "clean");
    recorder->request_stop();
    CHECK(recorder->stats().dropped_stopped == 2);
}
