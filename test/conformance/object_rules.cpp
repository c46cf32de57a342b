// Conformance cases: rules of single fields and permissions that a write has to keep.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/json.hpp>

#include <string>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/";

struct reply
{
    int code = 0;
    json::value body;

    [[nodiscard]] std::string at(std::string_view pointer) const
    {
        boost::system::error_code absent;
        const auto* found = body.find_pointer(json::string_view(pointer.data(), pointer.size()), absent);
        return found && found->is_string() ? std::string(found->as_string()) : std::string{};
    }
};

using headers = std::vector<std::pair<std::string, std::string>>;

reply send(cluster_under_test& c, std::string method, std::string target, std::string body = {},
           std::string content_type = "application/json", headers more = {})
{
    request r{.method = std::move(method), .target = std::move(target)};
    if (!body.empty()) r.content_type = std::move(content_type);
    r.body = std::move(body);
    r.headers = std::move(more);
    const auto got = c.run(c.api().raw(std::move(r)));
    REQUIRE(got);
    INFO(got->body);
    boost::system::error_code ec;
    auto parsed = json::parse(got->body, ec);
    return {got->head.status, ec ? json::value{} : std::move(parsed)};
}

std::string core(const cluster_under_test& c, const std::string& rest) { return "/api/v1/namespaces/" + c.ns() + rest; }

/// Gives a user a role with these rules in the namespace of the case. @return headers for requests as that user.
headers bind(cluster_under_test& c, const std::string& rules)
{
    const auto user = c.unique("eve");
    CHECK(send(c, "POST", rbac + c.ns() + "/roles", R"({"metadata":{"name":"r"},"rules":)" + rules + "}").code == 201);
    const std::string binding = R"({"metadata":{"name":"r"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
                                R"("kind":"Role","name":"r"},"subjects":[{"kind":"User",)"
                                R"("apiGroup":"rbac.authorization.k8s.io","name":")" +
                                user + R"("}]})";
    CHECK(send(c, "POST", rbac + c.ns() + "/rolebindings", binding).code == 201);
    return {{"Impersonate-User", user}};
}

std::string named(const std::string& name, const std::string& more = {})
{
    return R"({"metadata":{"name":")" + name + "\"" + more + "}}";
}

} // namespace

TEST_CASE("texts that are not UTF-8: replaced in a manager's name and in answers, refused in YAML",
          "[conformance][rules]")
{
    cluster_under_test c;
    const std::string replacement = "\xef\xbf\xbd";
    const auto made = send(c, "POST", core(c, "/configmaps?fieldManager=a%FF"), named("m", R"(,"labels":{"l":"1"})"));
    CHECK(made.code == 201);
    CHECK(made.at("/metadata/managedFields/0/manager") == "a" + replacement);
    const auto again = send(c, "GET", core(c, "/configmaps/m"));
    CHECK(again.at("/metadata/managedFields/0/manager") == "a" + replacement);
    CHECK(send(c, "GET", core(c, "/configmaps/%FF")).code == 404);
    CHECK(
        send(c, "POST", core(c, "/configmaps"), "metadata: {name: y}\ndata: {k: \"\xff\"}", "application/yaml").code ==
        400);
}

TEST_CASE("an apply or update that creates an object needs the permission to create", "[conformance][rules]")
{
    cluster_under_test c;
    const headers as_user = bind(c, R"([{"verbs":["get","patch","update"],"apiGroups":["","coordination.k8s.io"],)"
                                    R"("resources":["configmaps","leases"]}])");
    // A server of a cluster learns of roles by a watch.
    REQUIRE(test::eventually([&] { return send(c, "GET", core(c, "/configmaps/none"), {}, {}, as_user).code == 404; }));
    const auto apply = [&](const std::string& query) {
        return send(c, "PATCH", core(c, "/configmaps/a?fieldManager=m" + query),
                    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})", "application/apply-patch+yaml",
                    as_user);
    };
    for (const std::string query : {"&dryRun=All", ""}) {
        const auto refused = apply(query);
        CHECK(refused.code == 403);
        CHECK(refused.at("/message").find("cannot create resource \"configmaps\"") != std::string::npos);
    }
    const auto leases = "/apis/coordination.k8s.io/v1/namespaces/" + c.ns() + "/leases/l";
    CHECK(send(c, "PUT", leases, named("l"), "application/json", as_user).code == 403);
    CHECK(send(c, "POST", core(c, "/configmaps"), named("a")).code == 201);
    CHECK(apply("").code == 200);
}

