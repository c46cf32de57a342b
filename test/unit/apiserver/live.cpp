// Tests of a live cluster: scheduler, kubelets and the controllers of workloads against the state, in virtual time.
#include "live.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string apps = "/apis/apps/v1/namespaces/default/";
const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
const std::string pods = "/api/v1/namespaces/default/pods";

std::string workload(const std::string& more, const std::string& image = "i:1", const std::string& annotations = {})
{
    return R"({"metadata":{"name":"w"},"spec":{)" + more +
           R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"})" + annotations +
           R"(},"spec":{"containers":[{"name":"c","image":")" + image + R"("}]}}}})";
}

std::string job(const std::string& more, const std::string& annotations = {})
{
    return R"({"metadata":{"name":"j"},"spec":{)" + more + R"("template":{"metadata":{)" + annotations +
           R"(},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})";
}

const std::string failing = R"("annotations":{"live.kubecoro.dev/outcome":"fail"})";
const std::string image2 = R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:2"}]}}}})";

} // namespace

TEST_CASE("live: a pod is bound, runs, becomes ready, and ends within its grace period", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", pods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    s.settle();
    CHECK(s.read(pods + "/p").at_pointer("/spec/nodeName") == "node-1");
    CHECK(s.condition(pods + "/p", "PodScheduled") == "True ");
    CHECK(s.read(pods + "/p").at_pointer("/status/phase") == "Pending");
    s.pass(std::chrono::seconds{1});
    CHECK(s.read(pods + "/p").at_pointer("/status/phase") == "Running");
    CHECK(s.condition(pods + "/p", "Ready") == "True ");
    s.pass(std::chrono::hours{1});
    CHECK(s.read(pods + "/p").at_pointer("/status/phase") == "Running");
    s.expect(200, "DELETE", pods + "/p");
    s.settle();
    CHECK(s.read(pods + "/p").at("metadata").as_object().contains("deletionTimestamp"));
    s.pass(std::chrono::seconds{1});
    s.expect(404, "GET", pods + "/p");
}

