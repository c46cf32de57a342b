// Tests of server-side apply and of metadata.managedFields through the server.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
constexpr std::string_view apply_type = "application/apply-patch+yaml";

std::string config(const std::string& data, const std::string& metadata = {})
{
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m")" + metadata + R"(},"data":)" + data + "}";
}

/// The owners of an object: "manager operation fields", one a line.
std::string owners(const json::value& object)
{
    std::string out;
    const auto* all = object.at("metadata").as_object().if_contains("managedFields");
    if (!all) return out;
    for (const auto& each : all->as_array()) {
        out += std::string(each.at("manager").as_string()) + " " + std::string(each.at("operation").as_string());
        if (const auto* sub = each.as_object().if_contains("subresource"))
            out += " of " + std::string(sub->as_string());
        out += " " + json::serialize(each.at("fieldsV1")) + "\n";
    }
    return out;
}

struct applier : server
{
    apiserver::http_response try_apply(const std::string& manager, const std::string& target, const std::string& body,
                                       const std::string& query = {})
    {
        return ask("PATCH", target + "?fieldManager=" + manager + query, body,
                   {{"Content-Type", std::string(apply_type)}});
    }
    json::value apply(const std::string& manager, const std::string& body, const std::string& query = {},
                      const std::string& target = maps + "/m")
    {
        const auto r = try_apply(manager, target, body, query);
        INFO(r.body);
        REQUIRE(r.status < 300);
        return json::parse(r.body);
    }
    std::string refused(int status, const std::string& manager, const std::string& body, const std::string& query = {})
    {
        const auto r = try_apply(manager, maps + "/m", body, query);
        INFO(r.body);
        REQUIRE(r.status == status);
        return std::string(json::parse(r.body).at("message").as_string());
    }
    json::value get_map() { return expect(200, "GET", maps + "/m"); }
};

} // namespace

TEST_CASE("apply: creates, changes and leaves alone", "[apiserver][apply]")
{
    applier s;
    const auto first = s.try_apply("m", maps + "/m", config(R"({"a":"1","b":"2"})"));
    CHECK(first.status == 201);
    const auto created = json::parse(first.body);
    CHECK(owners(created) == "m Apply {\"f:data\":{\"f:a\":{},\"f:b\":{}}}\n");
    CHECK(created.at_pointer("/metadata/managedFields/0/time") == "2026-11-21T06:00:00Z");
    CHECK(created.at_pointer("/metadata/managedFields/0/fieldsType") == "FieldsV1");
    CHECK(created.at_pointer("/metadata/managedFields/0/apiVersion") == "v1");

    s.now += std::chrono::seconds{10};
    const auto same = s.apply("m", config(R"({"a":"1","b":"2"})"));
    CHECK(same == created); // the version and the time too

    const auto changed = s.apply("m", config(R"({"a":"1","c":"3"})")); // b was only its own
    CHECK(json::serialize(changed.at("data")) == R"({"a":"1","c":"3"})");
    CHECK(owners(changed) == "m Apply {\"f:data\":{\"f:a\":{},\"f:c\":{}}}\n");
    CHECK(changed.at_pointer("/metadata/managedFields/0/time") == "2026-11-21T06:00:10Z");
    CHECK(changed.at_pointer("/metadata/resourceVersion") != created.at_pointer("/metadata/resourceVersion"));
}

