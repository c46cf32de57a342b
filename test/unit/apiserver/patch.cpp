// Tests of the patch formats through the server.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
constexpr std::string_view json_patch = "application/json-patch+json";
constexpr std::string_view strategic = "application/strategic-merge-patch+json";

std::string data_of(const json::value& v) { return json::serialize(v.at("data")); }

/// Formats the containers as "name=image name=image".
std::string images(const json::value& deployment)
{
    std::string out;
    for (const auto& c : deployment.at_pointer("/spec/template/spec/containers").as_array())
        out += (out.empty() ? "" : " ") + std::string(c.at("name").as_string()) + "=" +
               std::string(c.at("image").as_string());
    return out;
}

void add_deployment(server& s)
{
    s.expect(
        201, "POST", deployments,
        R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
        R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"web","image":"web:1","ports":[{"containerPort":80}],)"
        R"("env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"args":["x","y"]},)"
        R"({"name":"side","image":"side:1"}],"volumes":[{"name":"v","emptyDir":{}}]}}}})");
}

} // namespace

TEST_CASE("patch: json operations are applied in order or not at all", "[apiserver][patch]")
{
    server s;
    s.expect(201, "POST", maps, R"({"metadata":{"name":"m","labels":{"x/y":"1"}},"data":{"a":"1","b":"2"}})");
    const auto at = maps + "/m";
    CHECK(data_of(s.patch(at, R"([{"op":"add","path":"/data/c","value":"3"},{"op":"remove","path":"/data/a"}])",
                          json_patch)) == R"({"b":"2","c":"3"})");
    CHECK(data_of(s.patch(at,
                          R"([{"op":"move","from":"/data/b","path":"/data/d"},{"op":"copy","from":"/data/c",)"
                          R"("path":"/data/e"},{"op":"replace","path":"/data/c","value":"9"}])",
                          json_patch)) == R"({"c":"9","d":"2","e":"3"})");
    const auto labels = s.patch(at,
                                R"([{"op":"test","path":"/metadata/labels/x~1y","value":"1"},)"
                                R"({"op":"replace","path":"/metadata/labels/x~1y","value":"p"}])",
                                json_patch);
    CHECK(json::serialize(labels.at_pointer("/metadata/labels")) == R"({"x/y":"p"})");
    const auto version = s.state.resource_version();
    for (const auto* bad :
         {R"([{"op":"add","path":"/data/z","value":"1"},{"op":"test","path":"/data/c","value":"no"}])",
          R"([{"op":"remove","path":"/data/none"}])", R"([{"op":"replace","path":"/none/x","value":1}])",
          R"([{"op":"fly","path":"/data/c"}])", R"([{"op":"add","path":"data/c","value":"1"}])",
          R"([{"op":"move","path":"/data/q","from":"/none"}])", "[null]"})
        s.expect(422, "PATCH", at, bad, {{"Content-Type", std::string(json_patch)}});
    s.expect(400, "PATCH", at, R"([{"op":"remove","path":"/data/c"},7])", {{"Content-Type", std::string(json_patch)}});
    CHECK(s.state.resource_version() == version);
}

TEST_CASE("patch: json operations on lists", "[apiserver][patch]")
{
    server s;
    add_deployment(s);
    const auto at = deployments + "/d";
    const std::string list = "/spec/template/spec/containers";
    CHECK(images(s.patch(at,
                         R"([{"op":"add","path":")" + list + R"(/0","value":{"name":"first","image":"f"}},)" +
                             R"({"op":"add","path":")" + list + R"(/-","value":{"name":"last","image":"l"}}])",
                         json_patch)) == "first=f web=web:1 side=side:1 last=l");
    CHECK(images(s.patch(at, R"([{"op":"remove","path":")" + list + R"(/1"}])", json_patch)) ==
          "first=f side=side:1 last=l");
    s.expect(422, "PATCH", at, R"([{"op":"add","path":")" + list + R"(/9","value":{}}])",
             {{"Content-Type", std::string(json_patch)}});

    // Negative indices count from the end.
    const auto edit = [&](const std::string& operation, const std::string& index, const std::string& rest) {
        return R"({"op":")" + operation + R"(","path":")" + list + "/" + index + "\"" + rest + "}";
    };
    CHECK(images(s.patch(at,
                         "[" + edit("add", "-1", R"(,"value":{"name":"end","image":"e"})") + "," +
                             edit("add", "-2", R"(,"value":{"name":"before","image":"b"})") + "," +
                             edit("replace", "-1/image", R"(,"value":"n")") + "," + edit("remove", "-5", "") + "]",
                         json_patch)) == "side=side:1 last=l before=b end=n");
    for (const std::string bad : {"-5", "--1", "-x", "-99999999999999999999"})
        s.expect(422, "PATCH", at, "[" + edit("remove", bad, "") + "]", {{"Content-Type", std::string(json_patch)}});
}