TEST_CASE("a permission for a name counts for lists and watches of that name, and no deletion of a collection",
          "[conformance][rules]")
{
    cluster_under_test c;
    const headers as_user =
        bind(c, R"([{"verbs":["*"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["mine"]}])");
    REQUIRE(test::eventually([&] { return send(c, "GET", core(c, "/configmaps/mine"), {}, {}, as_user).code == 404; }));
    const std::string named_mine = "?fieldSelector=metadata.name%3Dmine";
    CHECK(send(c, "GET", core(c, "/configmaps" + named_mine), {}, {}, as_user).code == 200);
    CHECK(send(c, "GET", core(c, "/configmaps"), {}, {}, as_user).code == 403);
    CHECK(send(c, "DELETE", core(c, "/configmaps" + named_mine), {}, {}, as_user).code == 403);
    const auto by_path = "/api/v1/watch/namespaces/" + c.ns() + "/configmaps";
    CHECK(send(c, "GET", by_path + named_mine, {}, {}, as_user).code == 403);
}

TEST_CASE("a watch by path has no subresources", "[conformance][rules]")
{
    cluster_under_test c;
    CHECK(send(c, "POST", core(c, "/configmaps"), named("m")).code == 201);
    CHECK(send(c, "GET", "/api/v1/watch/namespaces/" + c.ns() + "/configmaps/m/status").code == 404);
}

TEST_CASE("names of roles are segments of a path", "[conformance][rules]")
{
    cluster_under_test c;
    const auto roles = rbac + c.ns() + "/roles";
    CHECK(send(c, "POST", roles, named("system:Odd Name")).code == 201);
    CHECK(send(c, "GET", roles + "/system:Odd%20Name").code == 200);
    const auto refused = send(c, "POST", roles, named("a%b"));
    CHECK(refused.code == 422);
    CHECK(refused.at("/details/causes/0/message") == R"(Invalid value: "a%b": may not contain '%')");
}

TEST_CASE("roles and bindings are complete, and the role of a binding is immutable", "[conformance][rules]")
{
    cluster_under_test c;
    const auto fields = [&](const std::string& target, const std::string& content) {
        const auto refused =
            send(c, "POST", target, R"({"metadata":{"name":")" + c.unique("x") + R"("},)" + content + "}");
        CHECK(refused.code == 422);
        std::string out;
        for (const auto& cause : refused.body.at_pointer("/details/causes").as_array())
            out += std::string(cause.at("field").as_string()) + " ";
        return out;
    };
    const auto here = rbac + c.ns();
    const std::string cluster_bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    CHECK(fields(here + "/roles", R"("rules":[{}])") == "rules[0].verbs rules[0].apiGroups rules[0].resources ");
    CHECK(fields(here + "/roles", R"("rules":[{"verbs":["get"],"nonResourceURLs":["/metrics"]}])") ==
          "rules[0].nonResourceURLs ");
    CHECK(fields(cluster_bindings, R"("roleRef":{"kind":"Role","name":"r"})") == "roleRef.kind ");
    CHECK(fields(cluster_bindings, R"("roleRef":{"kind":"ClusterRole","name":"r"},)"
                                   R"("subjects":[{"kind":"ServiceAccount","name":"a"}])") == "subjects[0].namespace ");
    const auto made = send(c, "POST", here + "/rolebindings",
                           R"({"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"},)"
                           R"("subjects":[{"kind":"User","name":"u"}]})");
    CHECK(made.code == 201);
    CHECK(made.at("/roleRef/apiGroup") == "rbac.authorization.k8s.io");
    CHECK(made.at("/subjects/0/apiGroup") == "rbac.authorization.k8s.io");
    const auto changed =
        send(c, "PATCH", here + "/rolebindings/b", R"({"roleRef":{"name":"other"}})", "application/merge-patch+json");
    CHECK(changed.code == 422);
    CHECK(changed.at("/details/causes/0/field") == "roleRef");
}