TEST_CASE("apply: what others own is a conflict, or shared, or taken by force", "[apiserver][apply]")
{
    applier s;
    s.apply("one", config(R"({"a":"1","b":"2"})"));
    CHECK(s.refused(409, "two", config(R"({"a":"9"})")) ==
          R"(Apply failed with 1 conflict: conflict with "one": .data.a)");
    const auto r = s.try_apply("two", maps + "/m", config(R"({"a":"9","b":"9"})"));
    CHECK(r.body == R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Apply failed )"
                    R"(with 2 conflicts: conflicts with \"one\":\n- .data.a\n- .data.b","reason":"Conflict",)"
                    R"("details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"one\"",)"
                    R"("field":".data.a"},{"reason":"FieldManagerConflict","message":"conflict with \"one\"",)"
                    R"("field":".data.b"}]},"code":409})"
                    "\n");
    // Equal values are shared, without a time, since nothing changed.
    const auto shared = s.apply("two", config(R"({"a":"1"})"));
    CHECK(owners(shared) == "two Apply {\"f:data\":{\"f:a\":{}}}\none Apply {\"f:data\":{\"f:a\":{},\"f:b\":{}}}\n");
    CHECK_FALSE(shared.at_pointer("/metadata/managedFields/0").as_object().contains("time"));
    // Parts that are stated but not applied are merged before they are dropped: the entry has a time, yet nothing is written.
    const auto stated = [](const std::string& status) {
        return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":)"
               R"({"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}})" +
               status + "}";
    };
    s.apply("one", stated(""), {}, deployments + "/d");
    const auto timed = s.apply("two", stated(R"(,"status":{"replicas":7})"), {}, deployments + "/d");
    for (const auto& each : timed.at_pointer("/metadata/managedFields").as_array())
        CHECK(each.as_object().contains("time"));
    const auto again = s.apply("two", stated(R"(,"status":{"replicas":7})"), {}, deployments + "/d");
    CHECK(again == timed);
    // A field stays while one of its owners applies it.
    const auto kept = s.apply("one", config(R"({"b":"2"})"));
    CHECK(json::serialize(kept.at("data")) == R"({"a":"1","b":"2"})");
    CHECK(owners(kept) == "two Apply {\"f:data\":{\"f:a\":{}}}\none Apply {\"f:data\":{\"f:b\":{}}}\n");
    const auto forced = s.apply("three", config(R"({"b":"3"})"), "&force=true");
    CHECK(owners(forced) == "two Apply {\"f:data\":{\"f:a\":{}}}\nthree Apply {\"f:data\":{\"f:b\":{}}}\n");
    s.expect(200, "PUT", maps + "/m", config(R"({"a":"5","b":"3"})"), {{"User-Agent", "prog/1.0 (linux)"}});
    CHECK(s.refused(409, "two", config(R"({"a":"1"})")) ==
          R"(Apply failed with 1 conflict: conflict with "prog" using v1: .data.a)");
}

TEST_CASE("apply: bad requests are refused with the words of a kube-apiserver", "[apiserver][apply]")
{
    applier s;
    const auto version = s.state.resource_version();
    CHECK(s.refused(422, "", config("{}")) ==
          R"(PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch)");
    CHECK(s.refused(422, std::string(129, 'x'), config("{}")).ends_with("Too long: may not be more than 128 bytes"));
    CHECK(s.refused(422, "%07", config("{}")).ends_with("invalid character U+0007 (at position 0)"));
    CHECK(s.refused(400, "m", config("{}", R"(,"managedFields":[])")) == "metadata.managedFields must be nil");
    CHECK(s.refused(400, "m", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"m"}})") ==
          "invalid object type: /v1, Kind=Secret");
    CHECK(s.refused(400, "m", R"({"apiVersion":"v1","kind":"ConfigMap","data":{}})") ==
          "the name of the object (m based on URL) was undeterminable: name must be provided");
    CHECK(s.refused(400, "m", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n"}})") ==
          "the name of the object (n) does not match the name on the URL (m)");
    CHECK(s.refused(400, "m", config("{}", R"(,"namespace":"other")")) ==
          "the namespace of the provided object does not match the namespace sent on the request");
    CHECK(s.refused(500, "m", config(R"({"x":1})")) ==
          "failed to create typed patch object (/m; /v1, Kind=ConfigMap): .data.x: expected string, got "
          "&value.valueUnstructured{Value:1}");
    CHECK(s.refused(400, "m", "[]").ends_with("cannot unmarshal array into Go value of type map[string]interface {}"));
    CHECK(s.refused(400, "m", "{").starts_with("error decoding YAML: "));
    CHECK(s.state.resource_version() == version);
}