TEST_CASE("patch: a member that an object lacks is null to json operations", "[apiserver][patch]")
{
    server s;
    s.expect(201, "POST", maps, R"({"metadata":{"name":"m"},"data":{"a":"1"}})");
    const auto at = maps + "/m";
    CHECK(data_of(s.patch(at,
                          R"([{"op":"test","path":"/data/b","value":null},{"op":"test","path":"/data/b"},)"
                          R"({"op":"replace","path":"/data/b","value":"2"}])",
                          json_patch)) == R"({"a":"1","b":"2"})");
    s.patch(at, R"([{"op":"copy","from":"/metadata/none","path":"/metadata/labels"}])", json_patch);
    for (const auto* bad :
         {R"([{"op":"test","path":"/data/b","value":null}])", R"([{"op":"test","path":"/data/c","value":""}])",
          R"([{"op":"test","path":"/none/c","value":null}])", R"([{"op":"test","path":"/data/a"}])",
          R"([{"op":"copy","from":"/none/c","path":"/data/c"}])",
          R"([{"op":"move","from":"/data/c","path":"/data/d"}])"})
        s.expect(422, "PATCH", at, bad, {{"Content-Type", std::string(json_patch)}});
}

TEST_CASE("patch: a json operation without a value has null", "[apiserver][patch]")
{
    server s;
    s.expect(201, "POST", maps, R"({"metadata":{"name":"m"},"data":{"a":"1"}})");
    CHECK(data_of(s.patch(maps + "/m",
                          R"([{"op":"add","path":"/data/b"},{"op":"replace","path":"/data/a"},)"
                          R"({"op":"test","path":"/data/b"}])",
                          json_patch)) == R"({"a":"","b":""})");
}

TEST_CASE("patch: json operations replace and test the whole object, and nothing else", "[apiserver][patch]")
{
    server s;
    s.expect(201, "POST", maps, R"({"metadata":{"name":"m"},"data":{"a":"1"}})");
    const auto at = maps + "/m";
    const auto whole = json::serialize(s.expect(200, "GET", at));
    s.patch(at,
            R"([{"op":"test","path":"","value":)" + whole + R"(},{"op":"replace","path":"","value":)" + whole + "}]",
            json_patch);
    for (const std::string& bad :
         {R"({"op":"add","path":"","value":)" + whole + "}", std::string(R"({"op":"remove","path":""})"),
          std::string(R"({"op":"copy","from":"","path":"/status"})"), std::string(R"({"op":"copy","path":"/status"})"),
          std::string(R"({"op":"copy","from":"/metadata","path":""})"),
          R"({"op":"replace","path":7,"value":)" + whole + "}"}) {
        INFO(bad);
        s.expect(422, "PATCH", at, "[" + bad + "]", {{"Content-Type", std::string(json_patch)}});
    }
    // A scalar fails at once, also when a later operation would mend it.
    s.expect(422, "PATCH", at,
             R"([{"op":"replace","path":"","value":7},{"op":"replace","path":"","value":)" + whole + "}]",
             {{"Content-Type", std::string(json_patch)}});
}

TEST_CASE("patch: merge replaces lists, removes members by null and creates objects", "[apiserver][patch]")
{
    server s;
    add_deployment(s);
    CHECK(images(s.patch(deployments + "/d",
                         R"({"spec":{"template":{"spec":{"containers":[{"name":"only","image":"o"}]}}}})")) ==
          "only=o");
    s.add_config_map("default", "m");
    CHECK(data_of(s.patch(maps + "/m", R"({"data":{"k":null,"n":"1"},"metadata":{"annotations":{"a":"b"}}})")) ==
          R"({"n":"1"})");
    CHECK(s.ask("PATCH", maps + "/m", R"({"metadata":{"uid":"zzz"}})", {{"Content-Type", std::string(merge_type)}})
              .status == 422);
    CHECK(s.ask("PATCH", maps + "/m", R"([])", {{"Content-Type", std::string(merge_type)}}).status == 400);
}

