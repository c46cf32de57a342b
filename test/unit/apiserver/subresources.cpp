// Tests of tokens of service accounts, of evictions, of bindings and of ephemeral containers.
#include "support.hpp"

#include "verbs/service_account_token.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
const std::string pods = "/api/v1/namespaces/default/pods";

std::string message_of(const json::value& status) { return std::string(status.at("message").as_string()); }

std::string token_of(const json::value& answer) { return std::string(answer.at_pointer("/status/token").as_string()); }

struct with_account : server
{
    with_account() { expect(201, "POST", accounts, R"({"metadata":{"name":"robot"}})"); }
    std::string issue(const std::string& spec = "{}")
    {
        return token_of(expect(201, "POST", accounts + "/robot/token", R"({"spec":)" + spec + "}"));
    }
    /// The status of a read with the token.
    int tried(const std::string& with)
    {
        const auto kept = std::exchange(token, with);
        const int status = get("/api/v1/namespaces/default/configmaps").status;
        token = kept;
        return status;
    }
    void add_pod(const std::string& name)
    {
        expect(201, "POST", pods,
               R"({"metadata":{"name":")" + name + R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    }
};

} // namespace

TEST_CASE("token request: a token stands for its account until it expires", "[apiserver][token]")
{
    with_account s;
    const auto answer = s.expect(201, "POST", accounts + "/robot/token", R"({"spec":{"expirationSeconds":600}})");
    CHECK(answer.at("kind") == "TokenRequest");
    CHECK(answer.at_pointer("/spec/expirationSeconds") == 600);
    CHECK(answer.at_pointer("/status/expirationTimestamp") == "2026-11-21T06:10:00Z");
    const auto token = token_of(answer);
    CHECK(s.tried(token) == 403);
    s.access.add_rule({true, "system:serviceaccount:default:robot", "*", "configmaps"});
    CHECK(s.tried(token) == 200);
    CHECK(s.issue() != s.issue());
    s.now += std::chrono::seconds{599};
    CHECK(s.tried(token) == 200);
    s.now += std::chrono::seconds{1};
    CHECK(s.tried(token) == 401);
}

TEST_CASE("token request: a token ends with its account, and with the object it is bound to", "[apiserver][token]")
{
    with_account s;
    s.access.add_rule({true, "system:serviceaccount:default:robot", "*", "configmaps"});
    s.add_pod("p");
    const auto bound = s.issue(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}})");
    const auto free = s.issue();
    CHECK(s.tried(bound) == 200);
    s.expect(200, "DELETE", pods + "/p");
    s.add_pod("p"); // another pod of that name
    CHECK(s.tried(bound) == 401);
    CHECK(s.tried(free) == 200);
    s.expect(200, "DELETE", accounts + "/robot");
    s.expect(201, "POST", accounts, R"({"metadata":{"name":"robot"}})");
    CHECK(s.tried(free) == 401);
}