TEST_CASE("apply: the configuration of an object that exists need not have its name", "[apiserver][apply]")
{
    applier s;
    s.apply("m", config(R"({"a":"1"})"));
    const std::string head = R"({"apiVersion":"v1","kind":"ConfigMap",)";
    CHECK(s.apply("m", head + R"("data":{"a":"2"}})").at("data").at("a") == "2");
    CHECK(s.apply("m", head + R"("metadata":{"labels":{"x":"y"}}})").at_pointer("/metadata/name") == "m");
    CHECK(s.refused(409, "other", head + R"("metadata":{"name":"n","labels":{"x":"z"}}})").starts_with("Apply failed"));
    CHECK(s.refused(400, "m", head + R"("metadata":{"name":"n"}})") ==
          "the name of the object (n) does not match the name on the URL (m)");
    CHECK(s.refused(400, "m", head + R"("metadata":{"name":""}})").ends_with("name must be provided"));
    s.apply("m",
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":1,"selector":)"
            R"({"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)"
            R"({"name":"c","image":"i"}]}}}})",
            {}, deployments + "/d");
    const std::string scale = R"({"apiVersion":"autoscaling/v1","kind":"Scale",)";
    const auto scaled = s.apply("n", scale + R"("spec":{"replicas":2}})", "&force=true", deployments + "/d/scale");
    CHECK(scaled.at_pointer("/spec/replicas") == 2);
    CHECK(s.try_apply("n", deployments + "/d/scale", scale + R"("metadata":{"name":"e"},"spec":{"replicas":2}})")
              .status == 400);
}

TEST_CASE("apply: a version in the configuration is a condition", "[apiserver][apply]")
{
    applier s;
    const auto made = s.apply("m", config(R"({"a":"1"})", R"(,"resourceVersion":"7")")); // of a new object: ignored
    const auto version = std::string(made.at_pointer("/metadata/resourceVersion").as_string());
    CHECK(s.refused(409, "m", config(R"({"a":"2"})", R"(,"resourceVersion":"1")")).ends_with("try again"));
    s.apply("m", config(R"({"a":"2"})", R"(,"resourceVersion":")" + version + "\""));
}

TEST_CASE("apply: dry run and YAML", "[apiserver][apply]")
{
    applier s;
    CHECK(s.apply("m", config(R"({"a":"1"})"), "&dryRun=All").at_pointer("/data/a") == "1");
    s.expect(404, "GET", maps + "/m");
    s.apply("m", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  a: x\n");
    s.apply("m", config(R"({"a":"2"})"), "&dryRun=All");
    CHECK(s.get_map().at_pointer("/data/a") == "x");
}

TEST_CASE("managed fields: every write records its manager", "[apiserver][apply]")
{
    applier s;
    const server::headers as_prog{{"User-Agent", "prog/1.0"}};
    const auto made = s.expect(201, "POST", maps, config(R"({"a":"1"})", R"(,"labels":{"l":"1"})"), as_prog);
    CHECK(owners(made) == "prog Update {\"f:data\":{\".\":{},\"f:a\":{}},\"f:metadata\":{\"f:labels\":{\".\":{},"
                          "\"f:l\":{}}}}\n");
    const auto patched = s.expect(200, "PATCH", maps + "/m?fieldManager=patcher", R"({"data":{"a":"2","b":"1"}})",
                                  {{"Content-Type", std::string(merge_type)}});
    CHECK(owners(patched) == "patcher Update {\"f:data\":{\"f:a\":{},\"f:b\":{}}}\n"
                             "prog Update {\"f:data\":{},\"f:metadata\":{\"f:labels\":{\".\":{},\"f:l\":{}}}}\n");
    s.now += std::chrono::seconds{5};
    const auto again = s.expect(200, "PATCH", maps + "/m?fieldManager=other", R"({"data":{"a":"2"}})",
                                {{"Content-Type", std::string(merge_type)}});
    CHECK(again == patched);
    const auto removed = s.expect(200, "PATCH", maps + "/m?fieldManager=other", R"({"metadata":{"labels":null}})",
                                  {{"Content-Type", std::string(merge_type)}});
    CHECK(owners(removed) == "patcher Update {\"f:data\":{\"f:a\":{},\"f:b\":{}}}\nprog Update {\"f:data\":{}}\n");
    CHECK(s.patch(maps + "/m", R"([{"op":"add","path":"/data/j","value":"1"}])", "application/json-patch+json")
              .at_pointer("/metadata/managedFields/2/manager") == "unknown");
}

TEST_CASE("managed fields: a new built-in object differs from an empty one of its type", "[apiserver][apply]")
{
    applier s;
    const auto made =
        s.expect(201, "POST", deployments + "?fieldManager=maker",
                 R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
                 R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    CHECK(
        owners(made) ==
        R"(maker Update {"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},)"
        R"("f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},)"
        R"("f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":)"
        R"({".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},"f:terminationMessagePath":{},)"
        R"("f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},)"
        R"("f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}})"
        "\n");
}

