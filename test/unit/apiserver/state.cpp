// Tests of writes: versions, generations, conflicts, finalizers, grace periods, namespaces, custom resources.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

std::string text(const json::value& v, std::string_view pointer)
{
    return std::string(v.at_pointer(json::string_view(pointer.data(), pointer.size())).as_string());
}

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string pods = "/api/v1/namespaces/default/pods";
const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";

std::string pod(const std::string& name, const std::string& spec = {})
{
    return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec +
           R"("containers":[{"name":"c","image":"i:1"}]}})";
}

const std::string deployment =
    R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
    R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})";

const std::string widgets_crd =
    R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":)"
    R"("widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
    R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}},"subresources":{"status":{},"scale":)"
    R"({"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}}},)"
    R"({"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";

} // namespace

TEST_CASE("state: every write takes the next version of one counter", "[apiserver][state]")
{
    server s;
    const auto before = s.state.resource_version();
    s.add_config_map("default", "a");
    s.expect(201, "POST", "/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"s"}})");
    const auto patched = s.patch(maps + "/a", R"({"data":{"x":"y"}})");
    CHECK(text(patched, "/metadata/resourceVersion") == std::to_string(before + 3));
    s.expect(200, "DELETE", maps + "/a");
    CHECK(s.state.resource_version() == before + 4);
    CHECK(text(s.expect(200, "GET", "/api/v1/nodes"), "/metadata/resourceVersion") == std::to_string(before + 4));
}

