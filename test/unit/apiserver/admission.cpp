// Tests of priorities and tolerations of pods, of taints of nodes, and of other defaults that clients compare.
#include "support.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/client/manifests.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string pods = "/api/v1/namespaces/default/pods";
const std::string nodes = "/api/v1/nodes";
const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
const std::string autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

std::string pod(const std::string& name, const std::string& spec = {})
{
    return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + R"("containers":[{"name":"c","image":"i"}]}})";
}

std::string priority_class(const std::string& name, int value, const std::string& more = {})
{
    return R"({"metadata":{"name":")" + name + R"("},"value":)" + std::to_string(value) + more + "}";
}

const std::string not_ready =
    R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})";
const std::string unreachable =
    R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})";

std::string tolerations(const json::value& body) { return json::serialize(body.at_pointer("/spec/tolerations")); }

} // namespace

TEST_CASE("pods: they tolerate a lost node for five minutes, unless they say otherwise", "[apiserver][admission]")
{
    server s;
    CHECK(tolerations(s.expect(201, "POST", pods, pod("a"))) == "[" + not_ready + "," + unreachable + "]");
    CHECK(tolerations(s.expect(201, "POST", pods, pod("b", R"("tolerations":[{"operator":"Exists"}],)"))) ==
          R"([{"operator":"Exists"}])");
    const std::string own = R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":5,)"
                            R"("effect":"NoExecute"})";
    CHECK(s.expect(201, "POST", pods, pod("c", R"("tolerations":[)" + own + "],"))
              .at_pointer("/spec/tolerations")
              .as_array()
              .size() == 2);
    CHECK(s.expect(201, "POST", pods, pod("d", R"("tolerations":[{"operator":"Exists","effect":"NoSchedule"}],)"))
              .at_pointer("/spec/tolerations")
              .as_array()
              .size() == 3);
    // An update that does not state them changes nothing.
    const auto version = s.state.resource_version();
    s.expect(200, "PUT", pods + "/a", pod("a"));
    CHECK(s.state.resource_version() == version);
}

TEST_CASE("pods: what admission gives them has no owner", "[apiserver][admission]")
{
    server s;
    const auto made = s.expect(201, "POST", pods + "?fieldManager=m", pod("a"));
    const auto& owned = made.at_pointer("/metadata/managedFields/0/fieldsV1/f:spec").as_object();
    CHECK(owned.contains("f:schedulerName"));
    for (const char* given : {"f:tolerations", "f:priority", "f:preemptionPolicy"}) CHECK_FALSE(owned.contains(given));
}

TEST_CASE("pods: their priority is that of their class", "[apiserver][admission]")
{
    server s;
    const auto message = [](const json::value& status) { return std::string(status.at("message").as_string()); };
    const auto none = s.expect(201, "POST", pods, pod("none"));
    CHECK(none.at_pointer("/spec/priority") == 0);
    CHECK(none.at_pointer("/spec/preemptionPolicy") == "PreemptLowerPriority");
    CHECK(message(s.expect(403, "POST", pods, pod("a", R"("priorityClassName":"high",)"))) ==
          R"(pods "a" is forbidden: no PriorityClass with name high was found)");
    s.expect(201, "POST", classes, priority_class("high", 1000, R"(,"preemptionPolicy":"Never")"));
    const auto high = s.expect(201, "POST", pods, pod("a", R"("priorityClassName":"high",)"));
    CHECK(high.at_pointer("/spec/priority") == 1000);
    CHECK(high.at_pointer("/spec/preemptionPolicy") == "Never");
    CHECK(message(s.expect(403, "POST", pods, pod("b", R"("priority":5,)"))) ==
          R"(pods "b" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority )"
          R"(admission controller computed 0 from the given PriorityClass name)");
    s.expect(403, "POST", pods, pod("b", R"("preemptionPolicy":"Never",)"));
    CHECK(s.expect(201, "POST", pods, pod("system", R"("priorityClassName":"system-node-critical",)"))
              .at_pointer("/spec/priority") == 2000001000);
    // An update keeps it.
    CHECK(s.expect(200, "PUT", pods + "/a", pod("a", R"("priorityClassName":"high",)")).at_pointer("/spec/priority") ==
          1000);
    s.expect(200, "DELETE", classes + "/high");
    s.expect(403, "POST", pods, pod("c", R"("priorityClassName":"high",)"));
}

TEST_CASE("priority classes: at most one is the default, which pods without a class get", "[apiserver][admission]")
{
    server s;
    const std::string standard = R"(,"globalDefault":true)";
    CHECK(s.expect(201, "POST", classes, priority_class("low", 5, standard)).at("preemptionPolicy") ==
          "PreemptLowerPriority");
    CHECK(s.expect(403, "POST", classes, priority_class("other", 1, standard)).at("message") ==
          R"(priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass low is already marked as default. )"
          R"(Only one default can exist)");
    s.patch(classes + "/low", R"({"description":"d"})");
    const auto made = s.expect(201, "POST", pods, pod("a"));
    CHECK(made.at_pointer("/spec/priorityClassName") == "low");
    CHECK(made.at_pointer("/spec/priority") == 5);
    s.patch(classes + "/low", R"({"globalDefault":false})");
    CHECK(s.expect(201, "POST", pods, pod("b")).at_pointer("/spec/priority") == 0);
    s.expect(201, "POST", classes, priority_class("other", 1, standard));
}

TEST_CASE("autoscalers: without metrics they follow the use of the processor", "[apiserver][admission]")
{
    server s;
    const auto made = s.expect(201, "POST", autoscalers,
                               R"({"metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":)"
                               R"({"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
    CHECK(made.at_pointer("/spec/minReplicas") == 1);
    CHECK(json::serialize(made.at_pointer("/spec/metrics")) ==
          R"([{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}])");
}

TEST_CASE("nodes: a new one is tainted as not ready, which has no owner", "[apiserver][admission]")
{
    server s;
    const auto taints = [](const json::value& node) {
        const auto* all = node.at("spec").as_object().if_contains("taints");
        return all ? json::serialize(*all) : "none";
    };
    const std::string own = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";
    const auto plain = s.expect(201, "POST", nodes, R"({"metadata":{"name":"a","labels":{"x":"y"}}})");
    CHECK(taints(plain) == "[" + own + "]");
    CHECK(json::serialize(plain.at_pointer("/metadata/managedFields")).find("taints") == std::string::npos);
    const auto more = s.expect(201, "POST", nodes,
                               R"({"metadata":{"name":"b"},"spec":{"taints":[{"key":"x","effect":"NoExecute"}]}})");
    CHECK(taints(more) == R"([{"key":"x","effect":"NoExecute"},)" + own + "]");
    CHECK(taints(s.expect(201, "POST", nodes, R"({"metadata":{"name":"c"},"spec":{"taints":[)" + own + "]}}")) ==
          "[" + own + "]");
    // An update may remove it.
    CHECK(taints(s.patch(nodes + "/a", R"({"spec":{"taints":null}})")) == "none");
    // A node of a manifest was created before.
    REQUIRE(apiserver::apply_manifests(
        s.state, load_manifests("{apiVersion: v1, kind: Node, metadata: {name: d}}", "m").value(), s.now));
    CHECK(taints(s.expect(200, "GET", nodes + "/d")) == "none");
}
