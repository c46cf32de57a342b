// A failure of its own ends an informer: at once, visibly, and nothing else with it.

#include "informer_fixture.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/failing_timers.hpp>

#include <boost/asio/post.hpp>

#include <cstdint>
#include <stdexcept>

namespace asio = boost::asio;
using namespace informer_test;
using namespace kubecoro;

namespace {

/// An informer of pods whose timers fail, beside one of ConfigMaps that is healthy.
struct world : fixture_base
{
    std::shared_ptr<test::failing_timers> time = std::make_shared<test::failing_timers>(run.shared_clock());
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
    std::shared_ptr<kt::scripted_provider> provider =
        std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    std::vector<failure> heard, ends;
    informer_factory failing{provider, options(time)};
    informer_factory healthy{provider, options(run.shared_clock())};

    factory_options options(std::shared_ptr<time_source> clock)
    {
        factory_options o;
        o.time = std::move(clock);
        o.log = log.handle();
        o.metrics = numbers;
        o.seed = 7;
        o.on_end = [this](const failure& why) {
            ends.push_back(why);
            throw std::runtime_error("a user's failure");
        };
        return o;
    }
    kt::scripted_source& source(const resource_type& resource = pod::resource())
    {
        return *provider->source(resource, {.ns = {}, .label_selector = {}, .field_selector = {}, .decode = {}});
    }
    shared_informer<object> pods(informer_options o = {})
    {
        o.on_failure = [this](const failure& why) { heard.push_back(why); };
        return failing.get<pod>(std::move(o));
    }
    kt::scripted_watch serve()
    {
        source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        return source().on_watch();
    }
    result<> ended(subscription<object>& s)
    {
        const auto pop = [](subscription<object>& of) -> asio::awaitable<result<>> {
            for (;;) {
                const auto batch = co_await of.pop();
                if (!batch) co_return of.end_reason();
            }
        };
        return run.run(pop(s));
    }

    /// Everything that an operator, and everyone who waits, sees of the end.
    void check_end(const shared_informer<object>& pods, const std::string& cause)
    {
        CHECK(pods.state() == informer_state::failed);
        CHECK_FALSE(pods.synced());
        const auto synced = run.run(pods.has_synced());
        REQUIRE_FALSE(synced);
        CHECK(synced.error() == cond::internal);
        CHECK(synced.error().describe().find(cause) != std::string::npos);
        CHECK(run.run(wait_for_cache_sync({pods})).error() == cond::internal);
        CHECK(run.run(pods.wait_until("1000")).error() == cond::internal);
        auto late = pods.subscribe();
        CHECK(ended(late).error() == cond::internal);
        CHECK(pods.describe().find("ended by: internal: ") != std::string::npos);
        REQUIRE(pods.stats().ended_by);
        CHECK(log.count("a loop failed and has ended its owner") == 1);
        CHECK(log.count(log_level::error) == 1);
        CHECK(numbers->value("kubecoro_ended_owners_total") == 1);
        CHECK(numbers->value("kubecoro_informer_state",
                             {{"informer", "pods"}, {"resource", "pods"}, {"state", "failed"}}) == 1);
        REQUIRE_FALSE(heard.empty());
        CHECK(heard.back().describe() == pods.stats().ended_by->describe());
        REQUIRE(ends.size() == 1);
        CHECK(run.run(failing.stop()));
        CHECK(pods.state() == informer_state::stopped);
        CHECK(log.count(log_level::error) == 1);
    }
};

} // namespace