TEST_CASE("state: a write without a change keeps the version and notifies no listener", "[apiserver][state]")
{
    server s;
    s.add_config_map("default", "a");
    const auto version = s.state.resource_version();
    int told = 0;
    s.state.on_change([&](std::string_view) { ++told; });
    const auto same = s.patch(maps + "/a", R"({"data":{"k":"v"}})");
    CHECK(text(same, "/metadata/resourceVersion") == std::to_string(version));
    s.expect(200, "PUT", maps + "/a", R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
    CHECK(s.state.resource_version() == version);
    CHECK(told == 0);
}

TEST_CASE("state: an update from an old version is a conflict, one without a version is accepted", "[apiserver][state]")
{
    server s;
    s.add_config_map("default", "a");
    const auto first = s.expect(200, "GET", maps + "/a");
    s.patch(maps + "/a", R"({"data":{"x":"y"}})");
    const auto e = s.expect(409, "PUT", maps + "/a", json::serialize(first));
    CHECK(text(e, "/reason") == "Conflict");
    CHECK(text(e, "/message") ==
          R"(Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes )"
          "to the latest version and try again");
    const auto taken = s.expect(200, "PUT", maps + "/a", R"({"metadata":{"name":"a"},"data":{"z":"1"}})");
    CHECK(json::serialize(taken.at("data")) == R"({"z":"1"})");
    const auto stale = s.ask("PATCH", maps + "/a", R"({"metadata":{"resourceVersion":"1"}})",
                             {{"Content-Type", std::string(merge_type)}});
    CHECK(stale.status == 409);
}

TEST_CASE("state: generation increases with the spec, not with labels or status", "[apiserver][state]")
{
    server s;
    CHECK(s.expect(201, "POST", deployments, deployment).at_pointer("/metadata/generation") == 1);
    CHECK(s.patch(deployments + "/d", R"({"metadata":{"labels":{"x":"y"}}})").at_pointer("/metadata/generation") == 1);
    CHECK(s.patch(deployments + "/d", R"({"metadata":{"annotations":{"x":"y"}}})").at_pointer("/metadata/generation") ==
          2);
    CHECK(s.patch(deployments + "/d", R"({"spec":{"replicas":5}})").at_pointer("/metadata/generation") == 3);
    const auto status = s.patch(deployments + "/d/status", R"({"status":{"replicas":5},"spec":{"replicas":9}})");
    CHECK(status.at_pointer("/metadata/generation") == 3);
    CHECK(status.at_pointer("/spec/replicas") == 5);
    CHECK(status.at_pointer("/status/replicas") == 5);
    CHECK(s.patch(deployments + "/d", R"({"status":{"replicas":1}})").at_pointer("/status/replicas") == 5);
}

TEST_CASE("state: scale reads and writes replicas and is a write of the object", "[apiserver][state]")
{
    server s;
    s.expect(201, "POST", deployments, deployment);
    const auto scale = s.expect(200, "GET", deployments + "/d/scale");
    CHECK(text(scale, "/kind") == "Scale");
    CHECK(scale.at_pointer("/spec/replicas") == 2);
    CHECK(text(scale, "/status/selector") == "a=b");
    CHECK(s.patch(deployments + "/d/scale", R"({"spec":{"replicas":7}})").at_pointer("/spec/replicas") == 7);
    const auto d = s.expect(200, "GET", deployments + "/d");
    CHECK(d.at_pointer("/spec/replicas") == 7);
    CHECK(d.at_pointer("/metadata/generation") == 2);
    CHECK(text(s.expect(409, "PUT", deployments + "/d/scale", json::serialize(scale)), "/message")
              .find(R"(deployments.apps "d")") != std::string::npos);
    // A scale that is not understood changes nothing: its replicas would count as none.
    for (const std::string bad :
         {R"({"metadata":{"name":"d"},"spec":{"replicas":"1"}})", R"({"metadata":{"name":"d"},"spec":[1]})",
          R"({"spec":{"replicas":1}})", R"({"metadata":{"name":"e"},"spec":{"replicas":1}})"})
        s.expect(400, "PUT", deployments + "/d/scale", bad);
    s.expect(400, "PATCH", deployments + "/d/scale", R"({"spec":{"replicas":"1"}})",
             {{"content-type", std::string(merge_type)}});
    CHECK(s.expect(200, "GET", deployments + "/d/scale").at_pointer("/spec/replicas") == 7);
}

TEST_CASE("state: generated names keep the prefix and differ", "[apiserver][state]")
{
    server s;
    const std::string body = R"({"metadata":{"generateName":"gen-"}})";
    const auto a = text(s.expect(201, "POST", maps, body), "/metadata/name");
    const auto b = text(s.expect(201, "POST", maps, body), "/metadata/name");
    CHECK(a.starts_with("gen-"));
    CHECK(a.size() == 9);
    CHECK(a != b);
}

TEST_CASE("state: finalizers keep a deleted object until the last is removed", "[apiserver][state]")
{
    server s;
    s.add_config_map("default", "f", R"("finalizers":["example.com/a","example.com/b"])");
    auto watch = s.watch(maps + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    const auto held = s.expect(200, "DELETE", maps + "/f");
    CHECK(text(held, "/metadata/deletionTimestamp") == "2026-11-21T06:00:00Z");
    CHECK(held.at_pointer("/metadata/deletionGracePeriodSeconds") == 0);
    const auto version = s.state.resource_version();
    s.expect(200, "DELETE", maps + "/f");
    CHECK(s.state.resource_version() == version);
    s.expect(409, "POST", maps, R"({"metadata":{"name":"f"}})");
    CHECK(s.ask("PATCH", maps + "/f",
                R"({"metadata":{"finalizers":["example.com/a","example.com/b","example.com/c"]}})",
                {{"Content-Type", std::string(merge_type)}})
              .status == 422);
    s.patch(maps + "/f", R"({"metadata":{"finalizers":["example.com/b"]}})");
    const auto last = s.patch(maps + "/f", R"({"metadata":{"finalizers":null}})");
    CHECK(text(last, "/metadata/resourceVersion") == std::to_string(version + 1));
    CHECK_FALSE(last.at("metadata").as_object().contains("finalizers"));
    s.expect(404, "GET", maps + "/f");
    const auto events = lines(watch->next(s.now));
    REQUIRE(events.size() == 3);
    const auto v = std::to_string(version + 2);
    CHECK(brief(events[2]) == "DELETED f@" + v);
    CHECK(events[2].find(R"("finalizers":["example.com/b"])") != std::string::npos);
}

TEST_CASE("state: an object has one controller at most", "[apiserver][state]")
{
    server s;
    const auto owner = [](const std::string& name, const std::string& controls) {
        return R"({"apiVersion":"v1","kind":"Pod","name":")" + name + R"(","uid":"u)" + name + R"(","controller":)" +
               controls + "}";
    };
    const auto named = [](const std::string& name, const std::string& owners) {
        return R"({"metadata":{"name":")" + name + R"(","ownerReferences":[)" + owners + "]}}";
    };
    const auto two = owner("a", "true") + "," + owner("b", "true");
    const auto refused = s.expect(422, "POST", maps, named("m", two));
    CHECK(text(refused, "/details/causes/0/field") == "metadata.ownerReferences");
    CHECK(
        text(refused, "/details/causes/0/message") ==
        "Invalid value: [" + two +
            R"(]: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b)");
    s.expect(201, "POST", maps, named("m", owner("a", "true") + "," + owner("b", "false")));
    s.expect(422, "PUT", maps + "/m", named("m", two));
    s.expect(200, "PUT", maps + "/m", named("m", owner("b", "true")));
}

TEST_CASE("state: the type of a secret is immutable", "[apiserver][state]")
{
    server s;
    const std::string secrets = "/api/v1/namespaces/default/secrets";
    const auto secret = [](const std::string& more) { return R"({"metadata":{"name":"s"})" + more + "}"; };
    s.expect(201, "POST", secrets, secret(R"(,"type":"example.com/x")"));
    const auto refused = s.expect(422, "PUT", secrets + "/s", secret(R"(,"type":"example.com/y")"));
    CHECK(text(refused, "/details/causes/0/field") == "type");
    CHECK(text(refused, "/details/causes/0/message") == R"(Invalid value: "example.com/y": field is immutable)");
    // Without a type, a body has the default one.
    s.expect(422, "PUT", secrets + "/s", secret({}));
    s.expect(422, "PUT", secrets + "/s", secret(R"(,"type":"")"));
    s.expect(200, "PUT", secrets + "/s", secret(R"(,"type":"example.com/x","stringData":{"a":"b"})"));
    s.expect(201, "POST", secrets, R"({"metadata":{"name":"o"},"type":""})");
    s.expect(200, "PUT", secrets + "/o", R"({"metadata":{"name":"o"},"stringData":{"a":"b"}})");
}

TEST_CASE("state: preconditions of a delete must hold", "[apiserver][state]")
{
    server s;
    s.add_config_map("default", "p");
    const auto e = s.expect(409, "DELETE", maps + "/p", R"({"preconditions":{"uid":"other"}})");
    CHECK(text(e, "/details/kind") == "ConfigMap");
    CHECK(text(e, "/message").find("the UID in the precondition (other) does not match the UID in record") !=
          std::string::npos);
    s.expect(409, "DELETE", maps + "/p", R"({"preconditions":{"resourceVersion":"1"}})");
    const auto uid = text(s.expect(200, "GET", maps + "/p"), "/metadata/uid");
    const auto done = s.expect(200, "DELETE", maps + "/p", R"({"preconditions":{"uid":")" + uid + R"("}})");
    CHECK(json::serialize(done) ==
          R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"p","kind":)"
          R"("configmaps","uid":")" +
              uid + R"("}})");
}

