#include <kubecoro/endpoints/ready_checks.hpp>

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
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

TEST_CASE("ready_checks: no informers are synced informers", "[endpoints]")
{
    CHECK(outcome_of(informers_synced([] { return std::vector<shared_informer<object>>(); })));
}
