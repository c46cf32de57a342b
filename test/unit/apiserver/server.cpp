// Tests of discovery, OpenAPI, authorization and manifests.
#include "support.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/client/manifests.hpp>

using namespace kubecoro;
using namespace kubecoro::apiserver;
using namespace kubecoro::test;

namespace {

const std::string aggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

} // namespace

TEST_CASE("discovery: every group, version and resource is listed in both forms", "[apiserver][discovery]")
{
    server s;
    CHECK(s.expect(200, "GET", "/api").at("versions") == json::value{"v1"});
    const auto groups = s.expect(200, "GET", "/apis").at("groups").as_array();
    CHECK(groups.size() == 21);
    CHECK(s.expect(200, "GET", "/apis/apps").at_pointer("/preferredVersion/groupVersion") == "apps/v1");
    const auto core = s.expect(200, "GET", "/api/v1");
    CHECK_FALSE(core.as_object().contains("apiVersion"));
    CHECK(
        json::serialize(core).find(
            R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["create","delete",)"
            R"("deletecollection","get","list","patch","update","watch"],"shortNames":["po"],"categories":["all"]})") !=
        std::string::npos);
    CHECK(json::serialize(s.expect(200, "GET", "/apis/apps/v1")).find(R"("name":"deployments/scale")") !=
          std::string::npos);

    const auto r = s.ask("GET", "/apis", {}, {{"Accept", aggregated}});
    CHECK(r.header("content-type") == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    CHECK(r.body.find(R"({"resource":"deployments","responseKind":{"group":"apps","version":"v1","kind":"Deployment"},)"
                      R"("scope":"Namespaced","singularResource":"deployment","verbs":[)") != std::string::npos);
    const auto again =
        s.ask("GET", "/apis", {}, {{"Accept", aggregated}, {"If-None-Match", std::string(r.header("etag"))}});
    CHECK(again.status == 304);
    CHECK(again.body.empty());
    CHECK(s.ask("GET", "/api", {}, {{"Accept", aggregated}})
              .body.find(R"("responseKind":{"group":"","version":"","kind":"Pod"})") != std::string::npos);
    CHECK(s.ask("GET", "/apis", {},
                {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"}})
              .status == 406);
}

TEST_CASE("openapi: documents the kinds and the fieldValidation parameter of their patches for kubectl",
          "[apiserver][openapi]")
{
    server s;
    const auto index = s.get("/openapi/v3");
    CHECK(index.header("content-type") == "text/plain; charset=utf-8");
    const auto url = json::parse(index.body).at_pointer("/paths/apis~1apps~1v1/serverRelativeURL").as_string();
    const auto document = s.expect(200, "GET", std::string(url) + "&timeout=32s");
    const auto& patch =
        document.at_pointer("/paths/~1apis~1apps~1v1~1namespaces~1{namespace}~1deployments~1{name}/patch");
    CHECK(json::serialize(patch.at("x-kubernetes-group-version-kind")) ==
          R"({"group":"apps","version":"v1","kind":"Deployment"})");
    CHECK(json::serialize(patch.at("parameters")).find(R"("name":"fieldValidation","in":"query")") !=
          std::string::npos);
    CHECK(s.get("/openapi/v3/apis/none/v1").status == 404);
    CHECK(s.get("/openapi/v2").status == 200);
}

TEST_CASE("version and root answer", "[apiserver]")
{
    server s;
    CHECK(s.expect(200, "GET", "/version").at("major") == "1");
    CHECK(s.expect(200, "GET", "/").at("paths").as_array().size() > 4);
    CHECK(s.get("/none").status == 404);
    CHECK(s.ask("POST", "/version").status == 405);
}

TEST_CASE("access: the first matching rule decides", "[apiserver][access]")
{
    access_control access;
    access.add_rule({.allow = false, .user = "admin", .resource = "secrets"});
    access.add_rule({.user = "bob", .verb = "get", .resource = "pods", .ns = "web"});
    access.add_rule({.user = "bob", .resource = "deployments.apps"});
    const user_info admin{"admin", {"system:masters"}, {}}, bob{"bob", {"system:authenticated"}, {}};
    const auto ask = [](std::string verb, std::string group, std::string resource, std::string ns,
                        std::string sub = {}) {
        access_request r;
        r.verb = std::move(verb);
        r.group = std::move(group);
        r.resource = std::move(resource);
        r.subresource = std::move(sub);
        r.ns = std::move(ns);
        return r;
    };
    CHECK_FALSE(access.allows(admin, ask("list", "", "secrets", "web")));
    CHECK(access.allows(admin, ask("list", "", "pods", "web")));
    CHECK(access.allows(bob, ask("get", "", "pods", "web")));
    CHECK_FALSE(access.allows(bob, ask("list", "", "pods", "web")));
    CHECK_FALSE(access.allows(bob, ask("get", "", "pods", "other")));
    CHECK_FALSE(access.allows(bob, ask("get", "", "pods", "web", "status")));
    CHECK(access.allows(bob, ask("delete", "apps", "deployments", "x")));
    CHECK_FALSE(access.allows(bob, ask("delete", "other", "deployments", "x")));
    access.clear_rules();
    CHECK(access.allows(admin, ask("list", "", "secrets", "web")));
}

TEST_CASE("access: tokens expire and are removed", "[apiserver][access]")
{
    server s;
    s.access.add_token("short", {"eve", {"system:masters"}, {}}, s.now + std::chrono::seconds{10});
    s.token = "short";
    CHECK(s.get("/api/v1/pods").status == 200);
    s.now += std::chrono::seconds{10};
    CHECK(s.get("/api/v1/pods").status == 401);
    s.token = "admin";
    s.access.remove_token("admin");
    CHECK(s.get("/api/v1/pods").status == 401);
}

TEST_CASE("access: a certificate comes before a token", "[apiserver][access]")
{
    server s;
    http_request r{.method = "GET", .target = "/api/v1/pods", .user = user_info{"cert", {"system:masters"}, {}}};
    CHECK(s.handler.handle(r, s.now).status == 200);
    r.user->groups.clear();
    CHECK(s.handler.handle(r, s.now).status == 403);
    r.target = "/apis";
    CHECK(s.handler.handle(r, s.now).status == 200);
    r.target = "/api/v1/pods";
    for (const auto* token : {"admin", "unknown"}) {
        r.headers = {{"Authorization", "Bearer " + std::string(token)}};
        CHECK(s.handler.handle(r, s.now).status == 403);
    }
    r.user->name.clear(); // such a certificate names no one
    CHECK(s.handler.handle(r, s.now).status == 401);
    r.headers.front().second = "Bearer admin";
    CHECK(s.handler.handle(r, s.now).status == 200);
}

TEST_CASE("access: a token is one word after the scheme", "[apiserver][access]")
{
    server s;
    const auto status = [&](const std::string& authorization) {
        http_request r{.method = "GET", .target = "/api/v1/pods", .headers = {{"Authorization", authorization}}};
        return s.handler.handle(r, s.now).status;
    };
    for (const auto* good : {"Bearer admin", "bEARER admin", " Bearer admin ", "Bearer admin more"})
        CHECK(status(good) == 200);
    CHECK(status("Bearer adm") == 401);
    // Without a token, a request is that of the anonymous user.
    for (const auto* none : {"Bearer", "Bearer ", "Bearer  admin", "Basic YTpi", "admin", ""})
        CHECK(status(none) == 403);
}

TEST_CASE("manifests: YAML has kubectl's types, lists are unfolded, order is kept", "[apiserver][manifests]")
{
    const auto loaded =
        load_manifests("# comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  s: \"yes\"\n"
                       "  t: !!str 5\n---\napiVersion: v1\nkind: List\nitems:\n"
                       "- {apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {on: yes, mode: 0644, n: -3, f: 1.5, "
                       "big: 18446744073709551615, tilde: ~, v: 1.2.3, e: 1e3, h: 0x1F}}\n---\n",
                       "two.yaml");
    REQUIRE(loaded);
    REQUIRE(loaded->size() == 2);
    CHECK(json::serialize((*loaded)[0].at("data")) == R"({"s":"yes","t":"5"})");
    CHECK(
        json::serialize((*loaded)[1].at("spec")) ==
        R"({"true":true,"mode":420,"false":-3,"f":1.5E0,"big":18446744073709551615,"tilde":null,"v":"1.2.3","e":1000,"h":31})");
    const auto from_json = load_manifests(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}})", "x.json");
    REQUIRE(from_json);
    CHECK(from_json->size() == 1);
}

TEST_CASE("manifests: errors name the file and the line", "[apiserver][manifests]")
{
    const auto broken = load_manifests("a: 1\nb: [1,\n", "bad.yaml");
    REQUIRE_FALSE(broken);
    CHECK(broken.error() == cond::invalid);
    CHECK(broken.error().message().find("bad.yaml") != std::string::npos);
    CHECK(broken.error().message().find("line ") != std::string::npos);
    const auto second = load_manifests("{apiVersion: v1, kind: Pod}\n---\na: 1\n", "nokind.yaml");
    REQUIRE_FALSE(second);
    CHECK(second.error().message() == "nokind.yaml, document 2: an object without kind or apiVersion");
    std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 9; ++i) {
        const auto p = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + p;
        for (int j = 0; j < 9; ++j) bomb += "," + p;
        bomb += "]\n";
    }
    CHECK_FALSE(load_manifests(bomb, "bomb.yaml"));
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += '[';
    CHECK_FALSE(load_manifests(deep, "deep.yaml"));
}

TEST_CASE("manifests: definitions and namespaces come first, status is kept, missing namespaces are created",
          "[apiserver][manifests]")
{
    server s;
    const auto loaded = load_manifests(R"(
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec: {size: 3}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {containers: [{name: c, image: i}]}
status: {phase: Running}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)",
                                       "shop.yaml");
    REQUIRE(loaded);
    const auto first = apply_manifests(s.state, *loaded, s.now);
    REQUIRE(first);
    CHECK(*first == 3);
    CHECK(s.expect(200, "GET", "/api/v1/namespaces/shop/pods/p").at_pointer("/status/phase") == "Running");
    CHECK(s.state.objects("widgets.example.com").size() == 1);
    const auto version = s.state.resource_version();
    REQUIRE(apply_manifests(s.state, *loaded, s.now));
    CHECK(s.state.resource_version() == version);
    const auto unknown = load_manifests("{apiVersion: nope/v1, kind: Nope, metadata: {name: thing}}", "n.yaml");
    REQUIRE(unknown);
    const auto refused = apply_manifests(s.state, *unknown, s.now);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message().find("Nope \"thing\"") != std::string::npos);
}