TEST_CASE("state: a pod without a node is removed at once, one with a node terminates", "[apiserver][state]")
{
    server s;
    s.expect(201, "POST", pods, pod("free"));
    s.expect(201, "POST", pods, pod("bound", R"("nodeName":"n1",)"));
    auto watch = s.watch(pods + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    const auto gone = s.expect(200, "DELETE", pods + "/free");
    CHECK(text(gone, "/kind") == "Pod");
    CHECK(text(gone, "/metadata/resourceVersion") == std::to_string(s.state.resource_version()));
    s.expect(404, "GET", pods + "/free");
    const auto stays = s.expect(200, "DELETE", pods + "/bound");
    CHECK(text(stays, "/metadata/deletionTimestamp") == "2026-11-21T06:00:30Z");
    CHECK(stays.at_pointer("/metadata/generation") == 2);
    s.expect(200, "GET", pods + "/bound");
    const auto due = s.state.tick(s.now);
    REQUIRE(due);
    CHECK(*due == s.now + std::chrono::seconds{1});
    s.now = *due;
    CHECK_FALSE(s.state.tick(s.now));
    s.expect(404, "GET", pods + "/bound");
    std::vector<std::string> types;
    for (const auto& line : lines(watch->next(s.now))) types.push_back(brief(line).substr(0, 12));
    CHECK(types == std::vector<std::string>{"MODIFIED fre", "DELETED free", "MODIFIED bou", "DELETED boun"});
}

TEST_CASE("state: grace 0 removes a terminating pod", "[apiserver][state]")
{
    server s({.history = 100, .seed = 1, .pod_termination = {}});
    s.expect(201, "POST", pods, pod("p", R"("nodeName":"n1",)"));
    s.expect(200, "DELETE", pods + "/p");
    CHECK_FALSE(s.state.tick(s.now + std::chrono::hours{1}));
    s.expect(200, "GET", pods + "/p");
    s.expect(200, "DELETE", pods + "/p?gracePeriodSeconds=0");
    s.expect(404, "GET", pods + "/p");
}

TEST_CASE("state: a deleted namespace is emptied and removed; new content is refused until then", "[apiserver][state]")
{
    server s;
    s.add_namespace("web");
    s.add_config_map("web", "plain");
    s.add_config_map("web", "held", R"("finalizers":["example.com/a"])");
    const auto answer = s.expect(200, "DELETE", "/api/v1/namespaces/web");
    CHECK(text(answer, "/status/phase") == "Terminating");
    s.expect(404, "GET", "/api/v1/namespaces/web/configmaps/plain");
    const auto e = s.expect(403, "POST", "/api/v1/namespaces/web/configmaps", R"({"metadata":{"name":"x"}})");
    CHECK(text(e, "/details/causes/0/reason") == "NamespaceTerminating");
    s.patch("/api/v1/namespaces/web/configmaps/held", R"({"metadata":{"finalizers":null}})");
    s.expect(404, "GET", "/api/v1/namespaces/web");
    s.add_namespace("web");
}

TEST_CASE("state: a deleted namespace is removed with its last finalizer", "[apiserver][state]")
{
    server s;
    s.expect(201, "POST", "/api/v1/namespaces", R"({"metadata":{"name":"n","finalizers":["example.com/a"]}})");
    s.expect(200, "DELETE", "/api/v1/namespaces/n");
    s.patch("/api/v1/namespaces/n", R"({"metadata":{"finalizers":null}})");
    s.expect(404, "GET", "/api/v1/namespaces/n");
}

TEST_CASE("state: finalizers of a namespace's specification change by its subresource alone", "[apiserver][state]")
{
    server s;
    const std::string web = "/api/v1/namespaces/web";
    const std::string plain = R"({"metadata":{"name":"web"},"spec":{"finalizers":[]}})";
    s.add_namespace("web");
    s.add_config_map("web", "held", R"("finalizers":["example.com/a"])");
    s.expect(200, "DELETE", web);
    CHECK(text(s.patch(web, R"({"spec":{"finalizers":null}})"), "/spec/finalizers/0") == "kubernetes");
    CHECK(text(s.expect(200, "PUT", web, plain), "/spec/finalizers/0") == "kubernetes");
    CHECK(text(s.patch(web, R"({"spec":null})"), "/spec/finalizers/0") == "kubernetes");
    s.expect(200, "GET", web + "/configmaps/held");
    s.expect(200, "PUT", web + "/finalize", plain);
    s.expect(404, "GET", web);
}

TEST_CASE("state: other finalizers of a namespace's specification keep it", "[apiserver][state]")
{
    server s;
    const std::string web = "/api/v1/namespaces/web";
    const auto with = [](const std::string& list) {
        return R"({"metadata":{"name":"web"},"spec":{"finalizers":)" + list + "}}";
    };
    const auto finalizers = [&](const json::value& v) { return json::serialize(v.at_pointer("/spec/finalizers")); };
    CHECK(finalizers(s.expect(201, "POST", "/api/v1/namespaces", with(R"(["example.com/a"])"))) ==
          R"(["example.com/a","kubernetes"])");
    s.add_config_map("web", "plain");
    s.expect(200, "DELETE", web);
    s.expect(404, "GET", web + "/configmaps/plain");
    CHECK(text(s.expect(200, "GET", web), "/status/phase") == "Terminating");
    s.expect(200, "PUT", web + "/finalize", with(R"(["kubernetes"])"));
    s.expect(404, "GET", web);
}

TEST_CASE("state: a dry run answers and changes nothing", "[apiserver][state]")
{
    server s;
    s.add_config_map("default", "a");
    const auto version = s.state.resource_version();
    CHECK_FALSE(s.expect(201, "POST", maps + "?dryRun=All", R"({"metadata":{"name":"b"}})")
                    .at("metadata")
                    .as_object()
                    .contains("resourceVersion"));
    s.patch(maps + "/a?dryRun=All", R"({"data":{"x":"y"}})");
    CHECK(s.expect(200, "DELETE", maps + "/a?dryRun=All").at("kind") == "Status");
    CHECK(s.state.resource_version() == version);
    CHECK(json::serialize(s.expect(200, "GET", maps + "/a").at("data")) == R"({"k":"v"})");
}

TEST_CASE("state: deletecollection deletes the selected objects and returns their list", "[apiserver][state]")
{
    server s;
    s.add_config_map("default", "a", R"("labels":{"x":"1"})");
    s.add_config_map("default", "b", R"("labels":{"x":"1"})");
    s.add_config_map("default", "c");
    const auto answer = s.expect(200, "DELETE", maps + "?labelSelector=x%3D1");
    CHECK(answer.at("items").as_array().size() == 2);
    CHECK(s.expect(200, "GET", maps).at("items").as_array().size() == 1);
}

TEST_CASE("state: a definition is established by two events and served at once", "[apiserver][state][crd]")
{
    server s;
    auto watch = s.watch(crds + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    s.expect(201, "POST", crds, widgets_crd);
    const auto events = lines(watch->next(s.now));
    REQUIRE(events.size() == 3);
    CHECK(events[1].find(R"("type":"Established","status":"False")") != std::string::npos);
    CHECK(events[2].find(R"("type":"Established","status":"True")") != std::string::npos);
    const auto w =
        s.expect(201, "POST", widgets,
                 R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"replicas":3}})");
    CHECK(text(w, "/apiVersion") == "example.com/v1");
    CHECK(text(s.expect(200, "GET", "/apis/example.com/v1beta1/namespaces/default/widgets/w"), "/apiVersion") ==
          "example.com/v1beta1");
    CHECK(s.expect(200, "GET", widgets + "/w/scale").at_pointer("/spec/replicas") == 3);
    CHECK(s.patch(widgets + "/w/status", R"({"status":{"phase":"x"}})").at_pointer("/metadata/generation") == 1);
    CHECK(s.patch(widgets + "/w", R"({"spec":{"replicas":4}})").at_pointer("/metadata/generation") == 2);
}