TEST_CASE("token request: a token that this server did not sign for itself is refused", "[apiserver][token]")
{
    with_account s;
    s.access.add_rule({true, "system:serviceaccount:default:robot", "*", "configmaps"});
    const auto token = s.issue();
    REQUIRE(s.tried(token) == 200);
    with_account other;
    CHECK(other.tried(token) == 401);
    CHECK(s.tried(s.issue(R"({"audiences":["vault"]})")) == 401);
    CHECK(s.tried(s.issue(R"({"audiences":["vault","https://kubernetes.default.svc"]})")) == 200);
    for (std::size_t i = 0; i < token.size(); i += 7) {
        auto changed = token;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        CHECK(s.tried(changed) == 401);
    }
    for (const std::string bad : {"..", "a.b.c", ".", "a", "e30.e30."}) CHECK(s.tried(bad) == 401);
    CHECK(s.tried(std::string(100'000, 'a')) == 401);
}

TEST_CASE("token request: bad requests are refused", "[apiserver][token]")
{
    with_account s;
    const auto at = accounts + "/robot/token";
    CHECK(
        message_of(s.expect(422, "POST", at, R"({"spec":{"expirationSeconds":599}})"))
            .ends_with("spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes"));
    CHECK(message_of(s.expect(422, "POST", at, R"({"spec":{"expirationSeconds":4294967297}})"))
              .ends_with("may not specify a duration larger than 2^32 seconds"));
    CHECK(message_of(s.expect(404, "POST", accounts + "/none/token", "{}")) == R"(serviceaccounts "none" not found)");
    s.expect(400, "POST", at, R"({"kind":"Pod"})");
    s.expect(400, "POST", at, "[]");
    CHECK(message_of(s.expect(400, "POST", at, R"({"spec":{"expirationSeconds":"700"}})"))
              .starts_with("TokenRequest in version \"v1\" cannot be handled as a TokenRequest: json: spec."));
    s.expect(415, "POST", at, "{}", {{"content-type", "text/plain"}});
    s.expect(400, "POST", at, R"({"spec":{"boundObjectRef":{"kind":"Lease","apiVersion":"v1","name":"x"}}})");
    s.expect(404, "POST", at, R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"x"}}})");
    s.add_pod("p");
    s.expect(409, "POST", at, R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p","uid":"x"}}})");
    s.expect(405, "GET", at);
    s.token = "bob";
    s.expect(403, "POST", at, "{}");
}

TEST_CASE("eviction: a pod is deleted as the options say", "[apiserver][eviction]")
{
    with_account s;
    s.add_pod("p");
    const auto at = pods + "/p/eviction";
    const auto of_pod = [](const std::string& more) { return R"({"metadata":{"name":"p"})" + more + "}"; };
    for (const std::string other : {R"({"metadata":{"name":"q"}})", "{}"})
        CHECK(message_of(s.expect(400, "POST", at, other)) == "name in URL does not match name in Eviction object");
    s.expect(409, "POST", at, of_pod(R"(,"deleteOptions":{"preconditions":{"uid":"other"}})"));
    s.expect(400, "POST", at, of_pod(R"(,"deleteOptions":{"preconditions":{"uid":1}})"));
    s.expect(201, "POST", at, of_pod(R"(,"deleteOptions":{"dryRun":["All"]})"));
    s.expect(201, "POST", at + "?dryRun=All", of_pod(""));
    const auto before = s.expect(200, "GET", pods + "/p");
    CHECK_FALSE(before.at("status").as_object().contains("conditions"));
    const std::string version(before.at_pointer("/metadata/resourceVersion").as_string());
    auto events = s.watch(pods + "?watch=1&resourceVersion=" + version);
    const auto done = s.expect(201, "POST", at,
                               R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"},"deleteOptions":)"
                               R"({"preconditions":{"resourceVersion":")" +
                                   version + R"("}}})");
    const auto first = json::parse(lines(events->next(s.now)).at(0));
    CHECK(first.at("type") == "MODIFIED");
    CHECK(first.at_pointer("/object/status/conditions/0/type") == "DisruptionTarget");
    CHECK(first.at_pointer("/object/status/conditions/0/reason") == "EvictionByEvictionAPI");
    CHECK(json::serialize(done) ==
          R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})");
    s.expect(404, "GET", pods + "/p");
    s.expect(404, "POST", at, of_pod(""));
}

