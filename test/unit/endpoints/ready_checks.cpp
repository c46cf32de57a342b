#include <kubecoro/endpoints/ready_checks.hpp>

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

result<> outcome_of(const health_check& check)
{
    testing::runner run;
    return run.run(check.run());
}

} // namespace

TEST_CASE("ready_checks: a controller is ready while it runs", "[endpoints]")
{
    controller_stats stats;
    stats.queue.name = "shop";
    const health_check check = controller_running([&stats] { return stats; });
    for (const auto phase : {controller_phase::created, controller_phase::syncing, controller_phase::stopping,
                             controller_phase::cancelling, controller_phase::stopped}) {
        stats.phase = phase;
        const auto outcome = outcome_of(check);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().message() == "the controller shop is " + std::string(to_string(phase)));
    }
    stats.phase = controller_phase::running;
    CHECK(outcome_of(check));
}

TEST_CASE("ready_checks: a lease is in order unless its leader is late", "[endpoints]")
{
    std::optional<duration> since;
    const health_check check = lease_renewed([&since] { return since; }, 25s);
    CHECK(outcome_of(check));
    since = 25s;
    CHECK(outcome_of(check));
    since = 26s;
    CHECK(outcome_of(check).error() == cond::timed_out);
}

TEST_CASE("ready_checks: an informer is current while events, bookmarks or lists show it", "[endpoints]")
{
    testing::runner run;
    testing::recording_logger log;
    const auto provider = std::make_shared<testing::scripted_provider>(run.executor(), run.shared_clock());
    informer_factory informers(provider, {.time = run.shared_clock(), .log = log.handle()});
    auto pods = informers.get<untyped::pod>();
    const health_check check = informers_current(informers, 2min);
    const auto source = provider->source(untyped::pod::resource());
    source->on_list(testing::make_page({}, "5"), 5min);
    auto watch = source->on_watch();
    informers.start();
    run.advance(4min);
    CHECK(run.run(check.run())); // not synced: that is said elsewhere
    run.advance(3min);
    CHECK(run.run(check.run()));
    run.advance(1s);
    const auto old = run.run(check.run());
    REQUIRE_FALSE(old);
    CHECK(old.error() == cond::timed_out);
    CHECK(old.error().message() == "the store of pods may be 121 s old");
    watch.send(testing::bookmark("6"));
    run.run_until_idle();
    CHECK(run.run(check.run()));
    source->on_list(failure(cond::unreachable, "no route"));
    watch.send(testing::error_event(410, "Expired"));
    run.advance(3min);
    CHECK(run.run(check.run()).error().message() == "the store of pods may be 180 s old: no route");
    CHECK(run.run(informers.stop()));
}

TEST_CASE("ready_checks: no informers are synced informers", "[endpoints]")
{
    CHECK(outcome_of(informers_synced([] { return std::vector<shared_informer<object>>(); })));
}