TEST_CASE("patch: strategic merge merges lists by their keys", "[apiserver][patch]")
{
    server s;
    add_deployment(s);
    const auto at = deployments + "/d";
    const auto patch = [&](const std::string& pod_spec) {
        return s.patch(at, R"({"spec":{"template":{"spec":)" + pod_spec + "}}}", strategic);
    };
    CHECK(images(patch(R"({"containers":[{"name":"side","image":"side:2"}]})")) == "web=web:1 side=side:2");
    CHECK(images(patch(R"({"containers":[{"name":"new","image":"n"}],"$setElementOrder/containers":)"
                       R"([{"name":"new"},{"name":"web"},{"name":"side"}]})")) == "new=n web=web:1 side=side:2");
    CHECK(images(patch(R"({"containers":[{"name":"side","$patch":"delete"}]})")) == "new=n web=web:1");
    const auto env = patch(R"({"containers":[{"name":"web","args":["z"],"env":[{"name":"B","value":"3"},)"
                           R"({"$patch":"delete","name":"A"}],"ports":[{"containerPort":81}]}]})");
    const auto& web = env.at_pointer("/spec/template/spec/containers/1");
    CHECK(json::serialize(web.at("env")) == R"([{"name":"B","value":"3"}])");
    CHECK(json::serialize(web.at("args")) == R"(["z"])");
    CHECK(web.at("ports").as_array().size() == 2);
    const auto volume =
        patch(R"({"volumes":[{"$retainKeys":["name","hostPath"],"name":"v","hostPath":{"path":"/x"}}]})");
    CHECK(json::serialize(volume.at_pointer("/spec/template/spec/volumes/0")) ==
          R"({"name":"v","hostPath":{"path":"/x","type":""}})");
    CHECK(images(patch(R"({"containers":[{"$patch":"replace"},{"name":"one","image":"1"}]})")) == "one=1");
}

TEST_CASE("patch: strategic merge treats finalizers as a set and deletes items by directive", "[apiserver][patch]")
{
    server s;
    s.add_config_map("default", "m", R"("finalizers":["example.com/a","example.com/b"])");
    const auto finalizers = [](const json::value& v) { return json::serialize(v.at_pointer("/metadata/finalizers")); };
    CHECK(finalizers(s.patch(maps + "/m", R"({"metadata":{"finalizers":["example.com/b","example.com/c"]}})",
                             strategic)) == R"(["example.com/a","example.com/b","example.com/c"])");
    CHECK(finalizers(s.patch(maps + "/m", R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/b"]}})",
                             strategic)) == R"(["example.com/a","example.com/c"])");
}

TEST_CASE("patch: unsupported and invalid patches are refused", "[apiserver][patch]")
{
    server s;
    s.add_config_map("default", "m");
    CHECK(s.ask("PATCH", maps + "/m", "{}", {{"Content-Type", "application/apply-patch+cbor"}}).status == 415);
    std::string many = "[";
    for (int i = 0; i < 10'001; ++i) many += std::string(i ? "," : "") + R"({"op":"test","path":"","value":1})";
    CHECK(s.ask("PATCH", maps + "/m", many + "]", {{"Content-Type", std::string(json_patch)}}).status == 413);
    CHECK(s.ask("PATCH", maps + "/m", R"([{"op":"replace","path":"","value":7}])",
                {{"Content-Type", std::string(json_patch)}})
              .status == 422);
}

TEST_CASE("patch: repeated copies and excessive nesting are refused", "[apiserver][patch]")
{
    server s;
    s.add_config_map("default", "m");
    std::string doubling = R"([{"op":"add","path":"/data/big","value":")" + std::string(1000, 'x') + "\"}";
    for (int i = 0; i < 64; ++i)
        doubling += R"(,{"op":"copy","from":"/data","path":"/data/c)" + std::to_string(i) + "\"}";
    s.expect(422, "PATCH", maps + "/m", doubling + "]", {{"Content-Type", std::string(json_patch)}});
    std::string nesting = R"([{"op":"add","path":"/spec","value":{}})";
    for (int i = 0; i < 5000; ++i) nesting += R"(,{"op":"copy","from":"/spec","path":"/spec/a"})";
    s.expect(422, "PATCH", maps + "/m", nesting + "]", {{"Content-Type", std::string(json_patch)}});
}

TEST_CASE("patch: changes of JSON types are refused", "[apiserver][patch]")
{
    server s;
    add_deployment(s);
    for (const auto* bad : {R"({"metadata":null})", R"({"metadata":{"labels":5}})",
                            R"({"metadata":{"finalizers":"x"}})", R"({"spec":{"selector":null}})", R"({"spec":7})",
                            R"({"kind":"Pod"})", R"({"metadata":{"ownerReferences":[1]}})"}) {
        INFO(bad);
        const auto r = s.ask("PATCH", deployments + "/d", bad, {{"Content-Type", std::string(merge_type)}});
        CHECK((r.status == 400 || r.status == 422));
    }
}