TEST_CASE("live: pods start and end in time after the calendar was put back", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", pods, R"({"metadata":{"name":"ends"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    s.pass(std::chrono::seconds{1});
    s.expect(200, "DELETE", pods + "/ends");
    s.expect(201, "POST", pods, R"({"metadata":{"name":"starts"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    s.settle();
    s.now -= std::chrono::hours{2};
    s.pass(std::chrono::seconds{1});
    CHECK(s.condition(pods + "/starts", "Ready") == "True ");
    s.expect(404, "GET", pods + "/ends");
}

TEST_CASE("live: a controller that throws runs again by itself, and does not hold up the others", "[apiserver][live]")
{
    live_server s;
    const auto w = apps + "deployments/w";
    const auto store = s.state.find("deployments.apps");
    s.expect(201, "POST", apps + "deployments", workload(R"("replicas":1,)"));
    const auto whole = store->find("/default/w");
    auto broken = std::make_shared<apiserver::stored_object>(*whole);
    broken->text = "{";
    store->put(broken);
    s.expect(201, "POST", jobs, job(""));
    int failures = 0;
    const auto settle = [&] {
        std::optional<wall_time> next = s.now;
        while (next && *next <= s.now) {
            next = s.live.tick(s.now);
            failures += s.live.failure() != nullptr;
        }
        return next;
    };
    const auto begun = s.now;
    auto next = settle();
    CHECK(failures == 1);
    CHECK(s.count(pods) == 1);
    // Each time later than before.
    for (int i = 0; i < 12 && next; ++i) {
        s.now = *next;
        next = settle();
    }
    CHECK(failures > 3);
    CHECK(s.now - begun > std::chrono::minutes{1});
    CHECK(s.read(jobs + "/j").at_pointer("/status/succeeded") == 1);
    store->put(whole);
    s.pass(std::chrono::seconds{80});
    CHECK(s.number(w, "/status/readyReplicas") == 1);
}

TEST_CASE("live: the claims of a stateful set are volumes of its pods", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", apps + "statefulsets",
             R"({"metadata":{"name":"w"},"spec":{"serviceName":"w","selector":{"matchLabels":{"a":"b"}},)"
             R"("volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"]}}],)"
             R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"volumes":[{"name":"data","emptyDir":{}},)"
             R"({"name":"more","emptyDir":{}}],"containers":[{"name":"c","image":"i","volumeMounts":[)"
             R"({"name":"data","mountPath":"/d"},{"name":"more","mountPath":"/m"}]}]}}}})");
    s.settle();
    const auto volumes = s.read(pods + "/w-0").at_pointer("/spec/volumes").as_array();
    REQUIRE(volumes.size() == 2);
    CHECK(volumes[0].at_pointer("/persistentVolumeClaim/claimName") == "data-w-0");
    CHECK(volumes[1].at("name") == "more");
}

TEST_CASE("live: a pod waits for a node that suits it", "[apiserver][live]")
{
    live_server s(0);
    s.expect(
        201, "POST", pods,
        R"({"metadata":{"name":"p"},"spec":{"nodeSelector":{"disk":"ssd"},"containers":[{"name":"c","image":"i"}]}})");
    s.settle();
    CHECK(s.condition(pods + "/p", "PodScheduled") == "False Unschedulable");
    const auto message = [&] { return s.read(pods + "/p").at_pointer("/status/conditions/0/message"); };
    CHECK(message() == "no nodes available to schedule pods");
    const std::string ready = R"(,"status":{"conditions":[{"type":"Ready","status":"True"}]}})";
    s.expect(201, "POST", "/api/v1/nodes",
             R"({"metadata":{"name":"shut","labels":{"disk":"ssd"}},"spec":{"unschedulable":true})" + ready);
    s.expect(201, "POST", "/api/v1/nodes", R"({"metadata":{"name":"other"})" + ready);
    s.expect(201, "POST", "/api/v1/nodes", R"({"metadata":{"name":"slow","labels":{"disk":"ssd"}}})");
    s.settle();
    CHECK_FALSE(s.read(pods + "/p").at("spec").as_object().contains("nodeName"));
    CHECK(message() == "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had "
                       "untolerated taint(s), 1 node(s) were unschedulable. preemption: 0/3 nodes are available: "
                       "3 Preemption is not helpful for scheduling.");
    s.patch("/api/v1/nodes/other", R"({"metadata":{"labels":{"disk":"ssd"}}})");
    s.settle();
    CHECK(s.read(pods + "/p").at_pointer("/spec/nodeName") == "other");
    CHECK(s.condition(pods + "/p", "PodScheduled") == "True ");
}

TEST_CASE("live: a pod waits until taints go, and until its gates are open", "[apiserver][live]")
{
    live_server s;
    s.patch("/api/v1/nodes/node-1", R"({"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}})");
    const auto make = [&](const std::string& name, const std::string& more) {
        s.expect(201, "POST", pods,
                 R"({"metadata":{"name":")" + name + R"("},"spec":{)" + more +
                     R"("containers":[{"name":"c","image":"i"}]}})");
    };
    make("refused", "");
    make("tolerant", R"("tolerations":[{"key":"k","operator":"Exists"}],)");
    make("gated", R"("schedulingGates":[{"name":"a/b"}],"tolerations":[{"key":"k","operator":"Exists"}],)");
    s.settle();
    CHECK(s.condition(pods + "/refused", "PodScheduled") == "False Unschedulable");
    CHECK(s.condition(pods + "/tolerant", "PodScheduled") == "True ");
    CHECK(s.condition(pods + "/gated", "PodScheduled") == "False SchedulingGated");
    s.patch(pods + "/gated", R"({"spec":{"schedulingGates":[]}})");
    s.patch("/api/v1/nodes/node-1", R"({"spec":{"taints":null}})");
    s.settle();
    CHECK(s.condition(pods + "/refused", "PodScheduled") == "True ");
    CHECK(s.condition(pods + "/gated", "PodScheduled") == "True ");
    s.expect(200, "DELETE", "/api/v1/nodes/node-1");
    make("late", "");
    s.settle();
    CHECK(s.condition(pods + "/late", "PodScheduled") == "False Unschedulable");
}

TEST_CASE("live: daemons keep to cordoned nodes, and leave those whose taints evict", "[apiserver][live]")
{
    live_server s(2);
    const auto w = apps + "daemonsets/w";
    s.patch("/api/v1/nodes/node-1", R"({"spec":{"unschedulable":true}})");
    s.expect(201, "POST", apps + "daemonsets", workload({}));
    s.pass(std::chrono::seconds{2});
    CHECK(s.number(w, "/status/numberReady") == 2);
    CHECK(s.read(pods).at_pointer("/items/0/spec/tolerations").as_array().size() == 6);
    const auto taint = [&](const std::string& effect) {
        s.patch("/api/v1/nodes/node-2", R"({"spec":{"taints":[{"key":"k","effect":")" + effect + R"("}]}})");
        s.pass(std::chrono::seconds{40});
    };
    taint("NoSchedule");
    CHECK(s.count(pods) == 2);
    CHECK(s.number(w, "/status/desiredNumberScheduled") == 1);
    CHECK(s.number(w, "/status/numberMisscheduled") == 1);
    taint("NoExecute");
    CHECK(s.count(pods) == 1);
    CHECK(s.number(w, "/status/numberMisscheduled") == 0);
}

TEST_CASE("live: a node is tainted while it is not ready", "[apiserver][live]")
{
    live_server s;
    const auto is_tainted = [&](const std::string& name) {
        return s.read("/api/v1/nodes/" + name).at("spec").as_object().contains("taints");
    };
    const auto set_ready = [&](const std::string& status) {
        s.patch("/api/v1/nodes/new/status",
                R"({"status":{"conditions":[{"type":"Ready","status":")" + status + R"("}]}})");
        s.settle();
    };
    s.settle();
    CHECK_FALSE(is_tainted("node-1"));
    s.expect(201, "POST", "/api/v1/nodes", R"({"metadata":{"name":"new"}})");
    s.settle();
    CHECK(is_tainted("new"));
    set_ready("True");
    CHECK_FALSE(is_tainted("new"));
    set_ready("False");
    CHECK(is_tainted("new"));
    s.expect(200, "DELETE", "/api/v1/nodes/new");
    s.settle();
    s.expect(404, "GET", "/api/v1/nodes/new");
}

TEST_CASE("live: a deployment becomes available, scales, and rolls within its bounds", "[apiserver][live]")
{
    live_server s;
    const auto w = apps + "deployments/w";
    s.expect(201, "POST", apps + "deployments", workload(R"("replicas":4,)"));
    s.settle();
    CHECK(s.number(w, "/status/replicas") == 4);
    CHECK(s.condition(w, "Available") == "False MinimumReplicasUnavailable");
    CHECK(s.condition(w, "Progressing") == "True ReplicaSetUpdated");
    s.pass(std::chrono::seconds{1});
    CHECK(s.number(w, "/status/availableReplicas") == 4);
    CHECK(s.number(w, "/status/observedGeneration") == s.number(w, "/metadata/generation"));
    CHECK(s.number(w, "/metadata/generation") == 1); // the controller's annotation is no change of the user
    CHECK(s.condition(w, "Available") == "True MinimumReplicasAvailable");
    CHECK(s.condition(w, "Progressing") == "True NewReplicaSetAvailable");
    CHECK(s.read(w).at_pointer("/metadata/annotations/deployment.kubernetes.io~1revision") == "1");

    s.patch(w, image2, "application/strategic-merge-patch+json");
    for (int second = 0; second < 30; ++second) {
        s.pass(std::chrono::seconds{1});
        std::size_t active = 0, ready = 0;
        const auto all = s.read(pods);
        for (const auto& p : all.at("items").as_array()) {
            if (p.at("metadata").as_object().contains("deletionTimestamp")) continue;
            ++active;
            ready += p.at_pointer("/status/phase") == "Running" ? 1 : 0;
        }
        CHECK(active <= 5);
        CHECK(ready >= 3);
    }
    CHECK(s.number(w, "/status/updatedReplicas") == 4);
    CHECK(s.number(w, "/status/replicas") == 4);
    CHECK(s.count(apps + "replicasets") == 2);
    CHECK(s.read(w).at_pointer("/metadata/annotations/deployment.kubernetes.io~1revision") == "2");
    const auto image = [&] { return s.read(pods).at_pointer("/items/0/spec/containers/0/image"); };
    CHECK(image() == "i:2");

    s.patch(w, R"({"spec":{"replicas":2}})");
    s.pass(std::chrono::seconds{5});
    CHECK(s.count(pods) == 2);
    // Back to the first template: its set is used again.
    s.patch(w, R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})",
            "application/strategic-merge-patch+json");
    s.pass(std::chrono::seconds{30});
    CHECK(s.count(apps + "replicasets") == 2);
    CHECK(image() == "i:1");
    CHECK(s.read(w).at_pointer("/metadata/annotations/deployment.kubernetes.io~1revision") == "3");

    s.expect(200, "DELETE", w, R"({"propagationPolicy":"Foreground"})");
    s.pass(std::chrono::seconds{5});
    s.expect(404, "GET", w);
    CHECK(s.count(pods) == 0);
    CHECK(s.count(apps + "replicasets") == 0);
}

