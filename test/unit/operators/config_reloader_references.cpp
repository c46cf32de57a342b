// References of a workload.
#include "references.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/test/catch.hpp>

#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::config_reloader;

namespace {

std::string text_of(const std::string& pod)
{
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"web"},)"
           R"("spec":{"template":{"spec":)" +
           pod + "}}}";
}

object workload(const std::string& pod) { return object::parse(text_of(pod)).value(); }

result<std::vector<reference>> found_in(const object& o)
{
    const typed_object<apps_v1::deployment> d(o);
    return references_of(d->spec().template_().spec());
}

std::vector<std::string> shown(const std::vector<reference>& references)
{
    std::vector<std::string> out;
    for (const auto& r : references)
        out.push_back(std::string(to_string(r.kind)) + "/" + r.name + (r.optional ? " optional" : ""));
    return out;
}

std::string complaint(const std::string& pod)
{
    const auto found = found_in(workload(pod));
    return found ? std::string() : found.error().message();
}

using names = std::vector<std::string>;

constexpr auto everything = R"({
"volumes":[{"name":"a","configMap":{"name":"mounted","defaultMode":420}},{"name":"b","secret":{"secretName":"tls","optional":true}},
  {"name":"c","emptyDir":{}},{"name":"d","projected":{"sources":[{"configMap":{"name":"part"}},{"secret":{"name":"token"}},
  {"serviceAccountToken":{"path":"x"}}]}},{"name":"e","configMap":null}],
"initContainers":[{"name":"i","envFrom":[{"configMapRef":{"name":"before"}}]}],
"containers":[{"name":"m","image":"example.com/a","env":[{"name":"A","value":"1"},
  {"name":"B","valueFrom":{"configMapKeyRef":{"name":"keys","key":"b","optional":true}}},
  {"name":"C","valueFrom":{"secretKeyRef":{"name":"passwords","key":"c"}}},{"name":"D","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],
  "envFrom":[{"secretRef":{"name":"tls"}},{"prefix":"X_","configMapRef":{"name":"keys","optional":true}}]},
  {"name":"n"}],
"ephemeralContainers":[{"name":"e","envFrom":[{"configMapRef":{"name":"ephemeral"}}]}],
"imagePullSecrets":[{"name":"registry"}]})";

} // namespace

TEST_CASE("config-reloader: references are mounted objects and sources of environment variables, each once",
          "[references]")
{
    const auto found = found_in(workload(everything));
    REQUIRE(found);
    // tls is optional where it is mounted, but not as a source of the environment.
    CHECK(shown(*found) == names{"ConfigMap/before", "ConfigMap/keys optional", "ConfigMap/mounted", "ConfigMap/part",
                                 "Secret/passwords", "Secret/tls", "Secret/token"});
}

TEST_CASE("config-reloader: the decoded paths keep every reference", "[references]")
{
    decode_options options;
    options.prune.keep = reference_paths();
    const auto whole = workload(everything);
    const auto pruned = decode_object(text_of(everything), options);
    REQUIRE(pruned);
    CHECK(found_in(*pruned).value() == found_in(whole).value());
    CHECK_FALSE((*pruned)["spec"]["template"]["spec"]["imagePullSecrets"]);
    CHECK(pruned->bytes() < whole.bytes());
}

TEST_CASE("config-reloader: a workload without a template, or with an empty one, has no references", "[references]")
{
    for (const auto* pod :
         {"null", "{}", "7", R"({"volumes":null,"containers":[]})", R"({"containers":[{},null,{"env":null}]})"})
        CHECK(found_in(workload(pod)).value().empty());
    CHECK(found_in(object::parse(R"({"kind":"Deployment","metadata":{"name":"a"}})").value()).value().empty());
}

TEST_CASE("config-reloader: invalid references are reported by field", "[references]")
{
    CHECK(complaint(R"({"volumes":{"a":1}})") == "the pod template's volumes is not a list");
    CHECK(complaint(R"({"volumes":[{"configMap":"a"}]})") == "the pod template's volumes.configMap is not an object");
    CHECK(complaint(R"({"volumes":[{"secret":{"name":"a"}}]})") ==
          "the pod template's volumes.secret has no valid object name");
    CHECK(complaint(R"({"volumes":[{"projected":{"sources":"a"}}]})") ==
          "the pod template's volumes.projected.sources is not a list");
    CHECK(complaint(R"({"containers":[{"env":5}]})") == "the pod template's env is not a list");
    CHECK(complaint(R"({"initContainers":[{"envFrom":[{"secretRef":{"name":7}}]}]})") ==
          "the pod template's envFrom.secretRef has no valid object name");
    for (const auto& name : {std::string("../secrets/x"), std::string("a?b"), std::string("A"), std::string("-a"),
                             std::string("a."), std::string(254, 'a')})
        CHECK(complaint(R"({"volumes":[{"configMap":{"name":")" + name + R"("}}]})") ==
              "the pod template's volumes.configMap has no valid object name");
}

TEST_CASE("config-reloader: too many references are rejected", "[references]")
{
    const auto many = [](std::size_t n) {
        std::string list;
        for (std::size_t i = 0; i < n; ++i)
            list += (i == 0 ? "" : ",") + (R"({"configMapRef":{"name":"m)" + std::to_string(i) + R"("}})");
        return R"({"containers":[{"envFrom":[)" + list + "]}]}";
    };
    CHECK(found_in(workload(many(max_references))).value().size() == max_references);
    CHECK(complaint(many(max_references + 1)) ==
          "the pod template's envFrom.configMapRef exceeds the number of references");
}
