// Tests of the roles that a cluster begins with, and of ClusterRoles that are made of others.
#include "roles.hpp"

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string cluster_roles = rbac + "clusterroles";

/// A ClusterRole with a label that reads one resource.
std::string labelled(const std::string& name, const std::string& label, const std::string& resource)
{
    return R"({"metadata":{"name":")" + name + R"(","labels":{)" + label +
           R"(}},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":[")" + resource + R"("]}]})";
}

std::string aggregated(const std::string& name, const std::string& selectors, const std::string& labels = {})
{
    return R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels +
           R"(}},"aggregationRule":{"clusterRoleSelectors":[)" + selectors + "]}}";
}

struct aggregating : cluster
{
    /// Does all work that is due. @return the number of calls that took.
    int settle()
    {
        for (int calls = 0; calls < 1000; ++calls)
            if (!state.tick(now)) return calls;
        FAIL("the roles do not settle");
        return 0;
    }
    /// The resources in the rules of a role.
    std::string resources(const std::string& name)
    {
        settle();
        const auto role = expect(200, "GET", cluster_roles + "/" + name);
        std::string out;
        if (const auto* rules = role.at("rules").if_array())
            for (const auto& rule : *rules) out += std::string(rule.at("resources").at(0).as_string()) + " ";
        return out;
    }
};

} // namespace

TEST_CASE("default roles: view, edit and admin grant what they do in a cluster", "[apiserver][roles]")
{
    const std::string secrets = "/api/v1/namespaces/default/secrets";
    const std::string roles = rbac + "namespaces/default/roles";
    const std::string map = R"({"metadata":{"name":"m"}})";
    const auto may = [&](const std::string& role) {
        cluster c;
        c.bind("bobs", "ClusterRole", role, bob);
        const std::vector<std::pair<std::string, std::string>> requests{
            {"GET", maps}, {"POST", maps}, {"GET", secrets}, {"GET", roles}, {"GET", "/api/v1/nodes"}};
        std::string out;
        for (const auto& [method, target] : requests)
            out += c.bobs(method, target, method == "POST" ? map : "") == 403 ? "-" : "+";
        return out;
    };
    CHECK(may("view") == "+----");
    CHECK(may("edit") == "+++--");
    CHECK(may("admin") == "++++-");
    CHECK(may("viewer") == "-----");
}

TEST_CASE("default roles: an administrator of a namespace grants its rights on", "[apiserver][roles]")
{
    cluster c;
    c.bind("bobs", "ClusterRole", "admin", bob);
    const auto bind = [&](const std::string& role) {
        return c.bobs("POST", rbac + "namespaces/default/rolebindings",
                      R"({"metadata":{"generateName":"b"},"roleRef":{"kind":"ClusterRole","name":")" + role + R"("}})");
    };
    CHECK(bind("view") == 201);
    CHECK(bind("edit") == 201);
    CHECK(bind("admin") == 201);
    CHECK(bind("cluster-admin") == 403);
    CHECK(bind("system:auth-delegator") == 403);
}

TEST_CASE("default roles: those with the label of one add to it and to the larger ones", "[apiserver][roles]")
{
    aggregating c;
    const std::string nodes = "/api/v1/nodes/n";
    const std::string prefix = R"("rbac.authorization.k8s.io/aggregate-to-)";
    c.bind("bobs", "ClusterRole", "edit", bob, "");
    CHECK(c.bobs("GET", nodes) == 403);
    c.expect(201, "POST", cluster_roles, labelled("nodes", prefix + R"(admin":"true")", "nodes"));
    CHECK(c.bobs("GET", nodes) == 403);
    for (const std::string to : {"edit", "view"}) {
        c.patch(cluster_roles + "/nodes", R"({"metadata":{"labels":null}})");
        CHECK(c.bobs("GET", nodes) == 403);
        c.patch(cluster_roles + "/nodes", R"({"metadata":{"labels":{)" + prefix + to + R"(":"true"}}})");
        CHECK(c.bobs("GET", nodes) == 404);
    }
    c.patch(cluster_roles + "/nodes", R"({"metadata":{"labels":{)" + prefix + R"(view":"false"}}})");
    CHECK(c.bobs("GET", nodes) == 403);
    // A stored role replaces the one of the same name.
    c.role("edit", R"([{"verbs":["get"],"apiGroups":[""],"resources":["nodes"]}])", "");
    CHECK(c.bobs("GET", nodes) == 404);
    CHECK(c.bobs("GET", maps) == 403);
}