TEST_CASE("managed fields: subresources have owners of their own", "[apiserver][apply]")
{
    applier s;
    const std::string d =
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":1,"selector":)"
        R"({"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":)"
        R"([{"name":"c","image":"i"}]}}},"status":{"replicas":7}})";
    const auto made = s.apply("m", d, {}, deployments + "/d");
    CHECK(owners(made).find("f:status") == std::string::npos);
    CHECK_FALSE(made.at("status").as_object().contains("replicas"));
    s.expect(200, "PATCH", deployments + "/d/scale?fieldManager=scaler", R"({"spec":{"replicas":3}})",
             {{"Content-Type", std::string(merge_type)}});
    const auto status = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","labels":{"x":"y"}},)"
                        R"("spec":{"replicas":9},"status":{"replicas":3}})";
    const auto after = s.apply("control", status, {}, deployments + "/d/status");
    CHECK(after.at_pointer("/spec/replicas") == 3);
    CHECK(after.at_pointer("/status/replicas") == 3);
    CHECK(owners(after).find("control Apply of status {\"f:status\":{\"f:replicas\":{}}}") != std::string::npos);
    CHECK(owners(after).find("scaler Update of scale {\"f:spec\":{\"f:replicas\":{}}}") != std::string::npos);
    const auto r = s.try_apply("m", deployments + "/d", d);
    CHECK(
        json::parse(r.body).at("message") ==
        R"(Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas)");
    CHECK(s.try_apply("m", deployments + "/none/status", status).status == 404);
}

TEST_CASE("managed fields: a Scale that is applied owns the replicas", "[apiserver][apply]")
{
    applier s;
    s.apply("m",
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":)"
            R"({"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":)"
            R"([{"name":"c","image":"i"}]}}}})",
            {}, deployments + "/d");
    const auto scale = [](const std::string& spec) {
        return R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},"spec":)" + spec + "}";
    };
    const auto seen = [&] {
        const auto now = s.expect(200, "GET", deployments + "/d");
        for (const auto& entry : now.at_pointer("/metadata/managedFields").as_array())
            if (entry.as_object().contains("subresource")) CHECK_FALSE(entry.as_object().contains("time"));
        return json::serialize(now.at_pointer("/spec/replicas")) + " " + owners(now);
    };
    const auto refused = s.try_apply("two", deployments + "/d/scale", scale(R"({"replicas":5})"));
    CHECK(json::parse(refused.body).at("message") ==
          R"(Apply failed with 1 conflict: conflict with "before-first-apply" with subresource "scale" using )"
          "autoscaling/v1: .spec.replicas");
    CHECK(s.try_apply("two", deployments + "/d/scale", scale(R"({"replicas":1})")).status == 200);
    CHECK(seen().find(R"(two Apply of scale {"f:spec":{"f:replicas":{}}})") != std::string::npos);
    CHECK(s.try_apply("two", deployments + "/d/scale", scale(R"({"replicas":5})"), "&force=true").status == 200);
    CHECK(seen().starts_with("5 "));
    CHECK(seen().find("before-first-apply") == std::string::npos);
    // An empty spec is a field of its own: the manager applies something, and the replicas stay its own.
    CHECK(s.try_apply("two", deployments + "/d/scale", scale("{}")).status == 200);
    CHECK(seen().starts_with("0 "));
    CHECK(seen().find(R"(two Apply of scale {"f:spec":{"f:replicas":{}}})") != std::string::npos);
}

