// The embedded server's choice of webhooks, the objects that it shows them, and the changes that it takes.
#include "conversion_world.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/client/writing.hpp>

using namespace webhooks_test;
using namespace manager_test;

namespace {

constexpr const char* site_rule =
    R"({"apiGroups":["example.com"],"apiVersions":["v2"],"operations":["*"],"resources":["sites"]})";
constexpr const char* pods_rule = R"({"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]})";

json::object conditions(std::initializer_list<std::string> expressions)
{
    json::array all;
    for (const auto& each : expressions)
        all.push_back({{"name", "c" + std::to_string(all.size())}, {"expression", each}});
    return {{"matchConditions", std::move(all)}};
}

json::object with(json::object a, std::string_view name, json::value v)
{
    a[name] = std::move(v);
    return a;
}

std::string text(const json::object& o, const char* pointer)
{
    return json::serialize(json::value(o).at_pointer(pointer));
}

/// A pod that runs on a node, and a Deployment of two replicas.
void add_workloads(converted_world& c)
{
    const auto pod = json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
        "spec":{"containers":[{"name":"c","image":"i"}]}})");
    const auto deployment = json::parse(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},
        "spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
        "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    REQUIRE(c.w.run.run(c.w.server.execute("POST", "/api/v1/namespaces/default/pods", json::serialize(pod))));
    REQUIRE(c.w.run.run(
        c.w.server.execute("POST", "/apis/apps/v1/namespaces/default/deployments", json::serialize(deployment))));
}

} // namespace

TEST_CASE("rules: conditions decide whether a webhook is asked", "[webhooks][apiserver]")
{
    converted_world c;
    const auto asks = [&](const json::object& more) {
        REQUIRE(c.add_raw("Validating", site_rule, more));
        const auto made = c.w.run.run(c.create_v2("blog"));
        const auto asked = c.reviews.size();
        c.reviews.clear();
        if (made) REQUIRE(c.w.run.run(c.w.cluster.remove(site::resource(), "default", "blog")));
        c.reviews.clear();
        REQUIRE(c.w.run.run(c.w.cluster.remove(
            {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "x", false}, "", "raw")));
        return made ? std::to_string(asked) : refusal(made);
    };
    const std::string failing = "object.spec.absent > 1";
    const std::string forbidden = "403 sites.example.com \"blog\" is forbidden: expression 'object.spec.absent > 1' "
                                  "resulted in error: no such key: absent";
    CHECK(asks(conditions({"object.spec.hosts[0].startsWith('blog')", "request.operation == 'CREATE'"})) == "1");
    CHECK(asks(conditions({"true", "request.userInfo.username == 'nobody'"})) == "0");
    CHECK(asks(conditions({"oldObject == null && !request.dryRun && request.kind.version == 'v2'"})) == "1");
    CHECK(asks(conditions({failing})) == forbidden);
    CHECK(asks(with(conditions({failing}), "failurePolicy", "Ignore")) == "0");
    CHECK(asks(conditions({failing, "false"})) == "0");
    CHECK(asks(conditions({failing, failing})).find("is forbidden: [expression") != std::string::npos);
    std::string costly = "true";
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
        costly = "[1,2,3,4,5,6,7,8,9].all(" + std::string(name) + ", " + costly + ")";
    CHECK(asks(conditions({costly})).find("cost limit exceeded") != std::string::npos);
}