TEST_CASE("state: a field spec.finalizers of a custom resource does not keep it", "[apiserver][state][crd]")
{
    server s;
    s.expect(201, "POST", crds, widgets_crd);
    for (const std::string list : {"[]", R"(["x"])"}) {
        s.expect(
            201, "POST", widgets,
            R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","finalizers":["example.com/a"]},)"
            R"("spec":{"finalizers":)" +
                list + "}}");
        s.expect(200, "DELETE", widgets + "/w");
        s.expect(200, "GET", widgets + "/w");
        s.patch(widgets + "/w", R"({"metadata":{"finalizers":null}})");
        s.expect(404, "GET", widgets + "/w");
    }
}

TEST_CASE("state: deleting a definition deletes its objects and ends its watches", "[apiserver][state][crd]")
{
    server s;
    s.expect(201, "POST", crds, widgets_crd);
    s.expect(201, "POST", widgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})");
    auto watch = s.watch(widgets + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    const auto answer = s.expect(200, "DELETE", crds + "/widgets.example.com");
    CHECK(text(answer, "/metadata/finalizers/0") == "customresourcecleanup.apiextensions.k8s.io");
    const auto out = watch->next(s.now);
    CHECK(out.ended);
    CHECK(brief(lines(out)).size() == 1);
    CHECK(s.get(widgets).body == "404 page not found\n");
    s.expect(404, "GET", crds + "/widgets.example.com");
    CHECK(s.get("/apis/example.com").status == 404);
    s.expect(201, "POST", crds, widgets_crd);
    CHECK(s.expect(200, "GET", widgets).at("items").as_array().empty());
}