TEST_CASE("managed fields: an update states them, resets them, or leaves them", "[apiserver][apply]")
{
    applier s;
    s.apply("m", config(R"({"a":"1"})"));
    auto object = s.get_map();
    object.at("metadata").as_object()["managedFields"].as_array()[0].as_object()["manager"] = "renamed";
    CHECK(owners(s.expect(200, "PUT", maps + "/m", json::serialize(object))) ==
          "renamed Apply {\"f:data\":{\"f:a\":{}}}\n");
    object.at("metadata").as_object()["managedFields"] = {{{"manager", "x"}, {"operation", "Wrong"}}};
    object.at("metadata").as_object().erase("resourceVersion");
    CHECK(owners(s.expect(200, "PUT", maps + "/m", json::serialize(object))).starts_with("renamed Apply"));
    const auto merge = [&](std::string_view patch) { return s.patch(maps + "/m", std::string(patch)); };
    CHECK(owners(merge(R"({"metadata":{"managedFields":null}})")).starts_with("renamed Apply"));
    CHECK(owners(merge(R"({"metadata":{"managedFields":[{}]}})")).empty());
    // Nobody is recorded until the next apply, which knows only that there was something before.
    CHECK(owners(merge(R"({"data":{"b":"2"}})")).empty());
    CHECK(owners(s.apply("m", config(R"({"c":"1"})"))) ==
          "m Apply {\"f:data\":{\"f:c\":{}}}\n"
          "before-first-apply Update {\"f:data\":{\".\":{},\"f:a\":{},\"f:b\":{}}}\n");
    CHECK(owners(merge(R"({"metadata":{"managedFields":[]}})")).empty());
}

TEST_CASE("managed fields: the oldest of more than ten updates become one", "[apiserver][apply]")
{
    applier s;
    s.expect(201, "POST", maps + "?fieldManager=maker", config(R"({"a":"1"})"));
    for (int i = 0; i < 14; ++i) {
        s.now += std::chrono::seconds{1};
        s.expect(200, "PATCH", maps + "/m?fieldManager=u" + std::to_string(i),
                 R"({"data":{"k)" + std::to_string(i) + R"(":"1"}})", {{"Content-Type", std::string(merge_type)}});
    }
    const auto all = s.get_map().at_pointer("/metadata/managedFields").as_array();
    CHECK(all.size() == 10);
    CHECK(all[0].at("manager") == "ancient-changes");
    CHECK(json::serialize(all[0].at("fieldsV1")) ==
          R"({"f:data":{".":{},"f:a":{},"f:k0":{},"f:k1":{},"f:k2":{},"f:k3":{},"f:k4":{}}})");
    CHECK(all[9].at("manager") == "u13");
}

TEST_CASE("apply: kubectl takes over what it set by client-side apply", "[apiserver][apply]")
{
    applier s;
    const std::string annotation = "kubectl.kubernetes.io/last-applied-configuration";
    json::value made = json::parse(config(R"({"a":"1","b":"1"})"));
    made.at("metadata").as_object()["annotations"] = {{annotation, config(R"({"a":"1","b":"1"})")}};
    s.expect(201, "POST", maps + "?fieldManager=kubectl-client-side-apply", json::serialize(made));
    CHECK(s.refused(409, "else", config(R"({"a":"2"})")).find("kubectl-client-side-apply") != std::string::npos);
    const auto taken = s.apply("kubectl", config(R"({"a":"2","b":"1"})"));
    CHECK(taken.at_pointer("/data/a") == "2");
    CHECK(std::string(taken.at_pointer("/metadata/annotations").at(annotation).as_string()) ==
          R"({"apiVersion":"v1","data":{"a":"2","b":"1"},"kind":"ConfigMap","metadata":{"name":"m"}})"
          "\n");
    s.patch(maps + "/m", R"({"data":{"a":"3"}})");
    s.refused(409, "kubectl", config(R"({"a":"4","b":"1"})"));
}