TEST_CASE("live: a paused deployment does not roll", "[apiserver][live]")
{
    live_server s;
    const auto w = apps + "deployments/w";
    s.expect(201, "POST", apps + "deployments", workload({}));
    s.pass(std::chrono::seconds{5});
    s.patch(w, R"({"spec":{"paused":true}})");
    s.patch(w, image2, "application/strategic-merge-patch+json");
    s.pass(std::chrono::seconds{5});
    CHECK(s.count(apps + "replicasets") == 1);
    s.patch(w, R"({"spec":{"paused":null}})");
    s.pass(std::chrono::seconds{20});
    CHECK(s.count(apps + "replicasets") == 2);
    CHECK(s.number(w, "/status/updatedReplicas") == 1);
}

TEST_CASE("live: a rollout that does not work keeps the old pods and exceeds its deadline", "[apiserver][live]")
{
    live_server s;
    const auto w = apps + "deployments/w";
    s.expect(201, "POST", apps + "deployments", workload(R"("replicas":4,"progressDeadlineSeconds":60,)"));
    s.pass(std::chrono::seconds{5});
    s.patch(w, R"({"spec":{"template":{"metadata":{)" + failing + "}}}}");
    s.pass(std::chrono::seconds{30});
    CHECK(s.number(w, "/status/availableReplicas") == 3);
    CHECK(s.condition(w, "Progressing") == "True ReplicaSetUpdated");
    s.pass(std::chrono::minutes{5});
    CHECK(s.condition(w, "Progressing") == "False ProgressDeadlineExceeded");
    CHECK(s.number(w, "/status/availableReplicas") == 3);
}