TEST_CASE("informer ends: a timer that throws ends the informer whose loop it was", "[cache][informer][ends]")
{
    world w;
    auto maps = w.healthy.get<untyped::config_map>();
    w.source(untyped::config_map::resource()).on_list(kt::make_page({}, "5"));
    auto other = w.source(untyped::config_map::resource()).on_watch();
    w.healthy.start();
    REQUIRE(w.run.run(maps.has_synced()));

    informer_options o;
    bool refuses = false;
    o.transform = [&](const object& in) {
        if (refuses) throw std::runtime_error("not yet");
        return in;
    };
    auto pods = w.pods(std::move(o));
    auto registration = pods.add_event_handler({.on_add = [](const added<>&) {}});
    auto early = pods.subscribe();
    const auto waiting = w.run.spawn(pods.wait_for({"web", "b"}, conditions::exists()));
    auto watch = w.serve();
    SECTION("the reflector's pause after a failure")
    {
        w.failing.start();
        w.run.run_until_idle();
        w.time->fail(500ms, 1500ms);
        watch.send(kt::error_event(500, "InternalError"));
    }
    SECTION("the turn to list")
    {
        w.failing.start();
        w.run.run_until_idle();
        w.time->fail(0ms, 250ms);
        watch.send(kt::error_event(410, "Expired"));
    }
    SECTION("the limit of a list")
    {
        w.time->fail(10s, 10min);
        w.failing.start();
    }
    SECTION("the pause of the processing")
    {
        w.failing.start();
        w.run.run_until_idle();
        refuses = true;
        w.time->fail(1ms, 300ms);
        watch.send(kt::added(kt::make_pod("web", "b", "6")));
    }
    SECTION("the metrics")
    {
        w.failing.start();
        w.run.run_until_idle();
        w.time->fail(5s, 5s);
    }
    SECTION("a deadline")
    {
        w.failing.start();
        w.run.run_until_idle();
        w.time->fail(2h, 4h);
        const auto limited = w.run.spawn(pods.wait_for({"web", "c"}, conditions::exists(), 3h));
        w.run.run_until_idle();
        REQUIRE(limited.done());
        CHECK(limited.outcome().error() == cond::internal);
    }
    w.run.advance(20s);
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::internal);
    CHECK(w.run.run(registration.has_synced()).error() == cond::internal);
    CHECK(w.run.run(registration.ended()).error() == cond::internal);
    CHECK(w.ended(early).error() == cond::internal);
    CHECK(w.run.run(early.has_synced()).error() == cond::internal);
    w.check_end(pods, "a broken timer");

    other.send(kt::added(kt::make_object({.kind = "ConfigMap", .ns = "web", .name = "s", .resource_version = "6"})));
    w.run.run_until_idle();
    CHECK(maps.lister().size() == 1);
    CHECK(maps.synced());
    CHECK(w.run.run(w.healthy.stop()));
}

TEST_CASE("informer ends: an allocation that fails in a step, or between two events, ends it or does no harm",
          "[cache][informer][ends][memory]")
{
    int by_step = 0, by_handler = 0;
    for (const bool joins : {true, false})
        for (const std::size_t workers : {1, 3})
            for (std::uint64_t nth = 1; nth <= 6; ++nth) { // later ones are those of Asio
                CAPTURE(joins, workers, nth);
                world w;
                auto pods = w.pods();
                std::size_t seen = 0;
                bool armed = !joins;
                const auto see = [&](const added<>& e) -> asio::awaitable<result<>> {
                    ++seen;
                    if (e.obj.name() != "b" || !std::exchange(armed, false)) co_return result<>{};
                    result<> refused = failure(cond::invalid, "a failure whose report needs memory");
                    test::fail_allocation(nth);
                    co_return std::move(refused);
                };
                auto registration = pods.add_event_handler({.on_add = see, .concurrency = workers});
                auto watch = w.serve();
                w.failing.start();
                REQUIRE(w.run.run(pods.has_synced()));
                w.run.run_until_idle();
                if (joins) asio::post(w.run.executor(), [nth] { test::fail_allocation(nth); });
                auto late = pods.subscribe();
                watch.send({kt::added(kt::make_pod("web", "b", "6")), kt::added(kt::make_pod("web", "c", "7"))});
                CHECK_NOTHROW(w.run.run_until_idle());
                test::fail_allocation(0);
                w.run.advance(10s);
                if (pods.state() == informer_state::failed) {
                    ++(joins ? by_step : by_handler);
                    CHECK(w.run.run(registration.ended()).error() == cond::internal);
                    w.check_end(pods, "bad_alloc");
                } else {
                    CHECK(seen == 3);
                    CHECK(w.run.run(w.failing.stop()));
                }
                CHECK(w.run.run(w.healthy.stop()));
            }
    CHECK(by_step >= 4);
    CHECK(by_handler >= 2);
}

