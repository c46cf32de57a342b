// Phases and readiness of a controller, and the classification of run ends, as scripts.
#include "controller/controller_core.hpp"
#include "controller/run_end.hpp"

#include <kubecoro/test/catch.hpp>

#include <chrono>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
namespace step = kubecoro::detail::controller_step;

namespace {

struct script
{
    controller_core core{{.sync_timeout = 60s, .grace = 10s, .workers = 2}};
    time_point now{};

    template<class Step>
    bool next()
    {
        return std::holds_alternative<Step>(core.next(now));
    }
    /// Starts until the workers run.
    controller_core::source_id begin()
    {
        const auto s = core.add_source("pods");
        core.start(now);
        core.source_synced(s);
        REQUIRE(next<step::start_workers>());
        return s;
    }
    failure outcome()
    {
        const auto end = core.next(now);
        REQUIRE(std::holds_alternative<step::finish>(end));
        return std::get<step::finish>(end).outcome.error();
    }
};

} // namespace

TEST_CASE("controller core: workers start when the first list of every source has been processed", "[controller]")
{
    script s;
    const auto pods = s.core.add_source("pods");
    const auto maps = s.core.add_source("maps");
    CHECK(s.next<step::wait>());
    s.core.start(s.now);
    const auto first = s.core.next(s.now);
    REQUIRE(std::holds_alternative<step::wait>(first));
    CHECK(std::get<step::wait>(first).until == s.now + 60s);
    s.core.source_synced(maps);
    CHECK(s.next<step::wait>());
    s.core.source_synced(pods);
    CHECK(s.next<step::start_workers>());
    CHECK(s.core.phase() == controller_phase::running);
    CHECK(s.next<step::wait>());
    const auto late = s.core.add_source("late");
    CHECK(s.next<step::wait>());
    s.core.source_ended(late);
    CHECK(s.next<step::wait>());
}

TEST_CASE("controller core: without sources nothing is waited for", "[controller]")
{
    script s;
    s.core.start(s.now);
    CHECK(s.next<step::start_workers>());
}

TEST_CASE("controller core: a removed source is not waited for", "[controller]")
{
    script s;
    const auto pods = s.core.add_source("pods");
    s.core.start(s.now);
    s.core.source_removed(pods);
    CHECK(s.next<step::start_workers>());
    s.core.source_ended(pods);
    s.core.source_ended(pods);
    CHECK(s.next<step::wait>());
}

TEST_CASE("controller core: a timeout names the missing sources and their failures", "[controller]")
{
    script s;
    const auto pods = s.core.add_source("pods");
    s.core.source_synced(s.core.add_source("nodes"));
    s.core.source_in_trouble(s.core.add_source("secrets"), failure(cond::forbidden, "you must not"));
    s.core.source_in_trouble(pods, failure(cond::not_found, "no such thing"));
    s.core.start(s.now);
    s.now += 59s;
    CHECK(s.next<step::wait>());
    s.now += 1s;
    CHECK(s.next<step::close_sources>());
    CHECK(s.next<step::wait>());
    for (controller_core::source_id n = 0; n < 3; ++n) s.core.source_ended(n);
    CHECK(s.next<step::close_queue>());
    const auto why = s.outcome();
    CHECK(why == cond::timed_out);
    CHECK(why.message().find("pods (not_found) secrets (forbidden)") != std::string::npos);
    CHECK(why.message().find("nodes") == std::string::npos);
    CHECK(why.message().find("no such thing") != std::string::npos);
    CHECK(s.core.phase() == controller_phase::stopped);
}

TEST_CASE("controller core: a failure that is over is not reported", "[controller]")
{
    script s;
    const auto pods = s.core.add_source("pods");
    s.core.source_in_trouble(pods, failure(cond::forbidden));
    CHECK(s.core.trouble(pods));
    s.core.source_synced(pods);
    CHECK_FALSE(s.core.trouble(pods));
    s.core.source_in_trouble(pods, failure(cond::forbidden));
    CHECK_FALSE(s.core.trouble(pods));
    CHECK_FALSE(s.core.trouble(99));
}

TEST_CASE("controller core: an informer that stops before its first list ends the wait", "[controller]")
{
    script s;
    const auto pods = s.core.add_source("pods");
    const auto maps = s.core.add_source("maps");
    s.core.start(s.now);
    s.core.source_ended(pods);
    CHECK(s.next<step::close_sources>());
    s.core.source_ended(maps);
    CHECK(s.next<step::close_queue>());
    const auto why = s.outcome();
    CHECK(why == cond::cancelled);
    CHECK(why.message().find("pods") != std::string::npos);
}

