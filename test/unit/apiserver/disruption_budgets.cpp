// Tests of evictions that PodDisruptionBudgets limit, and of the controller of their status in a live cluster.
#include "support.hpp"

#include "live/live_cluster.hpp"
#include "state/resource_store.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string pods = "/api/v1/namespaces/default/pods";
const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const std::string eviction = R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}})";
const std::string running = R"({"status":{"phase":"Running"}})";
const std::string ready = R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";

std::string budget(const std::string& name, const std::string& spec)
{
    return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}";
}

struct guarded : server
{
    explicit guarded(const std::string& more = {}, const std::string& status = ready)
    {
        expect(201, "POST", pods,
               R"({"metadata":{"name":"p","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
        patch(pods + "/p/status", status);
        expect(201, "POST", budgets, budget("b", R"("minAvailable":1,"selector":{"matchLabels":{"app":"x"}})" + more));
    }
    void set_status(const std::string& status) { patch(budgets + "/b/status", R"({"status":)" + status + "}"); }
    apiserver::http_response evict(const std::string& query = {})
    {
        return ask("POST", pods + "/p/eviction" + query, eviction);
    }
    std::string why(const apiserver::http_response& refused)
    {
        CHECK(refused.status == 429);
        const auto status = json::parse(refused.body);
        CHECK(status.at("reason") == "TooManyRequests");
        CHECK(status.at("message") == "Cannot evict pod as it would violate the pod's disruption budget.");
        const auto& cause = status.at_pointer("/details/causes/0");
        CHECK(cause.at("reason") == "DisruptionBudget");
        return std::string(cause.at("message").as_string());
    }
};

} // namespace

TEST_CASE("evictions: a budget that no controller has looked at yet refuses them for ten seconds",
          "[apiserver][eviction]")
{
    guarded s;
    const auto refused = s.evict();
    CHECK(s.why(refused) == "The disruption budget b is still being processed by the server.");
    CHECK(refused.header("retry-after") == "10");
    CHECK(json::parse(refused.body).at_pointer("/details/retryAfterSeconds") == 10);
    s.expect(200, "GET", pods + "/p");
}

TEST_CASE("evictions: a budget without allowed disruptions refuses them", "[apiserver][eviction]")
{
    guarded s;
    s.set_status(R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1})");
    const auto refused = s.evict();
    CHECK(s.why(refused) == "The disruption budget b needs 1 healthy pods and has 1 currently");
    CHECK(refused.header("retry-after").empty());
    s.set_status(R"({"currentHealthy":2})");
    CHECK(s.why(s.evict()) == "The disruption budget b does not allow evicting pods currently");
    s.set_status(R"({"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed","message":"m",)"
                 R"("lastTransitionTime":"2026-01-01T00:00:00Z"}]})");
    CHECK(s.why(s.evict()) ==
          "The disruption budget b does not allow evicting pods currently because it failed sync: m");
    s.set_status(R"({"disruptionsAllowed":-1})");
    CHECK(s.evict().status == 403);
    s.expect(200, "GET", pods + "/p");
}

TEST_CASE("evictions: a budget that allows one counts it", "[apiserver][eviction]")
{
    guarded s;
    s.set_status(R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1})");
    CHECK(s.evict("?dryRun=All").status == 201);
    CHECK(s.expect(200, "GET", budgets + "/b").at_pointer("/status/disruptionsAllowed") == 1);
    CHECK(s.evict().status == 201);
    s.expect(404, "GET", pods + "/p");
    const auto status = s.expect(200, "GET", budgets + "/b").at("status");
    CHECK(status.at("disruptionsAllowed") == 0);
    CHECK(status.at("disruptedPods").as_object().contains("p"));
    CHECK(status.at_pointer("/conditions/0/reason") == "InsufficientPods");
}

TEST_CASE("evictions: a pod that is not ready goes when its budget is healthy, or always allows it",
          "[apiserver][eviction]")
{
    guarded healthy({}, running);
    healthy.set_status(R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1})");
    CHECK(healthy.evict().status == 201);
    guarded unhealthy({}, running);
    unhealthy.set_status(R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":1})");
    CHECK(unhealthy.evict().status == 429);
    guarded allowed(R"(,"unhealthyPodEvictionPolicy":"AlwaysAllow")", running);
    CHECK(allowed.evict().status == 201);
    guarded ended({}, R"({"status":{"phase":"Succeeded"}})");
    CHECK(ended.evict().status == 201);
}

TEST_CASE("evictions: several budgets are the status of a failure", "[apiserver][eviction]")
{
    guarded s;
    s.expect(201, "POST", budgets, budget("c", R"("minAvailable":0,"selector":{})"));
    const auto failed = s.evict();
    CHECK(failed.status == 201);
    const auto status = json::parse(failed.body);
    CHECK(status.at("status") == "Failure");
    CHECK(status.at("code") == 500);
    s.expect(200, "GET", pods + "/p");
    // Budgets of other pods, and those without a selector, do not count.
    s.expect(200, "DELETE", budgets + "/c");
    s.expect(201, "POST", budgets, budget("d", R"("minAvailable":0)"));
    s.expect(201, "POST", budgets, budget("e", R"("minAvailable":0,"selector":{"matchLabels":{"app":"y"}})"));
    CHECK(s.evict().status == 429);
    s.expect(200, "DELETE", budgets + "/b");
    CHECK(s.evict().status == 201);
}