TEST_CASE("live: a job completes, one that fails often enough fails", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", jobs, job(R"("completions":3,"parallelism":2,)"));
    s.settle();
    CHECK(s.number(jobs + "/j", "/status/active") == 2);
    s.pass(std::chrono::seconds{10});
    CHECK(s.condition(jobs + "/j", "Complete") == "True CompletionsReached");
    CHECK(s.number(jobs + "/j", "/status/succeeded") == 3);
    CHECK(s.number(jobs + "/j", "/status/active") == 0);
    CHECK(s.read(jobs + "/j").at("status").as_object().contains("completionTime"));
    s.expect(200, "DELETE", jobs + "/j", R"({"propagationPolicy":"Background"})");
    s.pass(std::chrono::seconds{5});
    CHECK(s.count(pods) == 0);

    s.expect(201, "POST", jobs, job(R"("backoffLimit":1,)", failing));
    s.pass(std::chrono::seconds{30});
    CHECK(s.condition(jobs + "/j", "Failed") == "True BackoffLimitExceeded");
    CHECK(s.number(jobs + "/j", "/status/failed") == 2);
}

TEST_CASE("live: a job of the work-queue kind ends when its pods have ended and one of them succeeded",
          "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", jobs, job(R"("parallelism":3,)"));
    s.settle();
    CHECK(s.number(jobs + "/j", "/status/active") == 3);
    s.pass(std::chrono::seconds{10});
    CHECK(s.condition(jobs + "/j", "Complete") == "True CompletionsReached");
    CHECK(s.number(jobs + "/j", "/status/succeeded") == 3);
    CHECK_FALSE(s.read(jobs + "/j").at("spec").as_object().contains("completions"));
}

