// Tests of the live cluster's scheduling: nodes that suit a pod, and what it says if there are none.
#include "support.hpp"

#include "live/scheduling.hpp"
#include "objects/stored_object.hpp"

using namespace kubecoro;
using namespace kubecoro::apiserver::live;
namespace json = boost::json;

namespace {

using names = std::vector<std::string>;

const node_taint gpu{"gpu", "a", "NoSchedule"}, drained{"drained", "", "NoExecute"};

node_table table(std::vector<node_digest> nodes)
{
    node_table out;
    for (auto& n : nodes) out.emplace("/" + n.name, std::move(n));
    return out;
}

const node_table four = table({{.name = "a"},
                               {.name = "b", .labels = {{"disk", "ssd"}}, .taints = {gpu}},
                               {.name = "c", .labels = {{"disk", "ssd"}}, .unschedulable = true},
                               {.name = "d", .labels = {{"disk", "ssd"}, {"zone", "1"}}, .taints = {drained}}});

json::value spec(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

names pods_on(std::string_view text) { return nodes_for_pod(spec(text), four).nodes; }

std::string tolerating(const std::string& toleration)
{
    return R"({"nodeSelector":{"disk":"ssd"},"tolerations":[)" + toleration + "]}";
}

} // namespace

TEST_CASE("scheduling: selector, taints and cordons decide where a pod fits", "[apiserver][live]")
{
    CHECK(pods_on("{}") == names{"a"});
    CHECK(pods_on(R"({"nodeSelector":{"disk":"ssd"}})").empty());
    CHECK(pods_on(tolerating(R"({"key":"gpu","value":"a"})")) == names{"b"});
    CHECK(pods_on(tolerating(R"({"key":"gpu","operator":"Equal","value":"a","effect":"NoSchedule"})")) == names{"b"});
    CHECK(pods_on(tolerating(R"({"key":"gpu","operator":"Exists"})")) == names{"b"});
    CHECK(pods_on(tolerating(R"({"key":"gpu","value":"b"})")).empty());
    CHECK(pods_on(tolerating(R"({"key":"gpu","value":"a","effect":"NoExecute"})")).empty());
    CHECK(pods_on(tolerating(R"({"key":"gpu","operator":"In","value":"a"})")).empty());
    CHECK(pods_on(tolerating(R"({"operator":"Exists","effect":"NoExecute"})")) == names{"d"});
    CHECK(pods_on(tolerating(R"({"operator":"Exists"})")) == names{"b", "c", "d"});
    CHECK(pods_on(tolerating(R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists"})")) == names{"c"});
    CHECK(pods_on(R"({"nodeSelector":{"disk":"ssd","zone":"1"},"tolerations":[{"operator":"Exists"}]})") == names{"d"});
}

TEST_CASE("scheduling: the reasons are counted in the words of kube-scheduler", "[apiserver][live]")
{
    const auto problem = [](std::string_view text, const node_table& nodes) {
        return nodes_for_pod(spec(text), nodes).problem;
    };
    CHECK(problem("{}", four).empty());
    CHECK(problem("{}", {}) == "no nodes available to schedule pods");
    CHECK(problem(R"({"nodeSelector":{"x":"y"}})", four) ==
          "0/4 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable, "
          "2 node(s) had untolerated taint(s). preemption: 0/4 nodes are available: 4 Preemption is not helpful for "
          "scheduling.");
    CHECK(problem(R"({"nodeSelector":{"x":"y"},"preemptionPolicy":"Never"})", table({{.name = "a"}})) ==
          "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: not eligible due "
          "to preemptionPolicy=Never.");
}

TEST_CASE("scheduling: daemons run on cordoned nodes, and stay where taints only refuse new pods", "[apiserver][live]")
{
    const auto on = nodes_for_daemons(spec("{}"), four);
    CHECK(on.wanted == names{"a", "c"});
    CHECK(on.kept == names{"a", "b", "c"});
    const auto ssd =
        nodes_for_daemons(spec(R"({"nodeSelector":{"zone":"1"},"tolerations":[{"key":"drained"}]})"), four);
    CHECK(ssd.wanted == names{"d"});
    CHECK(ssd.kept == names{"d"});

    const auto troubled = table({{.name = "n",
                                  .taints = {{"node.kubernetes.io/network-unavailable", "", "NoSchedule"},
                                             {"node.kubernetes.io/disk-pressure", "", "NoSchedule"}}}});
    CHECK(nodes_for_daemons(spec("{}"), troubled).wanted.empty());
    CHECK(nodes_for_daemons(spec(R"({"hostNetwork":true})"), troubled).wanted == names{"n"});
    json::object once{{"hostNetwork", true}};
    add_daemon_tolerations(once);
    CHECK(once.at("tolerations").as_array().size() == 7);
    add_daemon_tolerations(once);
    CHECK(once.at("tolerations").as_array().size() == 7);
}