TEST_CASE("informer ends: a change of namespaces that fails ends it, and its caller gets that failure",
          "[cache][informer][ends][memory]")
{
    int ended = 0;
    for (std::uint64_t nth = 1; nth <= 6; ++nth) {
        CAPTURE(nth);
        world w;
        auto pods = w.pods({.namespaces = {"web", "jobs"}});
        w.failing.start();
        w.run.run_until_idle();
        asio::post(w.run.executor(), [nth] { test::fail_allocation(nth); });
        const auto leaving = w.run.spawn(pods.remove_namespace("jobs"));
        CHECK_NOTHROW(w.run.run_until_idle());
        test::fail_allocation(0);
        REQUIRE(leaving.done());
        CHECK(leaving.outcome().has_value() == (pods.state() != informer_state::failed));
        if (pods.state() == informer_state::failed) {
            ++ended;
            CHECK(leaving.outcome().error() == cond::internal);
            CHECK(w.run.run(pods.add_namespace("late")).error() == cond::internal);
            w.check_end(pods, "bad_alloc");
        } else {
            CHECK(w.run.run(w.failing.stop()));
        }
        CHECK(w.run.run(w.healthy.stop()));
    }
    CHECK(ended >= 2);
}

TEST_CASE("informer ends: code of users that throws is counted, and ends nothing", "[cache][informer][ends]")
{
    world w;
    auto pods = w.pods();
    const auto fails = [] { throw std::runtime_error("of the user"); };
    REQUIRE(pods.add_index("broken", [&](const object&, index_sink) { fails(); }));
    auto registration = pods.add_event_handler({.on_add = [&](const added<>&) { fails(); }});
    auto watch = w.serve();
    w.failing.start();
    REQUIRE(w.run.run(registration.has_synced()));
    watch.send(kt::added(kt::make_pod("web", "b", "6")));
    w.run.run_until_idle();
    CHECK(pods.state() == informer_state::watching);
    CHECK(pods.stats().index_failures == 2);
    CHECK(pods.stats().handlers.front().failed == 2);
    CHECK_FALSE(pods.stats().ended_by);
    CHECK(w.ends.empty());
    CHECK(w.run.run(w.failing.stop()));
    CHECK(w.run.run(w.healthy.stop()));
}

TEST_CASE("informer ends: a wait for several informers fails when an allocation fails in it, and leaves nothing behind",
          "[cache][informer][ends][memory]")
{
    int failed = 0;
    for (const std::uint64_t nth :
         {1, 2, 3, 4, 8, 9, 10, 11, 12, 13}) { // Boost 1.81 crashes without memory for a strand
        CAPTURE(nth);
        world w;
        auto pods = w.pods();
        auto maps = w.failing.get<untyped::config_map>();
        w.serve();
        w.failing.start(); // the ConfigMaps never sync
        w.run.run_until_idle();
        const auto wait = [&]() -> asio::awaitable<result<>> {
            test::fail_allocation(nth);
            co_return co_await with_timeout(*w.run.shared_clock(), 1s, "wait", wait_for_cache_sync({pods, maps}));
        };
        const auto outcome = w.run.run(wait());
        test::fail_allocation(0);
        REQUIRE_FALSE(outcome);
        if (outcome.error() == cond::internal) ++failed;
        CHECK((outcome.error() == cond::internal || outcome.error() == cond::timed_out));
        CHECK(w.run.run(w.failing.stop()));
        CHECK(w.run.run(w.healthy.stop()));
    }
    CHECK(failed >= 6);
}