TEST_CASE("rules: a configuration is validated as by a kube-apiserver", "[webhooks][apiserver]")
{
    converted_world c;
    const auto why = [&](const json::object& more, std::string_view rule = site_rule) {
        return refusal(c.add_raw("Mutating", rule, more));
    };
    const std::string begin =
        "422 MutatingWebhookConfiguration.admissionregistration.k8s.io \"raw\" is invalid: webhooks[0].";
    CHECK(why(conditions({"1 + 1"})) ==
          begin + R"(matchConditions[0].expression: Invalid value: "1 + 1": must evaluate to bool but got int)");
    CHECK(why(conditions({"request.nothing == ''"}))
              .starts_with(begin + "matchConditions[0].expression: Invalid value: \"request.nothing == ''\": "
                                   "compilation failed: ERROR: <input>:1:8: undefined field 'nothing'"));
    CHECK(why(conditions({"authorizer.path('/x').check('get').allowed()"})).ends_with("has no variable authorizer"));
    CHECK(why(conditions({" "})) == begin + "matchConditions[0].expression: Required value");
    CHECK(why({{"matchConditions", {json::object{{"name", ""}, {"expression", "true"}}}}}) ==
          begin + "matchConditions[0].name: Required value");
    const json::object same{{"name", "a"}, {"expression", "true"}};
    CHECK(why({{"matchConditions", {same, same}}}) == begin + "matchConditions[1].name: Duplicate value: \"a\"");
    json::array many;
    for (int i = 0; i < 65; ++i) many.push_back({{"name", "a" + std::to_string(i)}, {"expression", "true"}});
    CHECK(why({{"matchConditions", many}}) == begin + "matchConditions: Too many: 65: must have at most 64 items");
    CHECK(why({{"name", "raw"}}) ==
          begin + "name: Invalid value: \"raw\": should be a domain with at least three segments separated by dots");
    CHECK(why({{"sideEffects", "Some"}}) ==
          begin + R"(sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun")");
    CHECK(why({{"timeoutSeconds", 31}}) ==
          begin + "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds");
    CHECK(why({{"failurePolicy", "Never"}}) ==
          begin + R"(failurePolicy: Unsupported value: "Never": supported values: "Fail", "Ignore")");
    CHECK(why({{"admissionReviewVersions", {"v2"}}}) ==
          begin + R"(admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1)");
    CHECK(why({{"clientConfig", json::object()}}) ==
          begin + "clientConfig: Required value: exactly one of url or service is required");
    CHECK(why({}, R"({"apiGroups":["*","a"],"apiVersions":["v1"],"operations":["*"],"resources":["a"]})") ==
          begin +
              R"(rules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups)");
    CHECK(why({}, R"({"apiGroups":[""],"apiVersions":["v1"],"operations":["GET"],"resources":["a/*","a/b"]})")
              .find("if 'a/*' is present, must not specify a/b") != std::string::npos);
}

TEST_CASE("rules: a webhook of another version is asked in its own", "[webhooks][apiserver]")
{
    converted_world c;
    lines seen;
    c.hooks.mutates<site>([&](site& s, const admission<site>& r) {
        seen.push_back(s.spec.hosts.front() + (r.before ? " before" : ""));
        s.spec.hosts.front() += "!";
    });
    SECTION("Equivalent, the default")
    {
        c.install();
        const auto made = c.w.run.run(c.create_v1("blog", "a"));
        REQUIRE(made);
        CHECK((*made)["spec"]["host"].as_string() == "a!");
        CHECK(c.w.run.run(retry_on_conflict(c.w.cluster, site_v1::resource(), {"default", "blog"},
                                            [](json::object& o) { field(o, "spec", "host") = "b"; })));
        CHECK(c.spec(site::resource()).at("hosts") == json::array{"b!"});
        CHECK(seen == lines{"a", "b before"});
    }
    SECTION("Exact")
    {
        c.install([](json::object& each) { each["matchPolicy"] = "Exact"; });
        REQUIRE(c.w.run.run(c.create_v1("blog", "a")));
        CHECK(seen.empty());
        REQUIRE(c.w.run.run(c.create_v2("other")));
        CHECK(seen.size() == 1);
    }
    SECTION("a conversion that fails")
    {
        c.install([](json::object& each) { each["failurePolicy"] = "Ignore"; });
        c.meddle = [](json::object& r) { r["result"] = {{"status", "Failure"}, {"message", "no idea"}}; };
        CHECK(refusal(c.w.run.run(c.create_v1("blog", "a"))) ==
              "500 Internal error occurred: conversion webhook for example.com/v1, Kind=Site failed: no idea");
    }
}

TEST_CASE("rules: a review names the version of the request beside that of the webhook", "[webhooks][apiserver]")
{
    converted_world c;
    REQUIRE(c.add_raw("Validating", site_rule));
    REQUIRE(c.w.run.run(c.create_v1("blog", "a")));
    const auto& r = c.reviews.at(0);
    CHECK(text(r, "/kind") == R"({"group":"example.com","version":"v2","kind":"Site"})");
    CHECK(text(r, "/resource") == R"({"group":"example.com","version":"v2","resource":"sites"})");
    CHECK(text(r, "/requestKind") == R"({"group":"example.com","version":"v1","kind":"Site"})");
    CHECK(text(r, "/requestResource") == R"({"group":"example.com","version":"v1","resource":"sites"})");
    CHECK(text(r, "/object/spec/hosts") == R"(["a"])");
    CHECK(text(r, "/options/kind") == R"("CreateOptions")");
}

TEST_CASE("rules: subresources are reviewed with the objects that they have", "[webhooks][apiserver]")
{
    converted_world c;
    add_workloads(c);
    REQUIRE(c.add_raw("Mutating", pods_rule));
    auto& run = c.w.run;
    SECTION("scale")
    {
        c.reviewer = [](const json::object&) {
            return patching(R"([{"op":"replace","path":"/spec/replicas","value":5}])");
        };
        const std::string path = "/apis/apps/v1/namespaces/default/deployments/d";
        REQUIRE(run.run(c.w.server.execute("PATCH", path + "/scale", R"({"spec":{"replicas":3}})")));
        const auto& r = c.reviews.at(0);
        CHECK(text(r, "/kind") == R"({"group":"autoscaling","version":"v1","kind":"Scale"})");
        CHECK(text(r, "/resource/resource") == R"("deployments")");
        CHECK(text(r, "/subResource") == R"("scale")");
        CHECK(text(r, "/object/spec/replicas") == "3");
        CHECK(text(r, "/oldObject/spec/replicas") == "2");
        const auto now = json::parse(run.run(c.w.server.execute("GET", path)).value());
        CHECK(now.at("spec").at("replicas") == 5);
    }
    SECTION("scale, validated")
    {
        REQUIRE(run.run(c.w.cluster.remove(
            {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", "x", false}, "", "raw")));
        REQUIRE(c.add_raw("Validating", pods_rule));
        c.reviewer = [](const json::object&) { return json::object{{"allowed", false}}; };
        CHECK_FALSE(run.run(c.w.server.execute("PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale",
                                               R"({"spec":{"replicas":3}})")));
        CHECK(text(c.reviews.at(0), "/object/spec/replicas") == "3");
        CHECK(text(c.reviews.at(0), "/oldObject/kind") == R"("Scale")");
    }
    SECTION("binding, eviction and token")
    {
        const std::string pod = "/api/v1/namespaces/default/pods/p";
        const auto named = [](std::string more) { return R"({"metadata":{"name":"p"})" + more + "}"; };
        c.reviewer = [](const json::object& r) {
            const auto* part = r.if_contains("subResource");
            if (!part || *part != "binding") return json::object{{"allowed", true}};
            return patching(R"([{"op":"replace","path":"/target/name","value":"n2"}])");
        };
        REQUIRE(run.run(c.w.server.execute("POST", pod + "/binding", named(R"(,"target":{"name":"n"})"))));
        CHECK(json::parse(run.run(c.w.server.execute("GET", pod)).value()).at_pointer("/spec/nodeName") == "n2");
        REQUIRE(run.run(c.w.server.execute("POST", pod + "/eviction", named(""))));
        REQUIRE(run.run(c.w.server.execute("POST", "/api/v1/namespaces/default/serviceaccounts", named(""))));
        REQUIRE(run.run(
            c.w.server.execute("POST", "/api/v1/namespaces/default/serviceaccounts/p/token", R"({"spec":{}})")));
        lines kinds;
        for (const auto& r : c.reviews)
            if (r.contains("subResource")) kinds.push_back(text(r, "/operation") + text(r, "/kind/kind"));
        CHECK(kinds == lines{R"("CREATE""Binding")", R"("CREATE""Eviction")", R"("CREATE""TokenRequest")"});
    }
}

TEST_CASE("rules: each object of a collection is reviewed before it is deleted", "[webhooks][apiserver]")
{
    converted_world c;
    for (const char* name : {"a", "b", "c"}) REQUIRE(c.w.run.run(c.create_v2(name)));
    c.reviewer = [](const json::object& r) {
        return json::object{{"allowed", text(r, "/oldObject/metadata/name") != R"("b")"}, {"warnings", {"w"}}};
    };
    REQUIRE(c.add_raw("Validating", site_rule));
    const auto done = c.w.run.run(c.w.cluster.remove_collection(site::resource(), "default"));
    CHECK(refusal(done) == "400 admission webhook \"raw.example.com\" denied the request without explanation");
    CHECK(c.reviews.size() == 2);
    CHECK(text(c.reviews.at(0), "/operation") == R"("DELETE")");
    CHECK_FALSE(c.reviews.at(0).contains("name"));
    CHECK(c.w.run.run(c.w.cluster.list(site::resource(), "default")).value().items.size() == 2);
    c.reviewer = {};
    CHECK(c.w.run.run(c.w.cluster.remove_collection(site::resource(), "default")));
    CHECK(c.w.run.run(c.w.cluster.list(site::resource(), "default")).value().items.empty());
}

TEST_CASE("rules: the identity of an object stays as it was", "[webhooks][apiserver]")
{
    converted_world c;
    REQUIRE(c.w.run.run(c.create_v2("blog")));
    REQUIRE(c.add_raw("Mutating", site_rule));
    const auto answers = [&](const char* patch) {
        c.reviewer = [patch](const json::object&) { return patching(patch); };
    };
    const auto update = [&] {
        return c.w.run.run(c.w.cluster.patch(site::resource(), "default", "blog", patch_kind::merge,
                                             json::parse(R"({"spec":{"replicas":2}})")));
    };
    answers(R"([{"op":"replace","path":"/metadata/name","value":"other"}])");
    CHECK(refusal(update()) ==
          "422 Site.example.com \"other\" is invalid: metadata.name: Invalid value: \"other\": field is immutable");
    answers(R"([{"op":"replace","path":"/metadata/namespace","value":"kube-system"}])");
    CHECK(refusal(update()).starts_with("400 the namespace of the provided object does not match"));
    answers(R"([{"op":"add","path":"/metadata/uid","value":"1"}])");
    CHECK(refusal(update()).starts_with("422 "));
    const auto before = c.get(site::resource()).value();
    answers(R"([{"op":"add","path":"/metadata/creationTimestamp","value":"2001-01-01T00:00:00Z"}])");
    REQUIRE(update());
    const auto after = c.get(site::resource()).value();
    CHECK(after["metadata"]["creationTimestamp"].to_json() == before["metadata"]["creationTimestamp"].to_json());
    // A new object gets its uid after the webhooks, and its name too if that is generated.
    answers(R"([{"op":"add","path":"/metadata/labels","value":{"a":"b"}}])");
    auto named = site_object("v2", "x", {{"hosts", {"a"}}});
    named["metadata"] = json::object{{"generateName", "site-"}};
    const auto made = c.w.run.run(c.w.cluster.create(site::resource(), "default", named)).value();
    CHECK(made.name().starts_with("site-"));
    CHECK(made.labels()["a"].as_string() == "b");
    CHECK_FALSE(c.reviews.back().contains("name"));
    CHECK(text(c.reviews.back(), "/object/metadata").find("uid") == std::string::npos);
    // A new object may be renamed, but not onto another one.
    answers(R"([{"op":"replace","path":"/metadata/name","value":"blog"}])");
    CHECK(refusal(c.w.run.run(c.create_v2("fresh"))).starts_with("409 "));
    answers(R"([{"op":"replace","path":"/metadata/name","value":"new"}])");
    const auto renamed = c.w.run.run(c.create_v2("fresh")).value();
    CHECK(renamed.name() == "new");
}

TEST_CASE("rules: answers that do not fit their webhook", "[webhooks][apiserver]")
{
    converted_world c;
    REQUIRE(c.w.run.run(c.create_v2("blog")));
    const std::string failed = "500 Internal error occurred: failed calling webhook \"raw.example.com\": received "
                               "invalid webhook response: ";
    c.reviewer = [](const json::object&) { return patching(R"([{"op":"remove","path":"/nothing"}])"); };
    SECTION("a patch that cannot be applied fails whatever the policy says")
    {
        REQUIRE(c.add_raw("Mutating", site_rule, {{"failurePolicy", "Ignore"}}));
        CHECK(refusal(c.w.run.run(c.create_v2("other"))).starts_with("500 Internal error occurred: the JSON patch"));
        CHECK(refusal(c.w.run.run(c.w.cluster.remove(site::resource(), "default", "blog"))) ==
              "500 Internal error occurred: admission webhook \"raw.example.com\" attempted to modify the object, "
              "which is not supported for this operation");
    }
    SECTION("a validating webhook changes nothing")
    {
        REQUIRE(c.add_raw("Validating", site_rule));
        CHECK(refusal(c.w.run.run(c.create_v2("other"))) ==
              failed + "validating webhook may not return response.patch");
    }
    SECTION("the older reviews")
    {
        REQUIRE(c.add_raw("Validating", site_rule, {{"admissionReviewVersions", {"v1beta1"}}}));
        CHECK(c.w.run.run(c.create_v2("other")));
    }
}