TEST_CASE("binding: a pod gets its node once", "[apiserver][binding]")
{
    with_account s;
    s.add_pod("p");
    const auto at = pods + "/p/binding";
    const auto to = [](const std::string& target) {
        return R"({"metadata":{"name":"p"},"target":{"kind":"Node")" + target + "}}";
    };
    s.expect(422, "POST", at, to(""));
    CHECK(message_of(s.expect(400, "POST", at, R"({"target":{"kind":"Node","name":"n1"}})")) ==
          "name in URL does not match name in Binding object");
    s.expect(201, "POST", at, to(R"(,"name":"n1")"));
    const auto pod = s.expect(200, "GET", pods + "/p");
    CHECK(pod.at_pointer("/spec/nodeName") == "n1");
    CHECK(pod.at_pointer("/status/conditions/0/type") == "PodScheduled");
    CHECK(message_of(s.expect(409, "POST", at, to(R"(,"name":"n2")")))
              .ends_with(R"(pod p is already assigned to node "n1")"));
}

TEST_CASE("ephemeral containers: they alone are changed", "[apiserver][ephemeral]")
{
    with_account s;
    s.add_pod("p");
    auto pod = s.expect(200, "GET", pods + "/p");
    pod.at("spec").as_object()["ephemeralContainers"] = {{{"name", "debug"}, {"image", "busybox"}}};
    pod.at("spec").as_object()["nodeName"] = "elsewhere";
    s.expect(200, "PUT", pods + "/p/ephemeralcontainers", json::serialize(pod));
    const auto after = s.expect(200, "GET", pods + "/p/ephemeralcontainers");
    CHECK(after.at_pointer("/spec/ephemeralContainers/0/name") == "debug");
    CHECK(after.at_pointer("/spec/ephemeralContainers/0/imagePullPolicy") == "Always");
    CHECK(after.at_pointer("/spec/ephemeralContainers/0/terminationMessagePolicy") == "File");
    CHECK_FALSE(after.at("spec").as_object().contains("nodeName"));
    const auto refused =
        s.expect(422, "PATCH", pods + "/p/ephemeralcontainers",
                 R"({"spec":{"ephemeralContainers":[{"name":"third","image":"i","ports":[{"containerPort":1}],)"
                 R"("lifecycle":{"preStop":{"sleep":{"seconds":1}}},"resources":{}}]}})",
                 {{"content-type", "application/strategic-merge-patch+json"}});
    CHECK(refused.at_pointer("/details/causes").as_array().size() == 2);
    CHECK(message_of(refused).find("ports: Forbidden: cannot be set for an Ephemeral Container") != std::string::npos);
    for (const std::string set : {R"("livenessProbe":{})", R"("lifecycle":{})", R"("restartPolicy":"Always")",
                                  R"("resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"}])"}) {
        INFO(set);
        s.expect(422, "PATCH", pods + "/p/ephemeralcontainers",
                 R"({"spec":{"ephemeralContainers":[{"name":"third","image":"i",)" + set + "}]}}",
                 {{"content-type", "application/strategic-merge-patch+json"}});
    }
    s.patch(pods + "/p/ephemeralcontainers",
            R"({"spec":{"ephemeralContainers":[{"name":"second","image":"busybox"}]}})",
            "application/strategic-merge-patch+json");
    CHECK(s.expect(200, "GET", pods + "/p").at_pointer("/spec/ephemeralContainers").as_array().size() == 2);
    CHECK(s.get(pods + "/p/log?container=second").status == 200);
}

namespace {

const std::string full_metadata =
    R"("labels":{"l":"1"},"annotations":{"a":"1"},"finalizers":["example.com/f"],"ownerReferences":[{"apiVersion":"v1",)"
    R"("kind":"ConfigMap","name":"o","uid":"u"}])";

/// Writes the status of an object together with its metadata. @return the members of metadata that were set.
std::string set_by_status(server& s, const std::string& at, const std::string& name, const std::string& status)
{
    const std::string body =
        R"({"metadata":{"name":")" + name + "\"," + full_metadata + R"(},"status":)" + status + "}";
    auto sent = s.expect(200, "GET", at + "/" + name);
    const auto stated = json::parse(body);
    for (const auto& [key, value] : stated.at("metadata").as_object()) sent.at("metadata").as_object()[key] = value;
    sent.as_object()["status"] = stated.at("status");
    const auto done = s.expect(200, "PUT", at + "/" + name + "/status", json::serialize(sent));
    std::string out;
    for (const auto* member : {"labels", "annotations", "finalizers", "ownerReferences"}) {
        const auto* set = done.at("metadata").as_object().if_contains(member);
        if (set && *set == stated.at("metadata").at(member)) out += std::string(member) + " ";
    }
    return out;
}

} // namespace