TEST_CASE("controller core: stops in order, and waits for each part", "[controller]")
{
    script s;
    const auto pods = s.begin();
    s.core.stop();
    CHECK(s.core.closing());
    CHECK(s.next<step::close_sources>());
    CHECK(s.next<step::wait>());
    s.core.source_ended(pods);
    CHECK(s.next<step::close_queue>());
    CHECK(s.next<step::wait>());
    s.core.worker_ended();
    CHECK(s.next<step::wait>());
    s.core.worker_ended();
    const auto end = s.core.next(s.now);
    REQUIRE(std::holds_alternative<step::finish>(end));
    CHECK(std::get<step::finish>(end).outcome.has_value());
    CHECK(s.next<step::finish>());
}

TEST_CASE("controller core: a worker that ends unexpectedly stops the controller with a failure", "[controller]")
{
    script s;
    const auto pods = s.begin();
    CHECK(s.next<step::wait>());
    s.core.worker_ended();
    CHECK(s.next<step::close_sources>());
    s.core.source_ended(pods);
    CHECK(s.next<step::close_queue>());
    s.core.worker_ended();
    CHECK(s.outcome() == cond::internal);
}

TEST_CASE("controller core: runs that take longer than the grace period are cancelled and named", "[controller]")
{
    script s;
    s.core.source_ended(s.begin());
    s.core.stop();
    CHECK(s.next<step::close_sources>());
    CHECK(s.next<step::close_queue>());
    s.core.worker_ended();
    s.now += 10s;
    CHECK(s.next<step::cancel_runs>());
    s.core.runs_cancelled("web/a");
    CHECK(s.core.phase() == controller_phase::cancelling);
    s.now += 100s;
    CHECK(s.next<step::wait>());
    s.core.worker_ended();
    const auto why = s.outcome();
    CHECK(why == cond::timed_out);
    CHECK(why.message().find("web/a") != std::string::npos);
}

TEST_CASE("controller core: a stop before and during the start, and a destroyed handle", "[controller]")
{
    script early;
    early.core.stop();
    CHECK(early.next<step::finish>());
    early.core.start(early.now);
    CHECK(early.next<step::finish>());

    script syncing;
    const auto pods = syncing.core.add_source("pods");
    syncing.core.start(syncing.now);
    syncing.core.stop();
    CHECK(syncing.next<step::close_sources>());
    syncing.core.source_ended(pods);
    CHECK(syncing.next<step::close_queue>());
    CHECK(syncing.next<step::finish>());

    script left;
    left.core.source_ended(left.begin());
    left.core.stop();
    CHECK(left.next<step::close_sources>());
    CHECK(left.next<step::close_queue>());
    CHECK(left.next<step::wait>());
    left.core.stop_at_once();
    CHECK(left.next<step::cancel_runs>());
}

TEST_CASE("action: a run after the longest time of any unit is not a run at once", "[controller]")
{
    CHECK(action::requeue_after(std::chrono::hours::max()).after() == duration::max());
    CHECK(action::requeue_after(std::chrono::seconds::max()).after() == duration::max());
    CHECK(action::requeue_after(duration::max()).after() == duration::max());
    CHECK(action::requeue_after(std::chrono::minutes(3)).after() == std::chrono::minutes(3));
    CHECK(action::requeue_after(std::chrono::seconds(-5)).after() == std::chrono::seconds(-5));
}

TEST_CASE("run end: an action or a failure, and its circumstances", "[controller]")
{
    const result<action> failed = failure(cond::conflict);
    const result<action> cancelled = failure(cond::cancelled);
    const result<action> late = failure(cond::timed_out);
    CHECK(judge(action::done(), {}) == run_end::succeeded);
    CHECK(judge(action::requeue_after(1s), {}) == run_end::requeued);
    CHECK(judge(terminal(failure(cond::invalid)), {}) == run_end::terminal);
    CHECK(judge(failed, {}) == run_end::failed);
    CHECK(judge(failed, {.threw = true}) == run_end::threw);
    CHECK(judge(late, {}) == run_end::failed);
    CHECK(judge(late, {.past_deadline = true}) == run_end::timed_out);
    CHECK(judge(cancelled, {}) == run_end::failed);
    CHECK(judge(cancelled, {.cancelling = true}) == run_end::cancelled);
    CHECK(judge(failed, {.cancelling = true}) == run_end::failed);
    CHECK(judge(action::done(), {.past_deadline = true, .cancelling = true}) == run_end::succeeded);
    CHECK(is_retried(run_end::threw));
    CHECK_FALSE(is_retried(run_end::terminal));
    CHECK(metric_label(run_end::terminal) == "error");
}
