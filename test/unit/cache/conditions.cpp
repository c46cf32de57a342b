// Tests of the predefined conditions with objects as a cluster produces them.

#include <kubecoro/cache/conditions.hpp>
#include <kubecoro/test/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::conditions;

namespace {

object parse(const std::string& text) { return object::parse(text).value(); }

/// Returns an object from JSON text in which each `%` is replaced by one of the values.
object made(std::string_view text, const std::vector<std::string>& values)
{
    std::string filled;
    auto next = values.begin();
    for (const char c : text) {
        if (c == '%')
            filled += *next++;
        else
            filled += c;
    }
    return parse(filled);
}

std::string n(int i) { return std::to_string(i); }

bool met(const object_condition& c, const object& o) { return c(o).value(); }

object crd(const std::string& established, const std::string& accepted)
{
    return made(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"widgets.example.com","uid":"u1","resourceVersion":"3"},
      "status":{"conditions":[
        {"type":"NamesAccepted","status":"%","reason":"x","message":"\"widgets\" is in use"},
        {"type":"Established","status":"%"}],"storedVersions":["v1"]}})",
                {accepted, established});
}

object pod(const std::string& phase, const std::string& ready)
{
    return made(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"name":"a","namespace":"web","uid":"u1","resourceVersion":"7"},
      "spec":{"nodeName":"n1","containers":[{"name":"main","image":"app"}]},
      "status":{"phase":"%","conditions":[
        {"type":"PodScheduled","status":"True"},{"type":"Initialized","status":"True"},
        {"type":"ContainersReady","status":"%"},
        {"type":"Ready","status":"%","reason":"ContainersNotReady"}]}})",
                {phase, ready, ready});
}

object job(const std::string& type)
{
    const std::string conditions =
        type.empty() ? ""
                     : R"({"type":"Suspended","status":"False"},{"status":"True","reason":"r","type":")" + type + "\"}";
    return made(R"({"apiVersion":"batch/v1","kind":"Job",
      "metadata":{"name":"j","namespace":"web","uid":"u1","resourceVersion":"7"},
      "spec":{"completions":1},"status":{"active":1,"conditions":[%]}})",
                {conditions});
}

struct rollout
{
    int generation = 2, observed = 2, wanted = 3, replicas = 3, updated = 3, available = 3;
    std::string available_condition = "True";
    std::string progressing = "NewReplicaSetAvailable";

    [[nodiscard]] object deployment() const
    {
        return made(R"({"apiVersion":"apps/v1","kind":"Deployment",
          "metadata":{"name":"shop","namespace":"web","uid":"u1","resourceVersion":"9","generation":%},
          "spec":{"replicas":%},
          "status":{"observedGeneration":%,"replicas":%,"updatedReplicas":%,"availableReplicas":%,"conditions":[
            {"type":"Available","status":"%","reason":"MinimumReplicasAvailable"},
            {"type":"Progressing","status":"True","reason":"%"}]}})",
                    {n(generation), n(wanted), n(observed), n(replicas), n(updated), n(available), available_condition,
                     progressing});
    }
};

struct stateful
{
    int generation = 2, observed = 2, ready = 3, updated = 3, partition = 0;
    std::string strategy = "RollingUpdate";
    std::string current = "shop-7";

    [[nodiscard]] object set() const
    {
        return made(R"({"apiVersion":"apps/v1","kind":"StatefulSet",
          "metadata":{"name":"db","namespace":"web","uid":"u1","resourceVersion":"9","generation":%},
          "spec":{"replicas":3,"updateStrategy":{"type":"%","rollingUpdate":{"partition":%}}},
          "status":{"observedGeneration":%,"replicas":3,"readyReplicas":%,"updatedReplicas":%,
            "currentRevision":"%","updateRevision":"shop-7"}})",
                    {n(generation), strategy, n(partition), n(observed), n(ready), n(updated), current});
    }
};

} // namespace

TEST_CASE("conditions: deleted, for one uid or for any", "[cache][conditions]")
{
    const auto o = pod("Running", "True");
    CHECK(met(conditions::deleted(), {}));
    CHECK_FALSE(met(conditions::deleted(), o));
    CHECK_FALSE(met(conditions::deleted("u1"), o));
    CHECK(met(conditions::deleted("u0"), o)); // another object has replaced it
    CHECK(met(conditions::deleted("u0"), {}));
    CHECK(met(exists(), o));
    CHECK_FALSE(met(exists(), {}));
}

TEST_CASE("conditions: a condition type with a status", "[cache][conditions]")
{
    const auto o = pod("Pending", "False");
    CHECK(met(condition_true("PodScheduled"), o));
    CHECK_FALSE(met(condition_true("Ready"), o));
    CHECK(met(condition_is("Ready", "False"), o));
    CHECK_FALSE(met(condition_is("Nothing", "False"), o));
    CHECK_FALSE(met(condition_true("Ready"), {}));
    CHECK(condition_true("Ready").name() == "Ready=True");
}

