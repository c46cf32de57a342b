// Tests of what the controllers of a live cluster decide.
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/test/catch.hpp>

#include "live/plans.hpp"

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::apiserver::live;

namespace json = boost::json;

namespace {

pod_digest pod(const std::string& name, phase in, bool ready, const std::string& node = "n",
               const std::string& created = "1")
{
    pod_digest p;
    p.name = name;
    p.in = in;
    p.ready = ready;
    p.node = node;
    p.created = created;
    return p;
}

std::string removed(std::int64_t wanted, const std::vector<pod_digest>& pods)
{
    std::vector<const pod_digest*> all;
    for (const auto& p : pods) all.push_back(&p);
    std::string out;
    for (const auto& name : plan_set(wanted, all).remove) out += name;
    return out;
}

} // namespace

TEST_CASE("live: a set makes what is missing, and gives up what is missed least", "[apiserver][live]")
{
    CHECK(plan_set(3, {}).create == 3);
    auto going = pod("g", phase::running, true);
    going.deleting = true;
    const auto failed = pod("f", phase::failed, false);
    CHECK(plan_set(1, {&going, &failed}).create == 1);
    const std::vector<pod_digest> pods{pod("a", phase::running, true, "n", "1"),
                                       pod("b", phase::running, true, "n", "2"), pod("c", phase::running, false),
                                       pod("d", phase::pending, false), pod("e", phase::pending, false, "")};
    CHECK(removed(5, pods).empty());
    CHECK(removed(4, pods) == "e");
    CHECK(removed(0, pods) == "edcba");
}

TEST_CASE("live: shares are rounded as Kubernetes does", "[apiserver][live]")
{
    const auto share = [](json::value v, std::int64_t whole, bool up) { return resolve_share(&v, whole, up); };
    CHECK(share("25%", 10, true) == 3);
    CHECK(share("25%", 10, false) == 2);
    CHECK(share(4, 10, true) == 4);
    CHECK(share("x", 10, true) == 0);
    CHECK(share("5", 10, true) == 0);
    CHECK(share(-1, 10, true) == 0);
    CHECK(resolve_share(nullptr, 10, true) == 0);
}

TEST_CASE("live: a recreation removes all old pods first", "[apiserver][live]")
{
    rollout r;
    r.recreate = true;
    r.wanted = 3;
    r.old = {{3, 3, 3}};
    CHECK(plan_rollout(r).current == 0);
    CHECK(plan_rollout(r).old == std::vector<std::int64_t>{0});
    r.old = {{0, 0, 1}}; // one still terminates
    CHECK(plan_rollout(r).current == 0);
    r.old = {{0, 0, 0}};
    CHECK(plan_rollout(r).current == 3);
}

TEST_CASE("live: a rolling update keeps its bounds and ends, whatever becomes available when", "[apiserver][live]")
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        detail::random_source random(seed);
        rollout r;
        r.wanted = static_cast<std::int64_t>(random() % 20);
        r.max_surge = static_cast<std::int64_t>(random() % 4);
        r.max_unavailable = static_cast<std::int64_t>(random() % 4);
        if (r.max_surge + r.max_unavailable == 0) r.max_unavailable = 1;
        r.old = {{r.wanted, r.wanted, r.wanted}};
        int steps = 0;
        for (; steps < 500; ++steps) {
            const auto plan = plan_rollout(r);
            r.current.replicas = plan.current;
            r.current.available = std::min(r.current.available, plan.current);
            r.old[0].replicas = plan.old[0];
            r.old[0].available = std::min(r.old[0].available, plan.old[0]);
            REQUIRE(r.current.replicas + r.old[0].replicas <= r.wanted + r.max_surge);
            REQUIRE(r.current.available + r.old[0].available >= r.wanted - r.max_unavailable);
            if (r.current.available == r.wanted && r.old[0].replicas == 0) break;
            if (r.current.available < r.current.replicas && random() % 2 == 0) ++r.current.available;
        }
        CHECK(steps < 500);
    }
}

TEST_CASE("live: old pods that do not work are replaced first", "[apiserver][live]")
{
    rollout r;
    r.wanted = 4;
    r.max_surge = 1;
    r.max_unavailable = 1;
    r.current = {2, 2, 2};
    r.old = {{1, 1, 1}, {2, 0, 2}};
    const auto plan = plan_rollout(r);
    CHECK(plan.current == 2);
    CHECK(plan.old == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("live: a job runs in parallel, ends with its completions, and fails beyond its limit", "[apiserver][live]")
{
    job_state s;
    s.parallelism = 2;
    s.completions = 3;
    CHECK(plan_job(s).create == 2);
    s.active = 2;
    CHECK(plan_job(s).create == 0);
    s.active = 0;
    s.succeeded = 2;
    CHECK(plan_job(s).create == 1);
    s.succeeded = 3;
    CHECK(plan_job(s).outcome == job_outcome::complete);
    s.succeeded = 0;
    s.backoff_limit = 1;
    s.failed = 1;
    CHECK(plan_job(s).outcome == job_outcome::running);
    s.failed = 2;
    s.active = 1;
    CHECK(plan_job(s).outcome == job_outcome::failed);
    CHECK(plan_job(s).remove == 1);
    s = {};
    s.active = 3;
    s.suspended = true;
    CHECK(plan_job(s).remove == 3);
    s = {};
    s.completions.reset();
    s.parallelism = 2;
    s.succeeded = 1;
    s.active = 1;
    CHECK(plan_job(s).create == 0);
    s.active = 0;
    CHECK(plan_job(s).outcome == job_outcome::complete);
}

TEST_CASE("live: a pod starts after its time, and ends if it does not restart", "[apiserver][live]")
{
    const wall_time now = std::chrono::sys_days{std::chrono::year{2026} / 11 / 21};
    auto body = json::parse(
        R"({"metadata":{"creationTimestamp":"2026-11-21T00:00:00Z"},"spec":{"nodeName":"n",)"
        R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}})");
    const auto waits = next_step(body, 1, now);
    CHECK_FALSE(waits.status);
    CHECK(waits.when == now + start_after);
    const auto starts = next_step(body, 258, now + start_after);
    REQUIRE(starts.status);
    CHECK(starts.status->at("phase") == "Running");
    CHECK(starts.status->at("podIP") == "10.64.1.2");
    CHECK(starts.status->at_pointer("/containerStatuses/0/ready") == true);
    body.as_object()["status"] = *starts.status;
    const auto began = now + start_after;
    CHECK(next_step(body, 1, began).when == began + run_for);
    const auto ends = next_step(body, 1, began + run_for);
    CHECK(ends.status->at("phase") == "Succeeded");
    CHECK(ends.status->at_pointer("/containerStatuses/0/state/terminated/exitCode") == 0);

    body.at("metadata").as_object()["annotations"] = {{"live.kubecoro.dev/outcome", "fail"}};
    CHECK(next_step(body, 1, began + run_for).status->at("phase") == "Failed");
    body.at("spec").as_object()["restartPolicy"] = "Always";
    CHECK_FALSE(next_step(body, 1, began + run_for).status);
    body.as_object()["status"] = json::object{{"phase", "Pending"}};
    const auto broken = next_step(body, 1, began);
    CHECK(broken.status->at("phase") == "Running");
    CHECK(broken.status->at_pointer("/containerStatuses/0/state/waiting/reason") == "CrashLoopBackOff");
    body.at("metadata").as_object()["deletionTimestamp"] = "2026-11-21T00:00:00Z";
    CHECK_FALSE(next_step(body, 1, began).status);
}
