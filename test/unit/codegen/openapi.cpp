#include <kubecoro/codegen/detail/built_in.hpp>
#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>
#include <kubecoro/codegen/detail/openapi.hpp>

#include "model/layout.hpp"
#include "model/openapi_path.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

using namespace kubecoro::codegen;
namespace json = boost::json;
using form = value_shape::form;

namespace {

constexpr std::string_view gadget_id = R"({"group":"shop.example.com","version":"v1","kind":"Gadget"})";
constexpr std::string_view gadget_paths = "/apis/shop.example.com/v1/namespaces/{namespace}/gadgets";

/// The paths of the objects of a kind.
std::string paths_of(std::string_view path, std::string_view id)
{
    const auto operation = "{\"get\":{\"x-kubernetes-group-version-kind\":" + std::string(id) + "}}";
    return '"' + std::string(path) + "\":" + operation + ",\"" + std::string(path) + "/{name}\":" + operation + ",\"" +
           std::string(path) + "/{name}/status\":" + operation;
}

json::value document(std::string_view schemas, std::string_view paths)
{
    return json::parse(R"({"openapi":"3.0.0","paths":{)" + std::string(paths) + R"(},"components":{"schemas":{)" +
                       std::string(schemas) + "}}}");
}

/// A document of kind Gadget whose spec has these properties, with other schemas.
json::value gadget(std::string_view properties, std::string_view others = "")
{
    return document(R"("com.example.shop.v1.Gadget":{"type":"object","properties":{"spec":{"type":"object",)"
                    R"("properties":{)" +
                        std::string(properties) + R"(}}},"x-kubernetes-group-version-kind":[)" +
                        std::string(gadget_id) + "]}" + std::string(others),
                    paths_of(gadget_paths, gadget_id));
}

kubecoro::result<model> read(const json::value& document)
{
    return read_openapi(std::span(&document, 1), "openapi.json");
}

std::string problem(const json::value& document)
{
    const auto m = read(document);
    return m ? std::string() : m.error().message();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const field& field_of(const model& m, const std::string& message, std::string_view name)
{
    const auto& fields = m.messages.at(message).fields;
    const auto found = std::ranges::find(fields, name, &field::name);
    if (found == fields.end()) throw std::runtime_error("no field " + std::string(name));
    return *found;
}

/// The type of a spec's field with this schema.
value_shape type_of(std::string_view schema, std::string_view others = "")
{
    const auto m = read(gadget("\"x\":" + std::string(schema), others)).value();
    return field_of(m, "com.example.shop.v1.GadgetSpec", "x").type;
}

std::string to(std::string_view name) { return R"({"$ref":"#/components/schemas/)" + std::string(name) + "\"}"; }

value_shape of(scalar s) { return {form::scalar, s, {}, {}}; }

} // namespace

TEST_CASE("openapi: paths say which kinds there are, their plurals and their scope", "[codegen][openapi]")
{
    const std::string site = R"({"group":"shop.example.com","version":"v1","kind":"Site"})";
    const std::string schema = R"({"type":"object","x-kubernetes-group-version-kind":[)";
    const auto m = read(document("\"com.example.shop.v1.Gadget\":" + schema + std::string(gadget_id) +
                                     "]},\"com.example.shop.v1.Site\":" + schema + site + "]}",
                                 paths_of("/apis/shop.example.com/v1/sites", site) + ',' +
                                     paths_of("/apis/shop.example.com/v1/gadgets", gadget_id) + ',' +
                                     paths_of(gadget_paths, gadget_id)))
                       .value();
    REQUIRE(m.kinds.size() == 2);
    CHECK(m.kinds[0] == kind{"shop.example.com", "v1", "Site", "sites", false, "com.example.shop.v1.Site"});
    CHECK(m.kinds[1] == kind{"shop.example.com", "v1", "Gadget", "gadgets", true, "com.example.shop.v1.Gadget"});
    CHECK(m.messages.at("com.example.shop.v1.Gadget").fields.at(0).type.message ==
          "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    CHECK(m.source == "openapi.json");
}

TEST_CASE("openapi: paths of anything but objects are left out", "[codegen][openapi]")
{
    const auto pods = read_openapi_path("/api/v1/namespaces/{namespace}/pods/{name}");
    REQUIRE(pods);
    CHECK((pods->group.empty() && pods->version == "v1" && pods->plural == "pods" && pods->namespaced));
    const auto namespaces = read_openapi_path("/api/v1/namespaces/{name}");
    REQUIRE(namespaces);
    CHECK((namespaces->plural == "namespaces" && !namespaces->namespaced));
    CHECK(read_openapi_path("/apis/apps/v1/deployments")->group == "apps");
    for (const auto* path :
         {"", "/", "/api/v1", "/api/v1/", "/apis/apps/v1/", "/version", "/api/v1/namespaces/{name}/status",
          "/api/v1/watch/pods", "/api/v1/{path}", "/apis/apps/v1/deployments/{name}/scale",
          "/api/v1/namespaces/{namespace}/", "api/v1/pods"})
        CHECK_FALSE(read_openapi_path(path));
}

TEST_CASE("openapi: values that are no objects are known by the names of their schemas", "[codegen][openapi]")
{
    const std::string meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    CHECK(type_of(to("io.k8s.apimachinery.pkg.api.resource.Quantity")) == of(scalar::quantity));
    CHECK(type_of(to("io.k8s.apimachinery.pkg.util.intstr.IntOrString")) == of(scalar::int_or_string));
    CHECK(type_of(to("io.k8s.apimachinery.pkg.runtime.RawExtension")) == of(scalar::json));
    CHECK(type_of(to("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON")) == of(scalar::json));
    CHECK(type_of(to(meta + "Time")) == of(scalar::time));
    CHECK(type_of(to(meta + "MicroTime")) == of(scalar::micro_time));
    CHECK(type_of(to(meta + "Duration")) == of(scalar::duration));
    CHECK(type_of(to(meta + "FieldsV1")) == of(scalar::json));
    CHECK(type_of("{\"allOf\":[" + to(meta + "Time") + "],\"description\":\"words\"}") == of(scalar::time));
    CHECK(type_of("{\"type\":\"array\",\"items\":" + to(meta + "Time") + '}') ==
          value_shape{form::list, {}, {}, {of(scalar::time)}});
    CHECK(type_of(R"({"x-kubernetes-int-or-string":true})") == of(scalar::int_or_string));
    CHECK(type_of(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})") == of(scalar::json));
}

TEST_CASE("openapi: schemas are messages of their names, and others stand for their types", "[codegen][openapi]")
{
    const auto m =
        read(gadget("\"part\":{\"allOf\":[" + to("com.example.shop.v1.Part") +
                        "],\"default\":{},\"description\":\"The part.\"},\"names\":" + to("com.example.shop.v1.Names"),
                    R"(,"com.example.shop.v1.Part":{"type":"object","properties":{"a":{"type":"string"}}},)"
                    R"("com.example.shop.v1.Names":{"type":"array","items":{"type":"string"}})"))
            .value();
    const auto& part = field_of(m, "com.example.shop.v1.GadgetSpec", "part");
    CHECK(part.type.message == "com.example.shop.v1.Part");
    CHECK(part.description == "The part.");
    CHECK_FALSE(part.optional);
    CHECK(m.messages.at("com.example.shop.v1.Part").fields.at(0).name == "a");
    CHECK(field_of(m, "com.example.shop.v1.GadgetSpec", "names").type ==
          value_shape{form::list, {}, {}, {of(scalar::string)}});
    CHECK_FALSE(m.messages.contains("com.example.shop.v1.Names"));
}

TEST_CASE("openapi: a part does not take the name of a schema", "[codegen][openapi]")
{
    const auto m =
        read(gadget("\"z\":" + to("com.example.shop.v1.GadgetSpec"),
                    R"(,"com.example.shop.v1.GadgetSpec":{"type":"object","properties":{"a":{"type":"string"}}})"))
            .value();
    CHECK(field_of(m, "com.example.shop.v1.Gadget", "spec").type.message == "com.example.shop.v1.GadgetSpec2");
    CHECK(generate(m, {.exists = is_built_in}));
}

TEST_CASE("openapi: schemas may refer to each other in circles", "[codegen][openapi]")
{
    const auto m = read(gadget("\"tree\":" + to("com.example.shop.v1.Tree"),
                               R"(,"com.example.shop.v1.Tree":{"type":"object","properties":{"kid":)" +
                                   to("com.example.shop.v1.Leaf") +
                                   R"(}},"com.example.shop.v1.Leaf":{"type":"object",)"
                                   R"("properties":{"tree":)" +
                                   to("com.example.shop.v1.Tree") + "}}"))
                       .value();
    const auto files = generate(m, {.exists = is_built_in}).value();
    const auto header = std::ranges::find(files, "kubecoro/shop_v1/gadget.hpp", &generated_file::path);
    REQUIRE(header != files.end());
    CHECK(contains(header->text, "kubecoro::boxed<shop_v1::tree> tree"));
    CHECK(contains(header->text, "kubecoro::boxed<shop_v1::leaf> kid"));
}

TEST_CASE("openapi: very long chains of schemas are generated", "[codegen][openapi]")
{
    constexpr int length = 20'000;
    std::string others;
    for (int i = 0; i < length; ++i)
        others += ",\"com.example.shop.v1.N" + std::to_string(i) + R"(":{"type":"object","properties":{"next":)" +
                  to("com.example.shop.v1.N" + std::to_string((i + 1) % length)) + "}}";
    const auto m = read(gadget("\"first\":" + to("com.example.shop.v1.N0"), others)).value();
    CHECK(m.messages.size() == length + 3);
    CHECK(generate(m, {.exists = is_built_in}));
}

TEST_CASE("openapi: types of the library are not read again", "[codegen][openapi]")
{
    const auto m = read(gadget("\"pods\":" + to("io.k8s.api.core.v1.PodTemplateSpec") +
                               ",\"state\":" + to("io.k8s.api.core.v1.ContainerState")))
                       .value();
    CHECK(m.messages.at("io.k8s.api.core.v1.PodTemplateSpec").fields.empty());
    const auto files = generate(m, {.folder = "acme", .exists = is_built_in, .header_of = built_in_header}).value();
    REQUIRE(files.size() == 2);
    CHECK(contains(files[0].text, "#include <kubecoro/core_v1/pod_template_spec.hpp>"));
    CHECK(contains(files[0].text, "#include <kubecoro/core_v1/pod.hpp>")); // has container_state
    CHECK(contains(files[0].text, "core_v1::container_state> state"));

    const std::string pod = R"({"group":"","version":"v1","kind":"Pod"})";
    const auto core = read(document("\"io.k8s.api.core.v1.Pod\":{\"x-kubernetes-group-version-kind\":[" + pod + "]}",
                                    paths_of("/api/v1/namespaces/{namespace}/pods", pod)));
    REQUIRE(core);
    CHECK(core->kinds.empty());
}

TEST_CASE("openapi: the library's types are where its headers are", "[codegen][openapi]")
{
    std::ifstream in(KUBECORO_SCHEMAS, std::ios::binary);
    const auto m = read_kubernetes(json::parse(std::string(std::istreambuf_iterator<char>(in), {}))).value();
    std::vector<kind> kinds;
    std::ranges::copy_if(m.kinds, std::back_inserter(kinds), [](const kind& k) {
        return std::ranges::binary_search(built_in_groups(), k.group.empty() ? k.version : k.group + '/' + k.version);
    });
    std::size_t wrong = 0;
    for (const auto& h : distribute(m, kinds))
        for (const auto& name : h.messages)
            wrong += is_built_in(name) && built_in_header(name) == h.root && built_in_twin(name) == name ? 0U : 1U;
    CHECK(wrong == 0);
    CHECK_FALSE(is_built_in("io.k8s.api.core.v1.Podd"));
    CHECK(built_in_twin("com.example.core.v1.Pod") == "io.k8s.api.core.v1.Pod");
    CHECK(built_in_twin("com.example.shop.v1.Pod").empty());
}

TEST_CASE("openapi: only wanted kinds are read", "[codegen][openapi]")
{
    const auto broken = gadget(R"("x":{"type":"text"})");
    const auto none = read_openapi(std::span(&broken, 1), "s", [](const kind& k) { return k.name != "Gadget"; });
    REQUIRE(none);
    CHECK(none->kinds.empty());
}

TEST_CASE("openapi: several documents share their schemas, which must not differ", "[codegen][openapi]")
{
    const auto part = [](std::string_view type) {
        return R"(,"com.example.shop.v1.Part":{"type":"object","properties":{"a":{"type":")" + std::string(type) +
               "\"}}}";
    };
    const auto first = gadget("\"x\":" + to("com.example.shop.v1.Part"), part("string"));
    const std::vector<json::value> same{first, document(part("string").substr(1), "")};
    CHECK(read_openapi(same, "s"));
    const std::vector<json::value> other{first, document(part("integer").substr(1), "")};
    const auto failed = read_openapi(other, "s");
    REQUIRE_FALSE(failed);
    CHECK(contains(failed.error().message(), "com.example.shop.v1.Part is not the same in all documents"));
}

TEST_CASE("openapi: errors name the schema and the path", "[codegen][openapi]")
{
    const std::string at = "openapi.json: com.example.shop.v1.Gadget.properties.spec.properties.x";
    const auto bad = [](std::string_view schema, std::string_view others = "") {
        return problem(gadget("\"x\":" + std::string(schema), others));
    };
    CHECK(contains(bad(R"({"type":"text"})"), at + ": unknown type text"));
    CHECK(contains(bad(R"({"$ref":"other.json"})"), at + ".$ref: expected a reference to #/components/schemas/"));
    CHECK(contains(bad(to("a.b.v1.C")), at + ".$ref: there is no schema a.b.v1.C"));
    CHECK(contains(bad(to("Part")), ".$ref: expected a name such as com.example.shop.v1.Gadget"));
    CHECK(contains(bad(to(std::string(300, 'a'))), "a schema's name of more than 256 characters"));
    const auto round = bad(to("a.b.v1.C"), ",\"a.b.v1.C\":{\"allOf\":[" + to("a.b.v1.C") + "]}");
    CHECK(contains(round, "more than 64 schemas within each other"));
    CHECK(contains(problem(json::parse(R"({"swagger":"2.0"})")), "expected an OpenAPI document of version 3"));
    CHECK(contains(problem(json::value(7)), "expected an OpenAPI document of version 3"));
    CHECK(contains(problem(document("", "")), "no paths of objects of any kind"));
    CHECK(contains(problem(document("", paths_of(gadget_paths, gadget_id))), "no schema of kind Gadget"));
    const std::string evil = R"({"group":"shop.example.com","version":"v1","kind":"Gad get"})";
    CHECK(contains(problem(document("", paths_of(gadget_paths, evil))), "whose names the API does not allow"));
}
