// Conformance cases: changes of definitions, and the order of their versions.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <array>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

std::string version(const std::string& name, bool storage, const std::string& more = {})
{
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":)"
           R"({"color":{"type":"string"},"size":{"type":"integer"}}}}}})" +
           more + "}";
}

/// Definitions of things in a group that no other run uses.
struct things
{
    explicit things(cluster_under_test& cluster) : c(cluster), group(c.unique("d") + ".example.com") {}
    ~things() { [[maybe_unused]] const auto removed = c.run(crds.remove(name())); }

    [[nodiscard]] std::string name() const { return "things." + group; }
    [[nodiscard]] result<object> create(const std::string& versions)
    {
        return c.run(crds.create(
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" +
            name() + R"("},"spec":{"group":")" + group +
            R"(","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[)" + versions + "]}}"));
    }
    [[nodiscard]] result<object> change(const std::string& versions)
    {
        return c.run(crds.patch(name(), patch_kind::merge, R"({"spec":{"versions":[)" + versions + "]}}"));
    }
    /// The body of a GET once `wanted` is true for it: a definition is served shortly after it was written.
    template<class Wanted>
    std::string get_until(const std::string& target, Wanted wanted)
    {
        std::string body;
        const bool came = test::eventually([&] {
            request r;
            r.method = "GET";
            r.target = target;
            const auto got = c.run(c.api().raw(std::move(r)));
            if (got) body = got->body;
            return got && wanted(*got);
        });
        INFO(target << ": " << body);
        CHECK(came);
        return body;
    }

    cluster_under_test& c;
    std::string group;
    resource_client<object> crds = c.api().resource(untyped::custom_resource_definition::resource(), {});
};

std::string only_problem(const result<object>& refused)
{
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().status());
    CHECK(refused.error().status()->code == 422);
    REQUIRE(refused.error().status()->causes.size() == 1);
    const auto& cause = refused.error().status()->causes.front();
    return cause.field + ": " + cause.message;
}

} // namespace

TEST_CASE("definitions: versions are discovered in the order of their priority", "[conformance][crd]")
{
    cluster_under_test c;
    things t{c};
    REQUIRE(t.create(version("v1beta1", true) + "," + version("v1", false) + "," + version("other", false) + "," +
                     version("v2alpha1", false) + "," + version("v2", false)));
    const auto body = t.get_until("/apis/" + t.group, [](const auto& got) {
        // A kube-apiserver adds them one by one.
        return std::ranges::all_of(
            std::array{"v1beta1", "v1", "other", "v2alpha1", "v2"},
            [&](const std::string& name) { return got.body.find(R"("version":")" + name + '"') != std::string::npos; });
    });
    const auto group = json::parse(body);
    CHECK(std::string(group.at_pointer("/preferredVersion/version").as_string()) == "v2");
    std::string names;
    for (const auto& v : group.at("versions").as_array()) names += std::string(v.at("version").as_string()) + " ";
    CHECK(names == "v2 v1 v1beta1 v2alpha1 other ");
}

TEST_CASE("definitions: a version in which objects may be stored cannot go", "[conformance][crd]")
{
    cluster_under_test c;
    things t{c};
    REQUIRE(t.create(version("v1", true)));
    const auto stored = [](const object& crd) { return json::serialize(crd.path("status.storedVersions").to_json()); };
    const auto changed = test::eventually([&] {
        const auto now = t.change(version("v1", false) + "," + version("v2", true));
        return now && stored(*now) == R"(["v1","v2"])";
    });
    CHECK(changed);
    CHECK(only_problem(t.change(version("v2", true)))
              .starts_with("status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was "
                           "previously a storage version"));
    const auto migrated =
        c.run(t.crds.patch(t.name(), patch_kind::merge, R"({"status":{"storedVersions":["v2"]}})", {}, "status"));
    REQUIRE(migrated);
    CHECK(stored(*migrated) == R"(["v2"])");
    const auto dropped = t.change(version("v2", true));
    REQUIRE(dropped);
    CHECK(stored(*dropped) == R"(["v2"])");
}

TEST_CASE("definitions: the paths of a scale", "[conformance][crd]")
{
    cluster_under_test c;
    things t{c};
    const auto scale = [](const std::string& paths) { return R"(,"subresources":{"scale":{)" + paths + "}}"; };
    const std::string spec = R"("specReplicasPath":".spec.size")", status = R"("statusReplicasPath":".status.size")";
    const std::string at = "spec.subresources.scale.";
    CHECK(only_problem(t.create(version("v1", true, scale(R"("specReplicasPath":"",)" + status)))) ==
          at + "specReplicasPath: Required value");
    CHECK(only_problem(t.create(version("v1", true, scale(R"("specReplicasPath":".status.size",)" + status)))) ==
          at + "specReplicasPath: Invalid value: \".status.size\": should be a json path under .spec");
    CHECK(only_problem(t.create(version("v1", true, scale(spec + R"(,"statusReplicasPath":"status.size")")))) ==
          at + "statusReplicasPath: Invalid value: \"status.size\": must be a simple json path starting with .");
    CHECK(only_problem(t.create(version("v1", true, scale(spec + "," + status + R"(,"labelSelectorPath":".x")")))) ==
          at + "labelSelectorPath: Invalid value: \".x\": should be a json path under either .spec or .status");
}

TEST_CASE("definitions: selectable fields are those of one version or of all, as its schema is", "[conformance][crd]")
{
    cluster_under_test c;
    things t{c};
    const std::string color = R"(,"selectableFields":[{"jsonPath":".spec.color"}])";
    const auto first = version("v1", true, color);
    CHECK(only_problem(t.create(first + "," + version("v2", false))) ==
          "spec.versions[0].selectableFields: Invalid value: \"\": may only be set when "
          "`version.schema.openAPIV3Schema` is not included");
    auto other = version("v2", false, color);
    other.replace(other.find("integer"), 7, "number");
    CHECK(only_problem(t.create(first + "," + other)) ==
          "spec.selectableFields: Invalid value: \"\": may only be set when validations.schema is included");
    CHECK(t.create(first + "," + version("v2", false, color)));
}

TEST_CASE("definitions: objects from before are selected by fields that were added", "[conformance][crd]")
{
    cluster_under_test c;
    things t{c};
    const auto with = [](const std::string& fields) {
        return version("v1", true, R"(,"selectableFields":[)" + fields + "]");
    };
    const std::string color = R"({"jsonPath":".spec.color"})", size = R"({"jsonPath":".spec.size"})";
    REQUIRE(t.create(with(color)));
    const std::string all = "/apis/" + t.group + "/v1/namespaces/" + c.ns() + "/things";
    t.get_until(all, [](const auto& got) { return got.head.status == 200; });
    const auto objects = c.in_ns({t.group, "v1", "things", "Thing", true});
    for (const std::string name : {"a", "b"})
        REQUIRE(c.run(objects.create(R"({"apiVersion":")" + t.group + R"(/v1","kind":"Thing","metadata":{"name":")" +
                                     name + R"("},"spec":{"color":"red","size":)" + (name == "a" ? "1" : "2") + "}}")));
    REQUIRE(t.change(with(size + "," + color)));
    const auto body = t.get_until(all + "?fieldSelector=spec.size%3D2", [](const auto& got) {
        return got.head.status == 200 && got.body.find("\"b\"") != std::string::npos;
    });
    CHECK(json::parse(body).at("items").as_array().size() == 1);
    const auto red =
        t.get_until(all + "?fieldSelector=spec.color%3Dred", [](const auto& got) { return got.head.status == 200; });
    CHECK(json::parse(red).at("items").as_array().size() == 2);
}