TEST_CASE("evictions: a budget that cannot be stored with one more fails them", "[apiserver][eviction]")
{
    guarded s;
    s.set_status(R"({"observedGeneration":99,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1})");
    // The largest selector with which the budget is stored.
    const auto grow = [&](std::size_t size) {
        std::string more;
        while (more.size() + 63 <= size) more += ",\"" + std::string(60, 'v') + '"';
        return s.ask("PATCH", budgets + "/b",
                     R"({"spec":{"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["x",")" +
                         std::string(size - more.size() + 1, 'v').substr(0, 60) + '"' + more + R"(]}]}}})",
                     {{"content-type", std::string(merge_type)}});
    };
    std::size_t size = 1'572'800;
    while (grow(size).status != 200) size -= 50;
    const auto failed = s.evict();
    CHECK(failed.status == 500);
    CHECK(json::parse(failed.body).at("message") == "etcdserver: request is too large");
    s.expect(200, "GET", pods + "/p");
}

namespace {

struct live_server : server
{
    apiserver::live::live_cluster live{state, 1, now};

    void pass(std::chrono::seconds time)
    {
        const auto end = now + time;
        for (int calls = 0; calls < 10'000; ++calls) {
            const auto next = live.tick(now);
            if (next && *next <= end) {
                now = std::max(now, *next);
                continue;
            }
            now = end;
            return;
        }
        FAIL("the cluster does not settle");
    }
    void deploy(int replicas)
    {
        expect(201, "POST", "/apis/apps/v1/namespaces/default/deployments",
               R"({"metadata":{"name":"w"},"spec":{"replicas":)" + std::to_string(replicas) +
                   R"(,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":)"
                   R"({"containers":[{"name":"c","image":"i"}]}}}})");
    }
    json::value status(const std::string& name = "b") { return expect(200, "GET", budgets + "/" + name).at("status"); }
    apiserver::http_response evict_one()
    {
        std::string name;
        const auto list = expect(200, "GET", pods);
        for (const auto& pod : list.at("items").as_array())
            if (!pod.at("metadata").as_object().contains("deletionTimestamp"))
                name = pod.at_pointer("/metadata/name").as_string();
        return ask("POST", pods + "/" + name + "/eviction", R"({"metadata":{"name":")" + name + R"("}})");
    }
};

const std::string all_x = R"("selector":{"matchLabels":{"app":"x"}})";

} // namespace

TEST_CASE("live: the status of a disruption budget follows its pods", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", budgets, budget("b", R"("maxUnavailable":"30%",)" + all_x));
    s.deploy(4);
    s.pass(std::chrono::seconds{10});
    auto status = s.status();
    CHECK(status.at("expectedPods") == 4);
    CHECK(status.at("desiredHealthy") == 2);
    CHECK(status.at("currentHealthy") == 4);
    CHECK(status.at("disruptionsAllowed") == 2);
    CHECK(status.at_pointer("/conditions/0/reason") == "SufficientPods");
    CHECK(s.evict_one().status == 201);
    CHECK(s.evict_one().status == 201);
    s.pass(std::chrono::seconds{0});
    CHECK(s.status().at("disruptionsAllowed") == 0);
    s.pass(std::chrono::minutes{1});
    CHECK(s.status().at("disruptionsAllowed") == 2);
    CHECK_FALSE(s.status().as_object().contains("disruptedPods"));
    const auto version = s.state.resource_version();
    s.pass(std::chrono::hours{1});
    CHECK(s.state.resource_version() == version);
}

TEST_CASE("live: a disruption budget counts the pods that it selects, as they are", "[apiserver][live]")
{
    live_server s;
    s.deploy(2);
    s.pass(std::chrono::seconds{10});
    s.expect(201, "POST", budgets, budget("b", R"("minAvailable":1,)" + all_x));
    s.expect(201, "POST", budgets, budget("none", R"("minAvailable":1)"));
    s.pass(std::chrono::seconds{1});
    CHECK(s.status().at("disruptionsAllowed") == 1);
    CHECK(s.status("none").at("disruptionsAllowed") == 0);
    CHECK(s.status("none").at("observedGeneration") == 1);
    s.patch(budgets + "/b", R"({"spec":{"minAvailable":2}})");
    s.pass(std::chrono::seconds{1});
    CHECK(s.status().at("disruptionsAllowed") == 0);
    CHECK(s.status().at("observedGeneration") == 2);
    CHECK(s.evict_one().status == 429);
    // A pod whose labels do not match any more.
    const auto list = s.expect(200, "GET", pods);
    s.patch(pods + "/" + std::string(list.at_pointer("/items/0/metadata/name").as_string()),
            R"({"metadata":{"labels":{"app":"y"}}})");
    s.pass(std::chrono::seconds{0});
    CHECK(s.status().at("expectedPods") == 1);
}

TEST_CASE("live: a share of pods whose controller has no scale is not known", "[apiserver][live]")
{
    live_server s;
    s.expect(201, "POST", budgets, budget("b", R"("maxUnavailable":1,)" + all_x));
    s.expect(201, "POST", "/apis/batch/v1/namespaces/default/jobs",
             R"({"metadata":{"name":"j"},"spec":{"template":{"metadata":{"labels":{"app":"x"}},"spec":)"
             R"({"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
    s.pass(std::chrono::seconds{1});
    CHECK(s.status().at("disruptionsAllowed") == 0);
    CHECK(s.status().at_pointer("/conditions/0/reason") == "SyncFailed");
    CHECK(s.status().at_pointer("/conditions/0/message").as_string().starts_with("found no controllers for pod \"j-"));
}