TEST_CASE("a user grants the rights that it has, and no more", "[conformance][rules]")
{
    cluster_under_test c;
    const headers as_user = bind(
        c, R"([{"verbs":["get","create","patch"],"apiGroups":["rbac.authorization.k8s.io"],)"
           R"("resources":["roles","rolebindings"]},{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"]}])");
    const auto here = rbac + c.ns();
    REQUIRE(test::eventually([&] { return send(c, "GET", core(c, "/configmaps/none"), {}, {}, as_user).code == 404; }));
    const auto grant = [&](const std::string& name, const std::string& verbs, const std::string& resource) {
        return send(c, "POST", here + "/roles",
                    R"({"metadata":{"name":")" + name + R"("},"rules":[{"verbs":[)" + verbs +
                        R"(],"apiGroups":[""],"resources":[")" + resource + R"("]}]})",
                    "application/json", as_user);
    };
    CHECK(grant("same", R"("get")", "configmaps").code == 201);
    const auto refused = grant("more", R"("get","list")", "secrets");
    CHECK(refused.code == 403);
    CHECK(refused.at("/message")
              .ends_with(") is attempting to grant RBAC permissions not currently held:\n"
                         "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}"));
    CHECK(send(c, "PATCH", here + "/roles/same",
               R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})",
               "application/merge-patch+json", as_user)
              .code == 403);
    const auto to = [&](const std::string& kind, const std::string& role) {
        const auto binding =
            R"({"metadata":{"generateName":"b-"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" + kind +
            R"(","name":")" + role + R"("}})";
        return send(c, "POST", here + "/rolebindings", binding, "application/json", as_user).code;
    };
    CHECK(test::eventually([&] { return to("Role", "same") == 201; }));
    CHECK(to("Role", "none") == 404);
    CHECK(to("ClusterRole", "cluster-admin") == 403);
}

TEST_CASE("a write of the status sets labels of a pod, and no labels of a deployment", "[conformance][rules]")
{
    cluster_under_test c;
    const std::string labelled = R"({"metadata":{"labels":{"l":"1"},"annotations":{"a":"1"}}})";
    const std::string merge = "application/merge-patch+json";
    REQUIRE(c.run(c.in_ns(untyped::pod::resource()).create(pod("p"))));
    const auto p = send(c, "PATCH", core(c, "/pods/p/status"), labelled, merge);
    CHECK(p.code == 200);
    CHECK(p.at("/metadata/labels/l") == "1");
    CHECK(p.at("/metadata/annotations/a") == "1");
    REQUIRE(c.run(c.in_ns(untyped::deployment::resource()).create(deployment("d", 0))));
    const auto d = send(c, "PATCH", "/apis/apps/v1/namespaces/" + c.ns() + "/deployments/d/status", labelled, merge);
    CHECK(d.code == 200);
    CHECK(d.at("/metadata/labels/l").empty());
    CHECK(d.at("/metadata/annotations/a") == "1");
}

TEST_CASE("an apply of the status sets and owns labels of a pod", "[conformance][rules]")
{
    cluster_under_test c;
    REQUIRE(c.run(c.in_ns(untyped::pod::resource()).create(pod("p"))));
    const auto p =
        send(c, "PATCH", core(c, "/pods/p/status?fieldManager=m"),
             R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"l":"1"},"ownerReferences":)"
             R"([{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"}]},"status":{"phase":"Running"}})",
             "application/apply-patch+yaml");
    CHECK(p.code == 200);
    CHECK(p.at("/metadata/labels/l") == "1");
    CHECK_FALSE(p.body.at("metadata").as_object().contains("ownerReferences"));
    const auto& owner = p.body.at_pointer("/metadata/managedFields/0");
    CHECK(owner.at("subresource") == "status");
    CHECK(json::serialize(owner.at("fieldsV1")) ==
          R"({"f:metadata":{"f:labels":{"f:l":{}}},"f:status":{"f:phase":{}}})");
}

TEST_CASE("finalizers of a namespace's specification stay", "[conformance][rules]")
{
    cluster_under_test c;
    const auto patched =
        send(c, "PATCH", core(c, ""), R"({"spec":{"finalizers":null}})", "application/merge-patch+json");
    CHECK(patched.code == 200);
    CHECK(patched.at("/spec/finalizers/0") == "kubernetes");
}