TEST_CASE("state: invalid requests are refused", "[apiserver][state]")
{
    server s;
    std::string deep = R"({"metadata":{"name":"d"},"data":)";
    for (int i = 0; i < 1000; ++i) deep += R"({"a":)";
    CHECK(s.ask("POST", maps, deep).status == 400);
    CHECK(s.ask("POST", maps, "{\"metadata\":{\"name\":\"\xff\"}}").status == 422);
    CHECK(s.ask("POST", maps, std::string(apiserver::max_body_bytes + 1, ' ')).status == 413);
    CHECK(s.ask("POST", maps, "x", {{"Content-Type", "application/cbor"}}).status == 415);
    CHECK(s.ask("POST", maps, "[]").status == 400);
    CHECK(s.ask("POST", maps, "null").status == 422);
    CHECK(s.ask("POST", maps, R"({"metadata":[]})").status == 400);
    CHECK(s.ask("POST", maps, R"({"metadata":{"name":"x","labels":{"a":1}}})").status == 400);
    CHECK(s.ask("POST", pods, R"({"metadata":{"name":"x"},"spec":[]})").status == 400);
    CHECK(s.ask("GET", "no url").status == 400);
    CHECK(s.ask("GET", "/api/v1/namespaces/default/configmaps/a/b/c/d").status == 404);
    CHECK(s.expect(200, "GET", maps).at("items").as_array().empty());
}