TEST_CASE("live: a daemon set has a pod on every node, and rolls one by one", "[apiserver][live]")
{
    live_server s(3);
    const auto w = apps + "daemonsets/w";
    s.expect(201, "POST", apps + "daemonsets", workload({}));
    s.pass(std::chrono::seconds{5});
    CHECK(s.number(w, "/status/numberAvailable") == 3);
    CHECK(s.number(w, "/status/updatedNumberScheduled") == 3);
    s.expect(201, "POST", "/api/v1/nodes",
             R"({"metadata":{"name":"late"},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
    s.pass(std::chrono::seconds{5});
    CHECK(s.number(w, "/status/desiredNumberScheduled") == 4);
    CHECK(s.number(w, "/status/numberReady") == 4);
    s.patch(w, image2, "application/strategic-merge-patch+json");
    for (int second = 0; second < 30; ++second) {
        s.pass(std::chrono::seconds{1});
        CHECK(s.number(w, "/status/numberReady") >= 3);
    }
    CHECK(s.number(w, "/status/updatedNumberScheduled") == 4);
    CHECK(s.number(w, "/status/numberReady") == 4);
}

TEST_CASE("live: a stateful set makes its pods in order", "[apiserver][live]")
{
    live_server s;
    const auto w = apps + "statefulsets/w";
    s.expect(201, "POST", apps + "statefulsets", workload(R"("replicas":3,"serviceName":"w",)"));
    s.settle();
    CHECK(s.count(pods) == 1);
    s.pass(std::chrono::seconds{10});
    CHECK(s.number(w, "/status/readyReplicas") == 3);
    CHECK(s.read(pods + "/w-2").at_pointer("/metadata/labels/apps.kubernetes.io~1pod-index") == "2");
    s.patch(w, image2, "application/strategic-merge-patch+json");
    s.pass(std::chrono::seconds{60});
    CHECK(s.number(w, "/status/updatedReplicas") == 3);
    CHECK(s.read(w).at_pointer("/status/currentRevision") == s.read(w).at_pointer("/status/updateRevision"));
    s.patch(w, R"({"spec":{"replicas":1}})");
    s.pass(std::chrono::seconds{10});
    CHECK(s.count(pods) == 1);
    s.expect(200, "GET", pods + "/w-0");
}

TEST_CASE("live: a stateful set that is made again under its name waits for the pods of the first", "[apiserver][live]")
{
    live_server s;
    const auto w = apps + "statefulsets/w";
    const auto body = workload(R"("replicas":2,"serviceName":"w",)");
    s.expect(201, "POST", apps + "statefulsets", body);
    s.pass(std::chrono::minutes{1});
    s.expect(200, "DELETE", w);
    s.expect(201, "POST", apps + "statefulsets", body);
    s.pass(std::chrono::minutes{5});
    CHECK(s.number(w, "/status/availableReplicas") == 2);
}

TEST_CASE("live: what is deleted by hand comes again, and what is restored goes on", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", apps + "deployments", workload(R"("replicas":2,)"));
    s.pass(std::chrono::seconds{5});
    s.expect(200, "DELETE", pods);
    s.pass(std::chrono::seconds{5});
    CHECK(s.count(pods) == 2);
    CHECK(s.number(apps + "deployments/w", "/status/availableReplicas") == 2);
    s.state.compact(); // its history is gone, as for a slow watch
    s.expect(201, "POST", jobs, job({}));
    const auto dump = s.state.dump();
    live_server other;
    REQUIRE(other.state.restore(dump, other.now));
    other.now = s.now;
    other.live.restored(other.now);
    other.pass(std::chrono::seconds{10});
    CHECK(other.condition(jobs + "/j", "Complete") == "True CompletionsReached");
    CHECK(other.number(apps + "deployments/w", "/status/availableReplicas") == 2);
}

TEST_CASE("live: one call does a bounded part of the work", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", apps + "deployments", workload(R"("replicas":1000,)"));
    bool more = true;
    for (int calls = 0; more && calls < 1000; ++calls) {
        const auto version = s.state.resource_version();
        const auto next = s.live.tick(s.now);
        more = next && *next <= s.now;
        CHECK(s.state.resource_version() - version <= 250);
    }
    CHECK_FALSE(more);
    CHECK(s.count(pods) == 1000);
    s.pass(std::chrono::seconds{5});
    CHECK(s.number(apps + "deployments/w", "/status/availableReplicas") == 1000);
}

TEST_CASE("live: the same course every time", "[apiserver][live]")
{
    const auto course = [] {
        live_server s(2);
        s.expect(201, "POST", apps + "deployments", workload(R"("replicas":5,)"));
        s.expect(201, "POST", jobs, job({}));
        s.pass(std::chrono::seconds{3});
        s.patch(apps + "deployments/w", image2, "application/strategic-merge-patch+json");
        s.pass(std::chrono::seconds{20});
        return s.state.dump();
    };
    CHECK(course() == course());
}

TEST_CASE("live: a stateful set of any size takes some writes a turn", "[apiserver][limits]")
{
    live_server s;
    s.expect(201, "POST", apps + "statefulsets",
             workload(R"("replicas":2147483647,"podManagementPolicy":"Parallel",)"));
    for (int i = 0; i < 3; ++i) (void)s.live.tick(s.now); // each would take minutes if it counted to the end
    CHECK(s.count(pods) >= 100);
    CHECK(s.count(pods) < 400);
}

TEST_CASE("live: controllers whose objects are refused wait for a change", "[apiserver][live]")
{
    live_server s(150);
    SECTION("a deployment whose set would have too long a name")
    {
        auto text = workload({});
        s.expect(201, "POST", apps + "deployments",
                 text.replace(text.find(R"("w")"), 3, '"' + std::string(250, 'a') + '"'));
        s.settle();
        CHECK(s.count(apps + "replicasets") == 0);
    }
    SECTION("sets whose pods have an unknown priority")
    {
        for (const std::string plural : {"statefulsets", "daemonsets", "replicasets"}) {
            INFO(plural);
            auto text = workload(plural == "daemonsets" ? "" : R"("replicas":9999,"podManagementPolicy":"Parallel",)");
            text.insert(text.find(R"("containers")"), R"("priorityClassName":"later",)");
            s.expect(201, "POST", apps + plural, text);
            s.settle();
        }
        CHECK(s.count(pods) == 0);
        s.expect(201, "POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
                 R"({"metadata":{"name":"later"},"value":1})");
        s.patch(apps + "daemonsets/w", R"({"metadata":{"labels":{"x":"y"}}})");
        s.settle();
        CHECK(s.count(pods) == 150);
    }
}