TEST_CASE("aggregated roles: the rules are those of the roles that are selected", "[apiserver][roles]")
{
    aggregating c;
    c.expect(201, "POST", cluster_roles, labelled("b", R"("to":"sum")", "pods"));
    c.expect(
        201, "POST", cluster_roles,
        aggregated("sum", R"({"matchLabels":{"to":"sum"}},{"matchExpressions":[{"key":"also","operator":"Exists"}]})"));
    CHECK(c.resources("sum") == "pods ");
    c.expect(201, "POST", cluster_roles, labelled("a", R"("to":"sum","also":"")", "configmaps"));
    c.expect(201, "POST", cluster_roles, labelled("c", R"("also":"")", "nodes"));
    c.expect(201, "POST", cluster_roles, labelled("d", R"("to":"other")", "secrets"));
    CHECK(c.resources("sum") == "configmaps pods nodes ");
    const auto sum = c.expect(200, "GET", cluster_roles + "/sum");
    const auto& managers = sum.at_pointer("/metadata/managedFields").as_array();
    CHECK(std::any_of(managers.begin(), managers.end(), [](const auto& m) {
        return m.at("manager") == "clusterrole-aggregation-controller" && m.at("operation") == "Apply";
    }));
    c.bind("bobs", "ClusterRole", "sum", bob, "");
    CHECK(c.bobs("GET", "/api/v1/nodes/n") == 404);

    SECTION("rules of its own are replaced")
    {
        c.patch(cluster_roles + "/sum", R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})");
        CHECK(c.resources("sum") == "configmaps pods nodes ");
    }
    SECTION("a changed or deleted role counts")
    {
        c.patch(cluster_roles + "/b", R"({"metadata":{"labels":null}})");
        CHECK(c.resources("sum") == "configmaps nodes ");
        c.expect(200, "DELETE", cluster_roles + "/a");
        CHECK(c.resources("sum") == "nodes ");
        c.expect(200, "DELETE", cluster_roles + "/c");
        CHECK(c.resources("sum").empty());
    }
    SECTION("nothing is written while nothing changes")
    {
        const auto version = c.state.resource_version();
        c.patch(cluster_roles + "/d", R"({"metadata":{"labels":{"x":"y"}}})");
        c.settle();
        CHECK(c.state.resource_version() == version + 1);
    }
    SECTION("a restored state goes on")
    {
        const auto saved = c.state.dump();
        REQUIRE(c.state.restore(saved, c.now));
        c.settle();
        c.expect(200, "DELETE", cluster_roles + "/a");
        CHECK(c.resources("sum") == "pods nodes ");
    }
}

// This would take minutes if each selector read the rules of all roles.
TEST_CASE("aggregated roles: many selectors of the same roles", "[apiserver][limits]")
{
    aggregating c;
    for (int i = 0; i < 50; ++i)
        c.expect(201, "POST", cluster_roles, labelled("r" + std::to_string(i), R"("to":"sum")", "pods"));
    std::string selectors = "{}";
    for (int i = 1; i < 100'000; ++i) selectors += ",{}";
    c.expect(201, "POST", cluster_roles, aggregated("sum", selectors));
    CHECK(c.resources("sum") == "pods ");
}

TEST_CASE("aggregated roles: writes without a pause do not hold up the last role", "[apiserver][roles]")
{
    aggregating c;
    c.expect(201, "POST", cluster_roles, labelled("base", R"("pick":"me")", "pods"));
    for (const std::string name : {"a", "m", "z"})
        c.expect(201, "POST", cluster_roles, aggregated(name, R"({"matchLabels":{"pick":"me"}})"));
    for (int i = 0; i < 6; ++i) {
        c.expect(201, "POST", cluster_roles, labelled("other-" + std::to_string(i), R"("x":"y")", "nodes"));
        CHECK(c.state.tick(c.now));
    }
    const auto last = c.expect(200, "GET", cluster_roles + "/z");
    CHECK(json::serialize(last.at("rules")).find("pods") != std::string::npos);
    // A role that is labelled while a round goes on counts as well.
    c.expect(201, "POST", cluster_roles, labelled("late", R"("pick":"me")", "nodes"));
    CHECK(c.resources("a") == "pods nodes ");
}

TEST_CASE("aggregated roles: those of aggregated ones have their rules too, and circles end", "[apiserver][roles]")
{
    aggregating c;
    c.expect(201, "POST", cluster_roles, aggregated("x", R"({"matchLabels":{"to":"x"}})"));
    c.expect(201, "POST", cluster_roles, aggregated("y", R"({"matchLabels":{"to":"y"}})", R"("to":"x")"));
    c.expect(201, "POST", cluster_roles, aggregated("z", R"({"matchLabels":{"to":"z"}})", R"("to":"y")"));
    c.expect(201, "POST", cluster_roles, labelled("one", R"("to":"z")", "pods"));
    CHECK(c.resources("x") == "pods ");

    // Three roles that pass on their rules in a circle never agree, if each has others.
    cluster other;
    for (const std::string name : {"a", "b", "c"}) {
        const std::string next = name == "a" ? "b" : name == "b" ? "c" : "a";
        other.expect(201, "POST", cluster_roles,
                     R"({"metadata":{"name":")" + name + R"(","labels":{"is":")" + name +
                         R"("}},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"is":")" + next +
                         R"("}}]},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":[")" + name + R"("]}]})");
    }
    int calls = 0;
    while (other.state.tick(other.now)) ++calls;
    CHECK(calls <= 30);
}