TEST_CASE("state: an update or patch names the object of its URL", "[apiserver][state]")
{
    server s;
    s.add_config_map("default", "m");
    s.expect(201, "POST", deployments, deployment);
    const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const auto why = [&](const std::string& method, const std::string& at, const std::string& metadata) {
        const auto type = method == "PATCH" ? merge_type : json_type;
        return text(
            s.expect(400, method, at, R"({"metadata":)" + metadata + "}", {{"Content-Type", std::string(type)}}),
            "/message");
    };
    const std::string unnamed = " based on URL) was undeterminable: name must be provided";
    CHECK(why("PUT", maps + "/m", "{}") == "the name of the object (m" + unnamed);
    CHECK(why("PUT", maps + "/none", "{}") == "the name of the object (none" + unnamed);
    CHECK(why("PATCH", maps + "/m", R"({"name":null})") == "the name of the object (m" + unnamed);
    CHECK(why("PUT", leases + "/l", "{}") == "the name of the object (l" + unnamed);
    const std::string other = "the name of the object (x) does not match the name on the URL (";
    CHECK(why("PUT", leases + "/l", R"({"name":"x"})") == other + "l)");
    CHECK(why("PATCH", maps + "/m", R"({"name":"x"})") == other + "m)");
    CHECK(why("PATCH", deployments + "/d/scale", R"({"name":"x"})") == other + "d)");
    const std::string elsewhere =
        "the namespace of the provided object does not match the namespace sent on the request";
    for (const std::string method : {"PUT", "PATCH"}) {
        CHECK(why(method, maps + "/m", R"({"name":"m","namespace":"x"})") == elsewhere);
        CHECK(why(method, deployments + "/d/scale", R"({"name":"d","namespace":"x"})") == elsewhere);
    }
    CHECK(s.expect(200, "GET", deployments + "/d/scale").at_pointer("/spec/replicas") == 2);
}

TEST_CASE("state: excessive numbers are bounded", "[apiserver][state]")
{
    server s;
    s.expect(201, "POST", pods, pod("p", R"("terminationGracePeriodSeconds":9223372036854775807,"nodeName":"n",)"));
    s.expect(200, "DELETE", pods + "/p");
    CHECK(text(s.expect(200, "GET", pods + "/p"), "/metadata/deletionTimestamp") == "2036-11-18T06:00:00Z");
    s.expect(400, "POST", pods, pod("q", R"("terminationGracePeriodSeconds":1e300,"nodeName":"n",)"));
    const auto watch = s.watch(pods + "?watch=1&timeoutSeconds=9223372036854775807");
    CHECK(*watch->wake_at() == s.now + std::chrono::hours{24 * 365});
    CHECK(s.get(pods + "?timeoutSeconds=92233720368547758070").status == 400);
}
