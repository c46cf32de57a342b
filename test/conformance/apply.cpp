// Conformance cases: server-side apply, the owners of fields.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace {

namespace json = boost::json;

constexpr std::string_view apply_type = "application/apply-patch+yaml";
constexpr std::string_view merge_type = "application/merge-patch+json";

struct reply
{
    int status;
    json::value body;
};

reply send(cluster_under_test& c, std::string method, std::string target, std::string_view type, std::string body)
{
    const auto answered = c.send(std::move(method), std::move(target), type, std::move(body)).value();
    return {answered.head.status, json::parse(answered.body)};
}

/// The owners of an object without times: "manager operation fields", in the order of their text.
std::vector<std::string> owners(const json::value& object)
{
    std::vector<std::string> out;
    const auto* all = object.at("metadata").as_object().if_contains("managedFields");
    if (!all) return out;
    for (const auto& each : all->as_array()) {
        std::string one(each.at("manager").as_string());
        one += " " + std::string(each.at("operation").as_string());
        if (const auto* part = each.as_object().if_contains("subresource"))
            one += " of " + std::string(part->as_string());
        out.push_back(one + " " + json::serialize(each.at("fieldsV1")));
    }
    std::sort(out.begin(), out.end());
    return out;
}

using lines = std::vector<std::string>;

std::string message_of(const reply& r) { return std::string(r.body.at("message").as_string()); }

struct map_case
{
    cluster_under_test c;
    std::string collection = "/api/v1/namespaces/" + c.ns() + "/configmaps";

    reply apply(const std::string& manager, const std::string& data, const std::string& query = {})
    {
        return send(c, "PATCH", collection + "/m?fieldManager=" + manager + query, apply_type,
                    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":)" + data + "}");
    }
    reply merge(const std::string& manager, const std::string& patch)
    {
        return send(c, "PATCH", collection + "/m?fieldManager=" + manager, merge_type, patch);
    }
};

} // namespace

TEST_CASE("apply creates, changes, and removes what is applied no longer", "[conformance][apply]")
{
    map_case m;
    const auto created = m.apply("one", R"({"a":"1","b":"2"})");
    CHECK(created.status == 201);
    CHECK(owners(created.body) == lines{R"(one Apply {"f:data":{"f:a":{},"f:b":{}}})"});
    const auto same = m.apply("one", R"({"a":"1","b":"2"})");
    CHECK(same.status == 200);
    CHECK(same.body == created.body);
    const auto less = m.apply("one", R"({"a":"3"})");
    CHECK(json::serialize(less.body.at("data")) == R"({"a":"3"})");
    CHECK(owners(less.body) == lines{R"(one Apply {"f:data":{"f:a":{}}})"});
    CHECK(m.apply("one", R"({"a":"4"})", "&dryRun=All").body.at_pointer("/data/a") == "4");
    CHECK(m.apply("two", R"({"a":"3"})").body.at_pointer("/data/a") == "3");
}

TEST_CASE("apply conflicts with the owners of other values", "[conformance][apply]")
{
    map_case m;
    m.apply("one", R"({"a":"1","b":"2"})");
    m.merge("patcher", R"({"data":{"c":"3"}})");
    const auto single = m.apply("two", R"({"c":"9"})");
    CHECK(single.status == 409);
    CHECK(message_of(single) == R"(Apply failed with 1 conflict: conflict with "patcher" using v1: .data.c)");
    const auto several = m.apply("two", R"({"a":"9","b":"9","c":"9"})");
    CHECK(message_of(several) == "Apply failed with 3 conflicts: conflicts with \"one\":\n- .data.a\n- .data.b\n"
                                 "conflicts with \"patcher\" using v1:\n- .data.c");
    CHECK(several.body.at_pointer("/details/causes").as_array().size() == 3);
    CHECK(several.body.at_pointer("/details/causes/0/reason") == "FieldManagerConflict");
    const auto forced = m.apply("two", R"({"a":"9","c":"3"})", "&force=true");
    CHECK(forced.status == 200);
    CHECK(owners(forced.body) == lines{R"(one Apply {"f:data":{"f:b":{}}})", R"(patcher Update {"f:data":{"f:c":{}}})",
                                       R"(two Apply {"f:data":{"f:a":{},"f:c":{}}})"});
}

TEST_CASE("updates and patches record their managers", "[conformance][apply]")
{
    map_case m;
    const auto made = send(m.c, "POST", m.collection + "?fieldManager=maker", "application/json",
                           config_map("m", "1", R"(,"labels":{"l":"1"})"));
    CHECK(owners(made.body) ==
          lines{R"(maker Update {"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:l":{}}}})"});
    const auto patched = m.merge("patcher", R"({"metadata":{"labels":null},"data":{"k":"2","n":"3"}})");
    CHECK(owners(patched.body) ==
          lines{R"(maker Update {"f:data":{}})", R"(patcher Update {"f:data":{"f:k":{},"f:n":{}}})"});
    CHECK(m.merge("else", R"({"data":{"k":"2"}})").body == patched.body);
    CHECK(owners(m.merge("else", R"({"metadata":{"managedFields":[{}]}})").body).empty());
    CHECK(owners(m.apply("one", R"({"x":"1"})").body) ==
          lines{R"(before-first-apply Update {"f:data":{".":{},"f:k":{},"f:n":{}}})",
                R"(one Apply {"f:data":{"f:x":{}}})"});
}