TEST_CASE("conditions: a CRD is established, or its names are not accepted", "[cache][conditions]")
{
    CHECK(met(crd_established(), crd("True", "True")));
    CHECK_FALSE(met(crd_established(), crd("False", "True")));
    CHECK_FALSE(met(crd_established(), {}));
    const auto refused = crd_established()(crd("False", "False"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::conflict);
    CHECK(refused.error().message().find("in use") != std::string::npos);
}

TEST_CASE("conditions: pods", "[cache][conditions]")
{
    CHECK(met(pod_running(), pod("Running", "False")));
    CHECK_FALSE(met(pod_running(), pod("Pending", "False")));
    CHECK(met(pod_ready(), pod("Running", "True")));
    CHECK_FALSE(met(pod_ready(), pod("Running", "False")));
    CHECK(met(pod_finished(), pod("Succeeded", "False")));
    CHECK(met(pod_finished(), pod("Failed", "False")));
    CHECK_FALSE(met(pod_finished(), pod("Running", "True")));
    for (const auto& c : {pod_running(), pod_ready(), pod_finished()}) CHECK_FALSE(met(c, {}));
}

TEST_CASE("conditions: jobs", "[cache][conditions]")
{
    CHECK(met(job_complete(), job("Complete")));
    CHECK_FALSE(met(job_complete(), job("Failed")));
    CHECK(met(job_failed(), job("Failed")));
    CHECK(met(job_finished(), job("Failed")));
    CHECK(met(job_finished(), job("Complete")));
    CHECK_FALSE(met(job_finished(), job("")));
    CHECK_FALSE(met(job_finished(), job("FailureTarget"))); // not failed yet
    CHECK_FALSE(met(job_finished(), {}));
}

TEST_CASE("conditions: a deployment is available, and rolled out by kubectl's rules", "[cache][conditions]")
{
    CHECK(met(deployment_available(), rollout{}.deployment()));
    CHECK_FALSE(met(deployment_available(), rollout{.observed = 1}.deployment()));
    CHECK_FALSE(met(deployment_available(), rollout{.available_condition = "False"}.deployment()));

    CHECK(met(deployment_rolled_out(), rollout{}.deployment()));
    CHECK_FALSE(met(deployment_rolled_out(), rollout{.generation = 3}.deployment()));
    CHECK_FALSE(met(deployment_rolled_out(), rollout{.updated = 2}.deployment()));
    CHECK_FALSE(met(deployment_rolled_out(), rollout{.replicas = 4}.deployment())); // an old replica is left
    CHECK_FALSE(met(deployment_rolled_out(), rollout{.available = 2}.deployment()));
    CHECK(met(deployment_rolled_out(), rollout{.wanted = 0, .replicas = 0, .updated = 0, .available = 0}.deployment()));
    CHECK_FALSE(met(deployment_rolled_out(), {}));
    const auto late =
        deployment_rolled_out()(rollout{.updated = 1, .progressing = "ProgressDeadlineExceeded"}.deployment());
    REQUIRE_FALSE(late);
    CHECK(late.error() == cond::timed_out);
    // A status of an earlier spec does not count.
    CHECK_FALSE(
        met(deployment_rolled_out(), rollout{.generation = 3, .progressing = "ProgressDeadlineExceeded"}.deployment()));
}

TEST_CASE("conditions: a stateful set is rolled out by kubectl's rules", "[cache][conditions]")
{
    CHECK(met(statefulset_rolled_out(), stateful{}.set()));
    CHECK_FALSE(met(statefulset_rolled_out(), stateful{.observed = 1}.set()));
    CHECK_FALSE(met(statefulset_rolled_out(), stateful{.ready = 2}.set()));
    CHECK_FALSE(met(statefulset_rolled_out(), stateful{.updated = 1, .current = "shop-6"}.set()));
    CHECK(met(statefulset_rolled_out(), stateful{.updated = 1, .partition = 2, .current = "shop-6"}.set()));
    CHECK_FALSE(met(statefulset_rolled_out(), stateful{.updated = 0, .partition = 2, .current = "shop-6"}.set()));
    CHECK_FALSE(met(statefulset_rolled_out(), {}));
    CHECK(statefulset_rolled_out()(stateful{.strategy = "OnDelete"}.set()).error() == cond::invalid);
}

TEST_CASE("conditions: generation observed", "[cache][conditions]")
{
    CHECK(met(generation_observed(), rollout{}.deployment()));
    CHECK_FALSE(met(generation_observed(), rollout{.generation = 9}.deployment()));
    CHECK_FALSE(met(generation_observed(), {}));
}

TEST_CASE("conditions: all_of, any_of and not_ combine results, names and failures", "[cache][conditions]")
{
    const auto o = pod("Running", "False");
    const object_condition broken("broken", [](const object&) -> result<bool> { throw std::runtime_error("no idea"); });
    CHECK_FALSE(met(all_of({pod_running(), pod_ready()}), o));
    CHECK(met(any_of({pod_ready(), pod_running()}), o));
    CHECK(met(not_(pod_ready()), o));
    CHECK(met(all_of({}), o));
    CHECK_FALSE(met(any_of({}), o));
    CHECK(all_of({pod_running(), broken})(o).error() == cond::internal);
    CHECK_FALSE(met(all_of({pod_ready(), broken}), o)); // not evaluated
    CHECK(met(any_of({pod_running(), broken}), o));
    CHECK(not_(broken)(o).error() == cond::internal);
    CHECK(all_of({pod_running(), not_(pod_ready())}).name() == "running and not ready");
    CHECK(any_of({pod_running(), pod_finished()}).name() == "running or finished");
    const object_condition own = [](const object& x) { return x.name() == "a"; };
    CHECK(met(own, o));
    CHECK(own.name() == "as wanted");
}

TEST_CASE("conditions: brief_status summarises an object", "[cache][conditions]")
{
    CHECK(brief_status({}) == "absent");
    CHECK(brief_status(job("")) == "web/j at version 7, active 1");
    CHECK(
        brief_status(rollout{.generation = 3, .updated = 1}.deployment()) ==
        "web/shop at version 9, Available=True (MinimumReplicasAvailable), Progressing=True (NewReplicaSetAvailable), "
        "generation 3 observed 2, replicas 3, updatedReplicas 1, availableReplicas 3");
    CHECK(brief_status(
              parse(R"({"metadata":{"name":"x","resourceVersion":"1","deletionTimestamp":"2020-01-01T00:00:00Z"}})")) ==
          "x at version 1, being deleted");
}
