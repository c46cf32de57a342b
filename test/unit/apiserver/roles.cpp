// Tests of the permissions that roles and bindings grant.
#include "roles.hpp"
#include "state/role_rules.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

TEST_CASE("roles: a binding grants the verbs of its role in its namespace", "[apiserver][roles]")
{
    cluster c;
    c.add_namespace("other");
    CHECK(c.bobs("GET", maps) == 403);
    c.role("reader", reads_maps);
    CHECK(c.bobs("GET", maps) == 403);
    c.bind("bobs", "Role", "reader", bob);
    CHECK(c.bobs("GET", maps) == 200);
    CHECK(c.bobs("GET", maps + "/a") == 404);
    CHECK(c.bobs("POST", maps, R"({"metadata":{"name":"a"}})") == 403);
    CHECK(c.bobs("GET", maps + "?watch=1") == 403);
    CHECK(c.bobs("GET", "/api/v1/namespaces/other/configmaps") == 403);
    CHECK(c.bobs("GET", "/api/v1/configmaps") == 403);
    CHECK(c.bobs("GET", "/api/v1/namespaces/default/secrets") == 403);

    SECTION("a changed role counts at once")
    {
        c.patch(rbac + "namespaces/default/roles/reader",
                R"({"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["secrets"]}]})");
        CHECK(c.bobs("GET", maps) == 403);
        CHECK(c.bobs("GET", "/api/v1/namespaces/default/secrets") == 200);
    }
    SECTION("a deleted role grants nothing")
    {
        c.expect(200, "DELETE", rbac + "namespaces/default/roles/reader");
        CHECK(c.bobs("GET", maps) == 403);
    }
    SECTION("a deleted binding grants nothing")
    {
        c.expect(200, "DELETE", rbac + "namespaces/default/rolebindings/bobs");
        CHECK(c.bobs("GET", maps) == 403);
    }
    SECTION("a restored state has the roles that it had")
    {
        const auto with_roles = c.state.dump();
        c.expect(200, "DELETE", rbac + "namespaces/default/roles/reader");
        CHECK(c.bobs("GET", maps) == 403);
        REQUIRE(c.state.restore(with_roles, c.now));
        CHECK(c.bobs("GET", maps) == 200);
    }
    SECTION("a rule of the server comes first")
    {
        c.access.add_rule({false, "bob", "list", "configmaps"});
        CHECK(c.bobs("GET", maps) == 403);
        CHECK(c.bobs("GET", maps + "/a") == 404);
    }
}

TEST_CASE("roles: a cluster role is bound in one namespace, or in all and in the cluster", "[apiserver][roles]")
{
    cluster c;
    c.role("reader", R"([{"verbs":["list"],"apiGroups":[""],"resources":["configmaps","nodes"]}])", "");
    c.bind("here", "ClusterRole", "reader", bob);
    CHECK(c.bobs("GET", maps) == 200);
    CHECK(c.bobs("GET", "/api/v1/configmaps") == 403);
    CHECK(c.bobs("GET", "/api/v1/nodes") == 403);
    c.bind("everywhere", "ClusterRole", "reader", bob, "");
    CHECK(c.bobs("GET", "/api/v1/configmaps") == 200);
    CHECK(c.bobs("GET", "/api/v1/nodes") == 200);
}

TEST_CASE("roles: subjects are users, groups and service accounts", "[apiserver][roles]")
{
    cluster c;
    c.role("reader", reads_maps);
    const auto as = [&](const std::string& user, server::headers more = {}) {
        more.emplace_back("Impersonate-User", user);
        return c.ask("GET", maps, {}, std::move(more)).status;
    };
    c.bind("groups", "Role", "reader", R"([{"kind":"Group","name":"readers"},{"kind":"User","name":"readers"}])");
    CHECK(as("eve") == 403);
    CHECK(as("eve", {{"Impersonate-Group", "readers"}}) == 200);
    CHECK(as("readers") == 200);
    c.bind("accounts", "Role", "reader",
           R"([{"kind":"ServiceAccount","name":"near"},{"kind":"ServiceAccount","name":"far","namespace":"other"}])");
    CHECK(as("system:serviceaccount:default:near") == 200);
    CHECK(as("system:serviceaccount:other:far") == 200);
    CHECK(as("system:serviceaccount:other:near") == 403);
    CHECK(as("system:serviceaccount:default:far") == 403);
    CHECK(as("near") == 403);
    c.bind("all", "Role", "reader", R"([{"kind":"Group","name":"system:serviceaccounts:third"}])");
    CHECK(as("system:serviceaccount:third:any") == 200);
}