TEST_CASE("an object has one controller at most", "[conformance][rules]")
{
    cluster_under_test c;
    const std::string owners = R"([{"apiVersion":"v1","kind":"Pod","name":"a","uid":"1","controller":true},)"
                               R"({"apiVersion":"v1","kind":"Pod","name":"b","uid":"2","controller":true}])";
    const auto refused = send(c, "POST", core(c, "/configmaps"), named("m", R"(,"ownerReferences":)" + owners));
    CHECK(refused.code == 422);
    CHECK(
        refused.at("/details/causes/0/message") ==
        "Invalid value: " + owners +
            R"(: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b)");
}

TEST_CASE("immutable fields of claims, revisions and endpoint slices stay as they are", "[conformance][rules]")
{
    cluster_under_test c;
    const auto make = [&](const std::string& target, const std::string& content) {
        CHECK(send(c, "POST", target, R"({"metadata":{"name":"a"},)" + content + "}").code == 201);
    };
    const auto change = [&](const std::string& target, const std::string& patch) {
        const auto got = send(c, "PATCH", target + "/a", patch, "application/merge-patch+json");
        return got.code == 422 ? got.at("/details/causes/0/field") : std::to_string(got.code);
    };
    const auto claims = core(c, "/persistentvolumeclaims");
    make(
        claims,
        R"("spec":{"storageClassName":"","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}})");
    CHECK(change(claims, R"({"spec":{"accessModes":["ReadOnlyMany"]}})") == "spec");
    CHECK(change(claims, R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})") == "spec");
    CHECK(change(claims, R"({"metadata":{"labels":{"a":"b"}}})") == "200");
    const auto revisions = "/apis/apps/v1/namespaces/" + c.ns() + "/controllerrevisions";
    make(revisions, R"("data":{"a":1},"revision":3)");
    CHECK(change(revisions, R"({"data":{"a":2}})") == "data");
    CHECK(change(revisions, R"({"revision":4})") == "200");
    const auto slices = "/apis/discovery.k8s.io/v1/namespaces/" + c.ns() + "/endpointslices";
    make(slices, R"("addressType":"IPv4","endpoints":[])");
    CHECK(change(slices, R"({"addressType":"IPv6"})") == "addressType");
}

TEST_CASE("a secret of a type has the keys of that type", "[conformance][rules]")
{
    cluster_under_test c;
    const auto refused = send(c, "POST", core(c, "/secrets"),
                              R"({"metadata":{"name":"s"},"type":"kubernetes.io/tls","stringData":{"tls.crt":"c"}})");
    CHECK(refused.code == 422);
    CHECK(refused.at("/details/causes/0/field") == "data[tls.key]");
    CHECK(refused.at("/details/causes/0/reason") == "FieldValueRequired");
    const auto empty =
        send(c, "POST", core(c, "/secrets"), R"({"metadata":{"name":"s"},"type":"kubernetes.io/basic-auth"})");
    CHECK(empty.at("/details/causes/0/field") == "data[username]");
    CHECK(empty.at("/details/causes/1/field") == "data[password]");
}

TEST_CASE("an object of the cluster may state a namespace, which is dropped", "[conformance][rules]")
{
    cluster_under_test c;
    const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const auto name = c.unique("role");
    const auto made = send(c, "POST", roles, named(name, R"(,"namespace":")" + c.ns() + "\""));
    CHECK(made.code == 201);
    CHECK_FALSE(made.body.at("metadata").as_object().contains("namespace"));
    CHECK(send(c, "DELETE", roles + "/" + name).code == 200);
}

TEST_CASE("the type of a secret is immutable", "[conformance][rules]")
{
    cluster_under_test c;
    const auto secret = [](const std::string& type) {
        return R"({"metadata":{"name":"s"})" + (type.empty() ? "" : R"(,"type":")" + type + "\"") + "}";
    };
    CHECK(send(c, "POST", core(c, "/secrets"), secret("example.com/x")).code == 201);
    for (const std::string type : {"example.com/y", ""}) {
        const auto refused = send(c, "PUT", core(c, "/secrets/s"), secret(type));
        CHECK(refused.code == 422);
        CHECK(refused.at("/details/causes/0/message") ==
              "Invalid value: \"" + (type.empty() ? "Opaque" : type) + "\": field is immutable");
    }
    CHECK(send(c, "PUT", core(c, "/secrets/s"), secret("example.com/x")).code == 200);
}