TEST_CASE("lists of a deployment are merged by their keys", "[conformance][apply]")
{
    cluster_under_test c;
    const auto target = "/apis/apps/v1/namespaces/" + c.ns() + "/deployments/d";
    const auto apply = [&](const std::string& manager, const std::string& spec) {
        return send(c, "PATCH", target + "?fieldManager=" + manager, apply_type,
                    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":)" + spec + "}");
    };
    const auto containers = [](const std::string& list, const std::string& more = {}) {
        return R"({"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)" +
               list + "]}}" + more + "}";
    };
    CHECK(apply("one", containers(R"({"name":"x","image":"1","ports":[{"containerPort":80}]})", R"(,"replicas":1)"))
              .status == 201);
    const auto both =
        apply("two", containers(R"({"name":"y","image":"2"},{"name":"x","env":[{"name":"E","value":"v"}]})"));
    REQUIRE(both.status == 200);
    const auto& list = both.body.at_pointer("/spec/template/spec/containers").as_array();
    REQUIRE(list.size() == 2);
    CHECK(list[0].at("name") == "y");
    CHECK(list[1].at("image") == "1");
    CHECK(list[1].at_pointer("/env/0/value") == "v");
    CHECK(owners(both.body)[0] ==
          R"(one Apply {"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:a":{}}},)"
          R"("f:spec":{"f:containers":{"k:{\"name\":\"x\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{)"
          R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}}}})");
    CHECK(send(c, "PATCH", target + "/scale?fieldManager=scaler", merge_type, R"({"spec":{"replicas":3}})").status ==
          200);
    CHECK(
        message_of(apply("one", containers(R"({"name":"x","image":"1"})", R"(,"replicas":1)"))) ==
        R"(Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas)");
    const auto twice = apply("one", containers(R"({"name":"x","image":"1"},{"name":"x","image":"2"})"));
    CHECK(twice.status == 500);
    CHECK(message_of(twice) == "failed to create typed patch object (/d; apps/v1, Kind=Deployment): "
                               ".spec.template.spec.containers: duplicate entries for key [name=\"x\"]");
}

TEST_CASE("a Scale is applied, and owns the replicas of its object", "[conformance][apply]")
{
    cluster_under_test c;
    const auto target = "/apis/apps/v1/namespaces/" + c.ns() + "/deployments/d";
    const auto create = [&](const std::string& more) {
        return send(c, "PATCH", target + "?fieldManager=one", apply_type,
                    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{)"
                    R"("matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)"
                    R"({"name":"c","image":"i"}]}})" +
                        more + "}}");
    };
    const auto apply = [&](const std::string& query, const std::string& spec, const std::string& metadata = {}) {
        return send(c, "PATCH", target + "/scale?fieldManager=" + query, apply_type,
                    R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d")" + metadata +
                        R"(},"spec":)" + spec + "}");
    };
    /// The owners of the replicas, as "manager operation version subresource".
    const auto replicas = [&] {
        const auto now = c.run(c.api().get(untyped::deployment::resource(), c.ns(), "d")).value();
        std::string out = std::to_string(now["spec"]["replicas"].as_int64());
        for (const auto entry : now.metadata()["managedFields"].items()) {
            if (!entry["fieldsV1"]["f:spec"]["f:replicas"]) continue;
            for (const auto* part : {"manager", "operation", "apiVersion", "subresource"})
                out += (*part == 'm' ? "; " : " ") + std::string(entry[part].as_string());
            if (entry["subresource"] && entry["time"]) out += " with a time";
        }
        return out;
    };
    // Nobody owns the default, so that it counts as an update before the first apply.
    REQUIRE(create("").status == 201);
    CHECK(message_of(apply("two", R"({"replicas":5})")) ==
          R"(Apply failed with 1 conflict: conflict with "before-first-apply" with subresource "scale" using )"
          "autoscaling/v1: .spec.replicas");
    const auto same = apply("two", R"({"replicas":1})");
    CHECK(same.status == 200);
    CHECK(same.body.at("kind") == "Scale");
    CHECK_FALSE(same.body.at("metadata").as_object().contains("managedFields"));
    CHECK(replicas() == "1; two Apply apps/v1 scale; before-first-apply Update apps/v1 scale");
    // The object's manager shares them, and loses them by force.
    CHECK(create(R"(,"replicas":1)").status == 200);
    CHECK(
        message_of(apply("three", R"({"replicas":5})")) ==
        R"(Apply failed with 3 conflicts: conflicts with "before-first-apply" with subresource "scale" using autoscaling/v1:)"
        "\n- .spec.replicas\nconflicts with \"one\":\n- .spec.replicas\nconflicts with \"two\" with subresource "
        "\"scale\":\n- .spec.replicas");
    CHECK(apply("three&force=true", R"({"replicas":5})").body.at_pointer("/spec/replicas") == 5);
    CHECK(replicas() == "5; three Apply apps/v1 scale");
    CHECK(apply("three", R"({"replicas":6})").status == 200);
    CHECK(message_of(create(R"(,"replicas":1)")) ==
          R"(Apply failed with 1 conflict: conflict with "three" with subresource "scale": .spec.replicas)");
    CHECK(send(c, "PATCH", target + "/scale?fieldManager=up", merge_type, R"({"spec":{"replicas":7}})").status == 200);
    CHECK(replicas() == "7; up Update apps/v1 scale");
    CHECK(message_of(apply("three", R"({"replicas":8})")) ==
          R"(Apply failed with 1 conflict: conflict with "up" with subresource "scale" using autoscaling/v1: )"
          ".spec.replicas");
    CHECK(apply("three&force=true&dryRun=All", R"({"replicas":8})").body.at_pointer("/spec/replicas") == 8);
    CHECK(replicas() == "7; up Update apps/v1 scale");
    // A manager that states no replicas any more gives them back.
    CHECK(apply("three&force=true", R"({"replicas":8})").status == 200);
    CHECK(apply("three", "null").body.at("spec").as_object().empty());
    CHECK(replicas().starts_with("0"));
}