TEST_CASE("apply: lists of ten thousand items", "[apiserver][apply]")
{
    applier s;
    const auto owned = [](int from, int to) {
        std::string list;
        for (int i = from; i < to; ++i) {
            const auto n = std::to_string(i);
            list += (list.empty() ? "" : ",") + (R"({"apiVersion":"v1","kind":"K","name":"n","uid":"u)" + n + "\"}");
        }
        return config("{}", R"(,"ownerReferences":[)" + list + "]");
    };
    const auto r = s.apply("m", owned(0, 9'000));
    CHECK(r.at_pointer("/metadata/ownerReferences").as_array().size() == 9'000);
    const auto moved = s.apply("m", owned(1'000, 9'500));
    CHECK(moved.at_pointer("/metadata/ownerReferences").as_array().size() == 8'500);
}

TEST_CASE("apply: the owners of fields count towards the size of an object", "[apiserver][apply]")
{
    applier s;
    std::string data;
    for (int i = 0; i < 5'000; ++i)
        data += (data.empty() ? "" : ",") + ("\"" + std::string(40, 'k') + std::to_string(i) + R"(":"v")");
    int refused = 0;
    for (int i = 0; i < 12; ++i)
        if (s.try_apply("m" + std::to_string(i), maps + "/m", config("{" + data + "}")).status == 500) ++refused;
    CHECK(refused > 0);
    CHECK(refused < 12);
}

TEST_CASE("apply: custom resources by their schemas", "[apiserver][apply]")
{
    applier s;
    s.expect(
        201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        R"({"metadata":{"name":"things.k.io"},"spec":{"group":"k.io","scope":"Namespaced","names":{"plural":"things",)"
        R"("kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
        R"({"type":"object","properties":{"spec":{"type":"object","properties":{"n":{"type":"integer"},"items":)"
        R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id"],"items":{"type":)"
        R"("object","required":["id"],"properties":{"id":{"type":"string"},"v":{"type":"string"}}}}}}}}}}]}})");
    const std::string at = "/apis/k.io/v1/namespaces/default/things/t";
    const auto thing = [](const std::string& spec) {
        return R"({"apiVersion":"k.io/v1","kind":"Thing","metadata":{"name":"t"},"spec":)" + spec + "}";
    };
    s.apply("one", thing(R"({"items":[{"id":"a","v":"1"}]})"), {}, at);
    const auto both = s.apply("two", thing(R"({"items":[{"id":"b","v":"2"}]})"), {}, at);
    CHECK(json::serialize(both.at_pointer("/spec/items")) == R"([{"id":"a","v":"1"},{"id":"b","v":"2"}])");
    const auto made = s.expect(201, "POST", "/apis/k.io/v1/namespaces/default/things?fieldManager=c",
                               R"({"apiVersion":"k.io/v1","kind":"Thing","metadata":{"name":"u"},"spec":{"n":1}})");
    CHECK(owners(made) == "c Update {\"f:spec\":{\".\":{},\"f:n\":{}}}\n");
    const auto one_left = s.apply("one", thing(R"({})"), {}, at);
    CHECK(json::serialize(one_left.at_pointer("/spec/items")) == R"([{"id":"b","v":"2"}])");
    const auto none_left = s.apply("two", thing(R"({"n":1})"), {}, at);
    CHECK(json::serialize(none_left.at("spec")) == R"({"n":1})");
    // A kube-apiserver leaves null where all members of a stated object are gone, which the schema does not allow.
    CHECK(json::parse(s.try_apply("two", at, thing("{}")).body).at("message") ==
          R"(Thing.k.io "t" is invalid: spec: Invalid value: "null": spec in body must be of type object: "null")");
    CHECK(s.try_apply("two", at, thing(R"({"bogus":1})")).body.find(".spec.bogus: field not declared in schema") !=
          std::string::npos);
}
