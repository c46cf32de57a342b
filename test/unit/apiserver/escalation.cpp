// Tests of the protection against escalation: users grant no more than they may do themselves.
#include "roles.hpp"
#include "state/role_rules.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string roles = rbac + "namespaces/default/roles";
const std::string bindings = rbac + "namespaces/default/rolebindings";
std::string rule(const std::string& verbs, const std::string& resources)
{
    return R"([{"verbs":[)" + verbs + R"(],"apiGroups":[""],"resources":[)" + resources + "]}]";
}

std::string role(const std::string& name, const std::string& rules)
{
    return R"({"metadata":{"name":")" + name + R"("},"rules":)" + rules + "}";
}

std::string binding(const std::string& name, const std::string& kind, const std::string& to)
{
    return R"({"metadata":{"name":")" + name + R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" +
           kind + R"(","name":")" + to + R"("},"subjects":[{"kind":"User","name":"eve"}]})";
}

/// Bob writes roles and bindings, without the verbs escalate and bind, and reads config maps.
struct granting : cluster
{
    granting()
    {
        const std::string writes = R"(["create","update","patch","get","list","delete"])";
        role("granter",
             R"([{"verbs":)" + writes +
                 R"(,"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings","clusterroles",)"
                 R"("clusterrolebindings"]},{"verbs":["get"],"nonResourceURLs":["/metrics/*"]}])",
             "");
        role("reader", reads_maps);
        bind("granter", "ClusterRole", "granter", bob, "");
        bind("reader", "Role", "reader", bob);
    }
    std::string refusal(const std::string& method, const std::string& target, const std::string& body)
    {
        const auto r = ask(
            method, target, body,
            {{"Impersonate-User", "bob"}, {"Content-Type", std::string(method == "PATCH" ? merge_type : json_type)}});
        CHECK(r.status == 403);
        return std::string(json::parse(r.body).at("message").as_string());
    }
    int patches(const std::string& target, const std::string& change)
    {
        return ask("PATCH", target, change, {{"Impersonate-User", "bob"}, {"Content-Type", std::string(merge_type)}})
            .status;
    }
};

} // namespace

TEST_CASE("escalation: a role may grant what its writer may do, and no more", "[apiserver][roles]")
{
    granting c;
    CHECK(c.bobs("POST", roles, role("less", rule(R"("get")", R"("configmaps")"))) == 201);
    CHECK(c.bobs("POST", roles, role("same", reads_maps)) == 201);
    CHECK(c.bobs("POST", roles, role("none", "[]")) == 201);
    const auto strong = role("strong", rule(R"("get","list","watch")", R"("configmaps","secrets")"));
    const auto why = c.refusal("POST", roles, strong);
    CHECK(why.starts_with(R"(roles.rbac.authorization.k8s.io "strong" is forbidden: user "bob" (groups=[)"));
    CHECK(why.ends_with(") is attempting to grant RBAC permissions not currently held:\n"
                        "{APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"watch\"]}\n"
                        "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\" \"watch\"]}"));
    CHECK(c.bobs("POST", roles + "?dryRun=All", strong) == 403);
    CHECK(c.bobs("POST", roles, role("all", rule(R"("*")", R"("configmaps")"))) == 403);
    // Without names it is more than with them.
    CHECK(c.bobs("POST", roles,
                 role("some",
                      R"([{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]}])")) ==
          201);

    SECTION("an update needs the rights of the whole role")
    {
        CHECK(c.patches(roles + "/less", R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})") ==
              403);
        CHECK(c.patches(roles + "/less", R"({"metadata":{"labels":{"a":"b"}}})") == 200);
        c.expect(201, "POST", roles, strong);
        CHECK(c.patches(roles + "/strong", R"({"metadata":{"labels":{"a":"b"}}})") == 403);
        CHECK(c.patches(roles + "/strong", R"({"metadata":{"finalizers":["a/b"]}})") == 200);
        CHECK(c.patches(roles + "/strong", R"({"rules":[]})") == 200);
    }
    SECTION("so does an apply")
    {
        const auto apply = [&](const std::string& rules) {
            return c
                .ask(
                    "PATCH", roles + "/made?fieldManager=m",
                    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"made"},"rules":)" +
                        rules + "}",
                    {{"Impersonate-User", "bob"}, {"Content-Type", "application/apply-patch+yaml"}})
                .status;
        };
        CHECK(apply(rule(R"("get")", R"("secrets")")) == 403);
        c.expect(404, "GET", roles + "/made");
        CHECK(apply(reads_maps) == 201);
        CHECK(apply(rule(R"("get")", R"("secrets")")) == 403);
    }
    SECTION("the verb escalate allows any right")
    {
        c.role("escalates",
               R"([{"verbs":["escalate"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]}])");
        c.bind("escalates", "Role", "escalates", bob);
        CHECK(c.bobs("POST", roles, strong) == 201);
        CHECK(c.bobs("POST", rbac + "clusterroles", strong) == 403);
    }
    SECTION("rights of the namespace are none of the cluster")
    {
        CHECK(c.bobs("POST", rbac + "clusterroles", role("same", reads_maps)) == 403);
        const std::string below = R"([{"verbs":["get"],"nonResourceURLs":["/metrics/cadvisor","/version"]}])";
        CHECK(c.bobs("POST", rbac + "clusterroles", role("paths", below)) == 201);
        CHECK(
            c.refusal("POST", rbac + "clusterroles", role("path", R"([{"verbs":["get"],"nonResourceURLs":["/logs"]}])"))
                .ends_with("\n{NonResourceURLs:[\"/logs\"], Verbs:[\"get\"]}"));
    }
    SECTION("rights of several roles count together")
    {
        c.role("watcher", rule(R"("watch")", R"("configmaps","secrets")"));
        c.bind("watcher", "Role", "watcher", bob);
        CHECK(c.bobs("POST", roles, role("both", rule(R"("get","list","watch")", R"("configmaps")"))) == 201);
    }
    SECTION("rights for named objects are none for the others")
    {
        const auto named = [](const std::string& names) {
            return R"([{"verbs":["get"],"apiGroups":[""],"resources":["secrets"],"resourceNames":[)" + names + "]}]";
        };
        c.role("named", named(R"("a","b")"));
        c.bind("named", "Role", "named", bob);
        CHECK(c.bobs("POST", roles, role("one", named(R"("b")"))) == 201);
        CHECK(c.bobs("POST", roles, role("other", named(R"("b","c")"))) == 403);
        CHECK(c.bobs("POST", roles, role("all", rule(R"("get")", R"("secrets")"))) == 403);
    }
    SECTION("rules of the server count as well")
    {
        c.access.add_rule({true, "bob", "get", "secrets"});
        c.access.add_rule({false, "bob", "list", "configmaps"});
        CHECK(c.bobs("POST", roles, role("secrets", rule(R"("get")", R"("secrets")"))) == 201);
        CHECK(c.bobs("POST", roles, role("maps", rule(R"("list")", R"("configmaps")"))) == 403);
        c.access.add_rule({true, "bob", "escalate", "clusterroles"});
        CHECK(c.bobs("POST", rbac + "clusterroles", strong) == 201);
    }
}

TEST_CASE("escalation: a binding needs the rights of its role, or the verb bind for it", "[apiserver][roles]")
{
    granting c;
    c.role("strong", rule(R"("get")", R"("secrets")"));
    CHECK(c.bobs("POST", bindings, binding("b", "Role", "reader")) == 201);
    CHECK(c.refusal("POST", bindings, binding("c", "Role", "strong"))
              .ends_with("\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}"));
    CHECK(c.bobs("POST", bindings, binding("c", "Role", "none")) == 404);
    CHECK(c.bobs("POST", bindings, binding("c", "ClusterRole", "cluster-admin")) == 403);
    CHECK(c.bobs("POST", rbac + "clusterrolebindings", binding("c", "ClusterRole", "cluster-admin")) == 403);
    CHECK(c.bobs("POST", rbac + "clusterrolebindings", binding("c", "ClusterRole", "none")) == 404);
    c.expect(201, "POST", bindings, binding("c", "Role", "strong"));
    CHECK(c.patches(bindings + "/c", R"({"subjects":[{"kind":"User","name":"bob"}]})") == 403);
    CHECK(c.patches(bindings + "/c", R"({"metadata":{"ownerReferences":null}})") == 200);
    // It guards what is granted, and not what is taken away.
    CHECK(c.bobs("DELETE", bindings + "/c") == 200);

    c.role("binds", R"([{"verbs":["bind"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],)"
                    R"("resourceNames":["strong"]}])");
    c.bind("binds", "Role", "binds", bob);
    CHECK(c.bobs("POST", bindings, binding("c", "Role", "strong")) == 201);
    CHECK(c.bobs("POST", bindings, binding("d", "ClusterRole", "strong")) == 404);
}

TEST_CASE("escalation: an aggregated role needs the rights of an administrator", "[apiserver][roles]")
{
    granting c;
    const std::string aggregated =
        R"({"metadata":{"name":"sum"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}})";
    CHECK(c.refusal("POST", rbac + "clusterroles", aggregated) ==
          R"(clusterroles.rbac.authorization.k8s.io "sum" is forbidden: must have cluster-admin privileges to use the )"
          "aggregationRule");
    c.expect(201, "POST", rbac + "clusterroles", aggregated);
    CHECK(c.patches(rbac + "clusterroles/sum", R"({"aggregationRule":null})") == 403);
    c.bind("admin", "ClusterRole", "cluster-admin", bob, "");
    CHECK(c.patches(rbac + "clusterroles/sum", R"({"metadata":{"labels":{"a":"c"}}})") == 200);
}

TEST_CASE("escalation: a comparison of too many rights is given up, and refused", "[apiserver][roles]")
{
    using apiserver::role_rule;
    const auto many = [](const std::string& prefix, std::size_t count) {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < count; ++i) out.push_back(prefix + std::to_string(i));
        return out;
    };
    const role_rule wanted{many("verb", 2000), {""}, many("resource", 2000), {}, {}};
    const auto held_by = [&](std::vector<std::string> verbs) {
        return role_rule{std::move(verbs), {""}, many("resource", 2000), {}, {}};
    };
    const role_rule all{{"*"}, {"*"}, {"*"}, {}, {}}, one = held_by({"verb0"}), others = held_by(many("verb", 2000));
    CHECK_FALSE(apiserver::find_missing({&all}, {&wanted}, "default", {}).any());
    CHECK_FALSE(apiserver::find_missing({&others}, {&wanted}, "default", {}).any());
    // Only together do they include it.
    auto rest = many("verb", 2000);
    rest.erase(rest.begin());
    const role_rule without = held_by(std::move(rest));
    CHECK(apiserver::find_missing({&one, &without}, {&wanted}, "default", {}).too_many);
    const role_rule repeated{
        std::vector<std::string>(50'000, "get"), {""}, std::vector<std::string>(50'000, "a"), {}, {}};
    CHECK(apiserver::find_missing({}, {&repeated}, "default", {}).too_many);
    // The first of many missing rights are named.
    CHECK(apiserver::find_missing({}, {&wanted}, "default", {}).rules.size() <= 100);
}