TEST_CASE("bad applies of a Scale are refused", "[conformance][apply]")
{
    cluster_under_test c;
    const auto target = "/apis/apps/v1/namespaces/" + c.ns() + "/deployments/";
    REQUIRE(
        send(c, "PATCH", target + "d?fieldManager=one", apply_type,
             R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":1,"selector":{)"
             R"("matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)"
             R"({"name":"c","image":"i"}]}}}})")
            .status == 201);
    const auto refused = [&](const std::string& body, const std::string& name = "d",
                             const std::string& query = "?fieldManager=two&force=true") {
        const auto r = send(c, "PATCH", target + name + "/scale" + query, apply_type, body);
        return std::to_string(r.status) + " " + message_of(r);
    };
    const auto scale = [](const std::string& metadata, const std::string& spec, const std::string& version = "v1") {
        return R"({"apiVersion":"autoscaling/)" + version + R"(","kind":"Scale","metadata":)" + metadata +
               R"(,"spec":)" + spec + "}";
    };
    CHECK(refused(scale(R"({"name":"d"})", "{}"), "d", "") ==
          R"(422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch)");
    CHECK(refused(scale(R"({"name":"e"})", "{}")) ==
          "400 the name of the object (e) does not match the name on the URL (d)");
    CHECK(refused(scale(R"({"name":"d"})", "{}", "v2")) == "400 invalid object type: autoscaling/v2, Kind=Scale");
    CHECK(
        refused(scale(R"({"name":"d"})", R"({"bogus":1})")) ==
        "500 failed to create typed patch object (/d; autoscaling/v1, Kind=Scale): .spec.bogus: field not declared in "
        "schema");
    CHECK(
        refused(scale(R"({"name":"d"})", R"({"replicas":-1})")) ==
        R"(422 Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0)");
    CHECK(refused(scale(R"({"name":"d","uid":"x"})", R"({"replicas":2})"))
              .starts_with(
                  R"(409 Operation cannot be fulfilled on deployments/scale.apps "d": Precondition failed: UID in )"
                  "precondition: x, UID in object meta: "));
    CHECK(
        refused(scale(R"({"name":"d","resourceVersion":"1"})", R"({"replicas":2})")) ==
        R"(409 Operation cannot be fulfilled on deployments.apps "d": the object has been modified; please apply your )"
        "changes to the latest version and try again");
    CHECK(refused(scale(R"({"name":"e"})", "{}"), "e") == R"(404 deployments.apps "e" not found)");
}

TEST_CASE("bad applies are refused", "[conformance][apply]")
{
    map_case m;
    const auto refused = [&](const std::string& query, const std::string& body) {
        const auto r = send(m.c, "PATCH", m.collection + "/m" + query, apply_type, body);
        return std::to_string(r.status) + " " + message_of(r);
    };
    CHECK(refused("", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}})") ==
          R"(422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch)");
    CHECK(refused("?fieldManager=x", R"({"apiVersion":"v1","kind":"ConfigMap"})") ==
          "400 the name of the object (m based on URL) was undeterminable: name must be provided");
    CHECK(refused("?fieldManager=x",
                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","managedFields":[]}})") ==
          "400 metadata.managedFields must be nil");
    CHECK(refused("?fieldManager=x", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"m"}})") ==
          "400 invalid object type: /v1, Kind=Secret");
    // A kube-apiserver reports one of several problems, or all.
    CHECK(refused("?fieldManager=x",
                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":1}})") ==
          "500 failed to create typed patch object (/m; /v1, Kind=ConfigMap): .data.a: expected string, got "
          "&value.valueUnstructured{Value:1}");
    CHECK(refused("?fieldManager=x", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"no":1})") ==
          "500 failed to create typed patch object (/m; /v1, Kind=ConfigMap): .no: field not declared in schema");
}