TEST_CASE("status: a write of it sets metadata of the built-in kinds, but never the specification",
          "[apiserver][status]")
{
    with_account s;
    s.add_pod("p");
    CHECK(set_by_status(s, pods, "p", R"({"phase":"Running"})") == "labels annotations finalizers ");
    CHECK(s.patch(pods + "/p/status", R"({"metadata":{"labels":{"l":null}},"spec":{"nodeName":"n"}})")
              .at("metadata")
              .as_object()
              .if_contains("labels") == nullptr);
    CHECK(s.expect(200, "GET", pods + "/p").at("spec").as_object().if_contains("nodeName") == nullptr);

    const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
    s.expect(201, "POST", deployments,
             R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
             R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    CHECK(set_by_status(s, deployments, "d", R"({"replicas":1})") == "annotations finalizers ownerReferences ");
    CHECK(s.expect(200, "GET", deployments + "/d").at_pointer("/metadata/generation") == 1);

    s.expect(201, "POST", "/api/v1/nodes", R"({"metadata":{"name":"n"}})");
    CHECK(set_by_status(s, "/api/v1/nodes", "n", "{}") == "labels annotations finalizers ownerReferences ");
}

TEST_CASE("status: a write of it leaves the metadata of custom resources and of some kinds", "[apiserver][status]")
{
    server s;
    s.expect(
        201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
        R"({"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":)"
        R"({"status":{}},"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}})"
        R"(}]}})");
    const std::string things = "/apis/example.com/v1/namespaces/default/things";
    s.expect(201, "POST", things, R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"}})");
    CHECK(set_by_status(s, things, "t", R"({"a":1})").empty());
    const std::string claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    s.expect(201, "POST", claims, R"({"metadata":{"name":"c"},"spec":{}})");
    CHECK(set_by_status(s, claims, "c", "{}").empty());
}

TEST_CASE("status: an apply of it sets metadata as an update does", "[apiserver][status]")
{
    with_account s;
    s.add_pod("p");
    const auto applied = s.expect(200, "PATCH", pods + "/p/status?fieldManager=m",
                                  R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",)" + full_metadata +
                                      R"(},"status":{"phase":"Running"}})",
                                  {{"Content-Type", "application/apply-patch+yaml"}});
    CHECK(applied.at_pointer("/metadata/labels/l") == "1");
    CHECK_FALSE(applied.at("metadata").as_object().contains("ownerReferences"));
    CHECK(applied.at_pointer("/status/phase") == "Running");
}

TEST_CASE("pods: exec, attach and port forwarding say that no containers run", "[apiserver][pods]")
{
    server s;
    const auto pod = [](const std::string& name, const std::string& node) {
        return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + node +
               R"("containers":[{"name":"c","image":"i"}]}})";
    };
    s.expect(201, "POST", pods, pod("waiting", ""));
    s.expect(201, "POST", pods, pod("running", R"("nodeName":"n",)"));
    for (const std::string method : {"GET", "POST"})
        for (const std::string part : {"exec", "attach", "portforward"}) {
            INFO(method << " " << part);
            CHECK(s.expect(400, method, pods + "/waiting/" + part + "?command=ls").at("message") ==
                  "pod waiting does not have a host assigned");
            CHECK(s.expect(400, method, pods + "/running/" + part).at("message") ==
                  json::value("this embedded API server runs no containers: pods/" + part + " is not served"));
            s.expect(404, method, pods + "/none/" + part);
        }
    s.expect(404, "GET", pods + "/running/other");
}