TEST_CASE("roles: rules name subresources, objects and paths", "[apiserver][roles]")
{
    cluster c;
    c.role("rules",
           R"([{"verbs":["get"],"apiGroups":["apps"],"resources":["*/scale"]},)"
           R"({"verbs":["get"],"apiGroups":[""],"resources":["pods/log"]},)"
           R"({"verbs":["*"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["mine"]},)"
           R"({"verbs":["get"],"nonResourceURLs":["/metrics","/debug/*"]}])",
           "");
    c.bind("bobs", "ClusterRole", "rules", bob, "");
    const std::string apps = "/apis/apps/v1/namespaces/default/deployments/d";
    CHECK(c.bobs("GET", apps + "/scale") == 404);
    CHECK(c.bobs("GET", apps) == 403);
    CHECK(c.bobs("GET", apps + "/status") == 403);
    CHECK(c.bobs("GET", "/api/v1/namespaces/default/pods/p/log") == 404);
    CHECK(c.bobs("GET", "/api/v1/namespaces/default/pods/p") == 403);
    CHECK(c.bobs("GET", maps + "/mine") == 404);
    CHECK(c.bobs("GET", maps + "/other") == 403);
    CHECK(c.bobs("GET", maps) == 403);
    CHECK(c.bobs("GET", maps + "?fieldSelector=metadata.name%3Dmine") == 200);
    CHECK(c.bobs("GET", maps + "?fieldSelector=metadata.name!%3Dmine") == 403);
    CHECK(c.bobs("GET", maps + "?watch=1&fieldSelector=metadata.name%3Dmine") == 200);
    CHECK(c.bobs("DELETE", maps + "?fieldSelector=metadata.name%3Dmine") == 403);
    const std::string by_path = "/api/v1/watch/namespaces/default/configmaps";
    CHECK(c.bobs("GET", by_path + "?fieldSelector=metadata.name%3Dmine") == 403);
    CHECK(c.bobs("GET", by_path + "/mine") == 200);
    // An object that is made has no name yet that a rule could have.
    CHECK(c.bobs("POST", maps, R"({"metadata":{"name":"mine"}})") == 403);
    CHECK(c.bobs("GET", "/metrics") == 404);
    CHECK(c.bobs("GET", "/debug/pprof") == 404);
    CHECK(c.bobs("GET", "/debug") == 403);
    CHECK(c.bobs("POST", "/metrics") == 403);
}

TEST_CASE("roles: an apply or update that creates an object needs the permission to create", "[apiserver][roles]")
{
    cluster c;
    const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const std::string both = R"("apiGroups":["","coordination.k8s.io"],"resources":["configmaps","leases"])";
    c.role("writer", R"([{"verbs":["get","patch","update"],)" + both + "}]");
    c.bind("writes", "Role", "writer", bob);
    const auto apply = [&](const std::string& name, const std::string& query = {}) {
        return c.ask("PATCH", maps + "/" + name + "?fieldManager=m" + query,
                     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})",
                     {{"Impersonate-User", "bob"}, {"Content-Type", "application/apply-patch+yaml"}});
    };
    const auto refused = apply("a");
    CHECK(refused.status == 403);
    CHECK(json::parse(refused.body).at("message") ==
          R"(configmaps "a" is forbidden: User "bob" cannot create resource "configmaps" in API group "" in the )"
          R"(namespace "default")");
    CHECK(apply("a", "&dryRun=All").status == 403);
    c.expect(404, "GET", maps + "/a");
    c.add_config_map("default", "there");
    CHECK(apply("there").status == 200);
    const std::string lease = R"({"metadata":{"name":"l"}})";
    CHECK(c.bobs("PUT", leases + "/l", lease) == 403);
    CHECK(c.bobs("PUT", leases + "/l?dryRun=All", lease) == 403);
    c.expect(404, "GET", leases + "/l");

    c.role("maker", R"([{"verbs":["create"],"resourceNames":["a","l"],)" + both + "}]");
    c.bind("makes", "Role", "maker", bob);
    CHECK(apply("a").status == 201);
    CHECK(apply("b").status == 403);
    CHECK(c.bobs("PUT", leases + "/l", lease) == 201);
    CHECK(c.bobs("PUT", leases + "/m", R"({"metadata":{"name":"m"}})") == 403);

    // A namespace that does not exist is in none.
    c.access.add_rule({true, "bob", "*", "namespaces", "made"});
    CHECK(c.ask("PATCH", "/api/v1/namespaces/made?fieldManager=m",
                R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"made"}})",
                {{"Impersonate-User", "bob"}, {"Content-Type", "application/apply-patch+yaml"}})
              .status == 403);
}

TEST_CASE("roles: a watch has no subresources", "[apiserver][roles]")
{
    cluster c;
    const std::string nodes = "/api/v1/watch/nodes/n";
    c.role(
        "parts",
        R"([{"verbs":["watch"],"apiGroups":[""],"resources":["configmaps/status","configmaps/other","nodes/status"]}])",
        "");
    c.bind("bobs", "ClusterRole", "parts", bob, "");
    c.add_config_map("default", "a");
    c.expect(201, "POST", "/api/v1/nodes", R"({"metadata":{"name":"n"}})");
    const std::string map = "/api/v1/watch/namespaces/default/configmaps/a";
    for (const auto& target : {map + "/status", map + "/other", nodes + "/status"}) {
        CHECK(c.bobs("GET", target) == 404);
        CHECK(c.get(target).status == 404);
    }
    CHECK(c.bobs("GET", map) == 403);
    CHECK(c.get(map).status == 200);
}

TEST_CASE("roles: names of roles and bindings are segments of a path", "[apiserver][roles]")
{
    cluster c;
    const std::string odd = "system:Node é";
    c.role(odd, reads_maps, "");
    c.role(odd, reads_maps);
    c.bind(odd, "Role", odd, bob);
    c.bind(odd, "ClusterRole", odd, bob, "");
    CHECK(c.bobs("GET", maps) == 200);
    CHECK(c.bobs("GET", "/api/v1/configmaps") == 200);
    c.expect(200, "GET", rbac + "clusterroles/system:Node%20%C3%A9");
    c.expect(200, "DELETE", rbac + "clusterrolebindings/system:Node%20%C3%A9");
    CHECK(c.bobs("GET", "/api/v1/configmaps") == 403);
    for (const auto& [name, why] : {std::pair{".", "may not be '.'"},
                                    {"..", "may not be '..'"},
                                    {"a/b", "may not contain '/'"},
                                    {"a%2Fb", "may not contain '%'"}}) {
        const auto refused =
            c.expect(422, "POST", rbac + "clusterroles", R"({"metadata":{"name":")" + std::string(name) + R"("}})");
        CHECK(std::string(refused.at_pointer("/details/causes/0/message").as_string()) ==
              R"(Invalid value: ")" + std::string(name) + R"(": )" + why);
    }
    // A generated name keeps whole characters of its prefix.
    const auto made = c.expect(201, "POST", rbac + "clusterroles",
                               R"({"metadata":{"generateName":")" + std::string(57, 'a') + R"(éé"}})");
    const auto name = std::string(made.at_pointer("/metadata/name").as_string());
    CHECK(name.size() == 57 + 5);
    c.expect(200, "GET", rbac + "clusterroles/" + name);
}

TEST_CASE("roles: an invalid role or binding is refused, with its fields", "[apiserver][roles]")
{
    cluster c;
    const auto fields = [&](const std::string& kind, const std::string& content) {
        const auto refused = c.expect(422, "POST", rbac + kind, R"({"metadata":{"name":"x"},)" + content + "}");
        std::string out;
        for (const auto& cause : refused.at_pointer("/details/causes").as_array())
            out += std::string(cause.at("field").as_string()) + " ";
        return out;
    };
    const std::string roles = "namespaces/default/roles", bindings = "namespaces/default/rolebindings";
    CHECK(fields(roles, R"("rules":[{}])") == "rules[0].verbs rules[0].apiGroups rules[0].resources ");
    CHECK(fields(roles, R"("rules":[{"verbs":["get"],"nonResourceURLs":["/metrics"]}])") ==
          "rules[0].nonResourceURLs ");
    CHECK(fields("clusterroles", R"("rules":[{"verbs":["get"],"nonResourceURLs":["/a"],"resources":["pods"]}])") ==
          "rules[0].nonResourceURLs ");
    CHECK(fields("clusterroles", R"("aggregationRule":{"clusterRoleSelectors":[]})") ==
          "aggregationRule.clusterRoleSelectors ");
    CHECK(fields("clusterroles", R"("aggregationRule":{"clusterRoleSelectors":[{},{"matchExpressions":[)"
                                 R"({"key":"a","operator":"Odd"}]}]})") ==
          "aggregationRule.clusterRoleSelectors[1].matchExpressions[0].operator "
          "aggregationRule.clusterRoleSelectors[1] ");
    const std::string to_role = R"("roleRef":{"kind":"Role","name":"r"})";
    CHECK(fields(bindings, R"("roleRef":{"kind":"Robot","name":"r"})") == "roleRef.kind ");
    CHECK(fields(bindings, R"("roleRef":{"apiGroup":"example.com","kind":"Role","name":"a/b"})") ==
          "roleRef.apiGroup roleRef.name ");
    CHECK(fields(bindings, R"("subjects":[])") == "roleRef.kind roleRef.name ");
    CHECK(fields("clusterrolebindings", to_role) == "roleRef.kind ");
    CHECK(fields("clusterrolebindings",
                 R"("roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"ServiceAccount","name":"a"}])") ==
          "subjects[0].namespace ");
    CHECK(fields(bindings, to_role + R"(,"subjects":[{"kind":"User","apiGroup":"example.com","name":"eve"},)"
                                     R"({"kind":"ServiceAccount","apiGroup":"example.com","name":"A"},)"
                                     R"({"kind":"Robot","name":"eve"},{"kind":"Group"}])") ==
          "subjects[0].apiGroup subjects[1].name subjects[1].apiGroup subjects[2].kind subjects[3].name "
          "subjects[3].name ");
}

TEST_CASE("roles: a reference of a restored state to another kind grants nothing", "[apiserver][roles]")
{
    cluster c;
    c.role("reader", reads_maps);
    c.bind("bobs", "Role", "reader", bob);
    const auto saved = c.state.dump();
    const auto bobs_after = [&](const std::string& from, const std::string& to) {
        auto changed = saved;
        const auto at = changed.find(from);
        REQUIRE(at != std::string::npos);
        changed.replace(at, from.size(), to);
        REQUIRE(c.state.restore(changed, c.now));
        return c.bobs("GET", maps);
    };
    const std::string user = R"("kind":"User","apiGroup":"rbac.authorization.k8s.io")";
    CHECK(bobs_after(user, user) == 200);
    CHECK(bobs_after(user, R"("kind":"User","apiGroup":"example.com")") == 403);
    CHECK(bobs_after(user, R"("kind":"Robot","apiGroup":"rbac.authorization.k8s.io")") == 403);
    CHECK(bobs_after(R"("kind":"Role","name":"reader")", R"("kind":"Robot","name":"reader")") == 403);
    const std::string to_role = R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io")";
    CHECK(bobs_after(to_role, R"("roleRef":{"apiGroup":"example.com")") == 403);
}

TEST_CASE("roles: the role of a binding is immutable, and groups of references have a default", "[apiserver][roles]")
{
    cluster c;
    const auto made = c.expect(201, "POST", rbac + "namespaces/default/rolebindings",
                               R"({"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"},"subjects":[)"
                               R"({"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s"}]})");
    CHECK(made.at_pointer("/roleRef/apiGroup") == "rbac.authorization.k8s.io");
    CHECK(made.at_pointer("/subjects/0/apiGroup") == "rbac.authorization.k8s.io");
    CHECK_FALSE(made.at_pointer("/subjects/1").as_object().contains("apiGroup"));
    const auto at = rbac + "namespaces/default/rolebindings/b";
    for (const auto* change : {R"({"roleRef":{"name":"other"}})", R"({"roleRef":{"kind":"ClusterRole"}})"}) {
        const auto refused = c.expect(422, "PATCH", at, change, {{"Content-Type", std::string(merge_type)}});
        CHECK(refused.at_pointer("/details/causes/0/field") == "roleRef");
        CHECK(std::string(refused.at("message").as_string()).ends_with("cannot change roleRef"));
    }
    c.patch(at, R"({"subjects":null})");
}

TEST_CASE("roles: cluster-admin is there from the beginning", "[apiserver][roles]")
{
    cluster c;
    c.bind("bobs", "ClusterRole", "cluster-admin", bob);
    CHECK(c.bobs("POST", maps, R"({"metadata":{"name":"a"}})") == 201);
    CHECK(c.bobs("GET", "/api/v1/nodes") == 403);
    c.bind("bobs", "ClusterRole", "cluster-admin", bob, "");
    CHECK(c.bobs("GET", "/api/v1/nodes") == 200);
    CHECK(c.bobs("GET", "/metrics") == 404);
}

TEST_CASE("roles: system:auth-delegator is there from the beginning, and lets review tokens and permissions",
          "[apiserver][roles]")
{
    cluster c;
    const std::string tokens = "/apis/authentication.k8s.io/v1/tokenreviews";
    const std::string permissions = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const char* const asks_for_token = R"({"spec":{"token":"other"}})";
    const char* const asks_for_access =
        R"({"spec":{"user":"ann","nonResourceAttributes":{"path":"/metrics","verb":"get"}}})";
    CHECK(c.bobs("POST", tokens, asks_for_token) == 403);
    c.bind("bobs", "ClusterRole", "system:auth-delegator", bob, "");
    CHECK(c.bobs("POST", tokens, asks_for_token) == 201);
    CHECK(c.bobs("POST", permissions, asks_for_access) == 201);
    CHECK(c.bobs("GET", maps) == 403);
}

TEST_CASE("roles: many bindings that come and go leave nothing behind", "[apiserver][roles]")
{
    cluster c;
    c.role("reader", reads_maps);
    apiserver::role_rules rules(c.state);
    const apiserver::access_request lists{.verb = "list", .resource = "configmaps", .ns = "default"};
    for (int i = 0; i < 200; ++i) {
        const auto name = "b" + std::to_string(i);
        c.bind(name, "Role", "reader", bob);
        CHECK(rules.allow({"bob"}, lists));
        c.expect(200, "DELETE", rbac + "namespaces/default/rolebindings/" + name);
        CHECK_FALSE(rules.allow({"bob"}, lists));
    }
    CHECK(rules.kept() < 40);
}

TEST_CASE("roles: reviews answer with what roles grant", "[apiserver][roles]")
{
    cluster c;
    c.role("rules",
           R"([{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["mine"]},)"
           R"({"verbs":["get"],"nonResourceURLs":["/metrics"]}])",
           "");
    c.bind("bobs", "ClusterRole", "rules", bob, "");
    const std::string review = R"({"spec":{"user":"bob","resourceAttributes":{"verb":"get","resource":"configmaps",)"
                               R"("namespace":"default","name":"mine"}}})";
    CHECK(c.expect(201, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
              .at_pointer("/status/allowed") == true);
    const auto list = c.expect(201, "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                               R"({"spec":{"namespace":"default"}})", {{"Impersonate-User", "bob"}});
    const auto text = json::serialize(list.at("status"));
    CHECK(text.find(R"({"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["mine"]})") !=
          std::string::npos);
    CHECK(text.find(R"({"verbs":["get"],"nonResourceURLs":["/metrics"]})") != std::string::npos);
}

TEST_CASE("namespaces: those that a cluster needs stay", "[apiserver][namespaces]")
{
    server s;
    const auto refused = s.expect(403, "DELETE", "/api/v1/namespaces/default");
    CHECK(refused.at("message") == R"(namespaces "default" is forbidden: this namespace may not be deleted)");
    s.expect(403, "DELETE", "/api/v1/namespaces/kube-system");
    s.expect(403, "DELETE", "/api/v1/namespaces/kube-public");
    s.add_namespace("mine");
    s.expect(200, "DELETE", "/api/v1/namespaces/mine");
}
