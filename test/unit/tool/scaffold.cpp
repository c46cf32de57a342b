// Tests of the names and the text of `kubecoro new operator`. test/package builds and runs what it writes.
#include "scaffold/scaffold.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::tool;

namespace {

constexpr std::string_view definition = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: @PLURAL@.@GROUP@}
spec:
  group: @GROUP@
  scope: Namespaced
  names: {kind: @KIND@, plural: @PLURAL@, singular: @SINGULAR@}
  versions:
  - {name: @VERSION@, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
)";

scaffold_names gadgets()
{
    return {.project = "gadget-operator", .kind = "Gadget", .group = "shop.example.com", .version = "v1"};
}

std::string plural_of(const std::string& kind)
{
    auto names = gadgets();
    names.kind = kind;
    return checked(names).value().plural;
}

std::string text_of(const std::vector<scaffold_file>& files, const std::string& path)
{
    const auto found = std::ranges::find(files, path, &scaffold_file::path);
    return found == files.end() ? "no such file" : found->text;
}

} // namespace

TEST_CASE("scaffold: names that Kubernetes or C++ would refuse are refused at once", "[tool]")
{
    CHECK(checked(gadgets()));
    const auto refused = [](auto change, const std::string& text) {
        auto names = gadgets();
        change(names);
        const auto outcome = checked(names);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error() == cond::misconfigured);
        CHECK(outcome.error().describe().find(text) != std::string::npos);
    };
    for (const auto* name : {"", "Gadget", "1st", "a_b", "a b", "../x", "-a", "a-", "a\"b", "a@b", "test", "install"})
        refused([&](auto& n) { n.project = name; }, "the name \"" + std::string(name));
    for (const auto* kind : {"", "gadget", "Gad get", "Gad-get", "1Gadget", "Gad\nget", "Gädget"})
        refused([&](auto& n) { n.kind = kind; }, "the kind");
    for (const auto* group : {"", "example", "example..com", ".com", "Example.com", "example.com/", "example.com."})
        refused([&](auto& n) { n.group = group; }, "the group");
    for (const auto* version : {"", "1", "V1", "x1", "v1 "})
        refused([&](auto& n) { n.version = version; }, "the version");
    for (const auto* plural : {"Gadgets", "gad gets", "9s"}) refused([&](auto& n) { n.plural = plural; }, "the plural");
    refused([](auto& n) { n.project = std::string(64, 'a'); }, "the name");
}

TEST_CASE("scaffold: plurals are those of English, or given", "[tool]")
{
    CHECK(plural_of("Gadget") == "gadgets");
    CHECK(plural_of("Policy") == "policies");
    CHECK(plural_of("Gateway") == "gateways");
    CHECK(plural_of("Class") == "classes");
    CHECK(plural_of("Mesh") == "meshes");
    CHECK(plural_of("Box") == "boxes");
    auto names = gadgets();
    names.kind = "Mouse";
    names.plural = "mice";
    CHECK(checked(names).value().plural == "mice");
}

TEST_CASE("scaffold: templates are filled with the names, also those of the generated types", "[tool]")
{
    const auto names = checked(gadgets()).value();
    const std::vector<scaffold_template> templates{
        {"crd.yaml.in", definition},
        {"src/a.cpp.in", "#include <@HEADER@> // @SPACE@::@TYPE@ of @NAME@, @TARGET@: @SINGULAR@"},
        {"gitignore.in", "/build/"}};
    const auto files = scaffold(names, templates);
    REQUIRE(files);
    CHECK(text_of(*files, "src/a.cpp") == "#include <gadget_operator_types/shop_v1/gadget.hpp> // shop_v1::gadget of "
                                          "gadget-operator, gadget_operator: gadget");
    CHECK(text_of(*files, ".gitignore") == "/build/");
    CHECK(text_of(*files, "crd.yaml").find("name: gadgets.shop.example.com") != std::string::npos);

    auto keyword = names;
    keyword.kind = "Class";
    const auto of_keyword = scaffold(keyword, templates);
    REQUIRE(of_keyword);
    CHECK(text_of(*of_keyword, "src/a.cpp").find("shop_v1::class_ ") != std::string::npos);
}

TEST_CASE("scaffold: lines and files of webhooks are for projects that have some", "[tool]")
{
    auto names = checked(gadgets()).value();
    const std::vector<scaffold_template> templates{
        {"crd.yaml.in", definition},
        {"a.in", "one\n@IF_PLAIN@plain\n@IF_WEBHOOKS@hooked @KIND@\n@IF_WEBHOOKS_FIRST@first\n@IF_WEBHOOKS_LAST@last"},
        {"webhooks/src/b.in", "b"}};
    const auto plain = scaffold(names, templates).value();
    CHECK(text_of(plain, "a") == "one\nplain\n");
    CHECK(plain.size() == 2);
    names.webhooks = true;
    const auto hooked = scaffold(names, templates).value();
    CHECK(text_of(hooked, "a") == "one\nhooked Gadget\nfirst\n");
    CHECK(text_of(hooked, "src/b") == "b");
    names.group = "a.example.com";
    CHECK(text_of(scaffold(names, templates).value(), "a") == "one\nhooked Gadget\nlast");
}

TEST_CASE("scaffold: a template that nobody can fill is named", "[tool]")
{
    const auto names = checked(gadgets()).value();
    const auto wrong = scaffold(names, {{"crd.yaml.in", definition}, {"src/a.cpp.in", "a @TPYE@ b"}});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().describe().find("src/a.cpp.in") != std::string::npos);
    CHECK_FALSE(scaffold(names, {{"crd.yaml.in", definition}, {"src/a.cpp.in", "mail@example"}}));
    CHECK_FALSE(scaffold(names, {{"src/a.cpp.in", "x"}}));
}
