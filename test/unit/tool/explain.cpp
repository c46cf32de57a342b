#include "print/explain.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

using namespace kubecoro;
using namespace kubecoro::tool;
namespace json = boost::json;

namespace {

const json::value& document()
{
    static const json::value all = json::parse(R"json({"components":{"schemas":{
      "io.v1.Widget":{"type":"object","description":"A widget is shown on\nevery wall.","x-kubernetes-group-version-kind":[{"group":"g.io","version":"v1","kind":"Widget"}],
        "required":["spec"],"properties":{
          "spec":{"allOf":[{"$ref":"#/components/schemas/io.v1.WidgetSpec"}],"description":"The wish."},
          "loop":{"$ref":"#/components/schemas/io.v1.Loop"}}},
      "io.v1.WidgetSpec":{"description":"Own words.","properties":{
          "size":{"type":"integer","description":"How big\u001b[2J."},
          "mode":{"type":"string","enum":["a","b"]},
          "parts":{"type":"array","items":{"$ref":"#/components/schemas/io.v1.Part"}},
          "labels":{"type":"object","additionalProperties":{"type":"string"}}}},
      "io.v1.Part":{"properties":{"name":{"type":"string"}},"required":["name"]},
      "io.v1.Loop":{"properties":{"again":{"$ref":"#/components/schemas/io.v1.Loop"}}},
      "io.v1.Circle":{"$ref":"#/components/schemas/io.v1.Circle","x-kubernetes-group-version-kind":[{"group":"g.io","version":"v1","kind":"Circle"}]}}}})json");
    return all;
}

result<std::string> about(std::vector<std::string> field, bool recursive = false)
{
    return explain(document(), {"g.io", "v1", "Widget"}, field, recursive);
}

} // namespace

TEST_CASE("tool: explain shows a kind and its fields", "[tool]")
{
    CHECK(about({}).value() ==
          "GROUP:       g.io\nKIND:        Widget\nVERSION:     v1\n\nDESCRIPTION:\n    A widget is shown on\n"
          "    every wall.\n\nFIELDS:\n  spec\t<WidgetSpec> -required-\n    The wish.\n\n  loop\t<Loop>\n\n");
}

TEST_CASE("tool: explain follows references, lists and maps", "[tool]")
{
    const auto parts = about({"spec", "parts"}).value();
    CHECK(parts.find("FIELD:       spec.parts <[]Part>\n") != std::string::npos);
    CHECK(parts.find("  name\t<string> -required-\n") != std::string::npos);
    CHECK(about({"spec", "parts", "name"}).value().find("<string>") != std::string::npos);
    CHECK(about({"spec", "labels"}).value().find("<map[string]string>") != std::string::npos);
    CHECK(about({"spec", "mode"}).value().find("ENUM:        a, b\n") != std::string::npos);
    CHECK(about({"spec", "size"}).value().find("How big [2J.") != std::string::npos);
}

TEST_CASE("tool: explain ends where schemas refer to themselves", "[tool]")
{
    const auto all = about({}, true).value();
    CHECK(all.find("  spec\t<WidgetSpec> -required-\n    size\t<integer>\n") != std::string::npos);
    CHECK(all.size() < 2000);
    CHECK(explain(document(), {"g.io", "v1", "Circle"}, {}, true));
}

TEST_CASE("tool: explain names what is not there", "[tool]")
{
    CHECK(about({"spec", "none"}).error() == cond::not_found);
    CHECK(about({"spec", "none"}).error().message() == "there is no field none in spec");
    CHECK(explain(document(), {"", "v1", "Pod"}, {}, false).error() == cond::not_found);
    CHECK(explain(json::value(), {"", "v1", "Pod"}, {}, false).error() == cond::not_found);
}

TEST_CASE("tool: words are put on lines of a width", "[tool]")
{
    CHECK(wrapped("aa bb cc", "  ", 7) == "  aa bb\n  cc\n");
    CHECK(wrapped("a-word-that-is-too-long x", "", 5) == "a-word-that-is-too-long\nx\n");
    CHECK(wrapped("a\n\nb", "", 5) == "a\nb\n");
    CHECK(wrapped("", "", 5).empty());
}
