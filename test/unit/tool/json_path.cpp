#include "print/json_path.hpp"
#include "cli/duration_text.hpp"
#include "print/output_format.hpp"
#include "print/sort.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

using namespace kubecoro;
using namespace kubecoro::tool;
namespace json = boost::json;

namespace {

const json::value& pods()
{
    static const json::value document = json::parse(R"json({"kind":"List","items":[
        {"metadata":{"name":"a","labels":{"app.io/x":"1"}},"spec":{"n":3},"c":[{"type":"Ready","status":"True"},{"type":"Other","status":"False"}]},
        {"metadata":{"name":"b"},"spec":{"n":20},"c":[{"type":"Ready","status":"False"}]},
        {"metadata":{"name":"c"},"spec":{},"c":[]}]})json");
    return document;
}

std::string at(std::string_view path)
{
    auto parsed = json_path_template::parse(path);
    REQUIRE(parsed);
    return parsed->evaluate(pods());
}

} // namespace

TEST_CASE("tool: steps of a JSONPath", "[tool]")
{
    CHECK(at("{.kind}") == "List");
    CHECK(at(".kind") == "List");
    CHECK(at("kind") == "List");
    CHECK(at("{$.items[0].metadata.name}") == "a");
    CHECK(at("{.items[-1].metadata.name}") == "c");
    CHECK(at("{.items[*].metadata.name}") == "a b c");
    CHECK(at("{.items[0:2].metadata.name}") == "a b");
    CHECK(at("{.items[1:].metadata.name}") == "b c");
    CHECK(at("{.items[::2].metadata.name}") == "a c");
    CHECK(at("{.items[0,2].metadata.name}") == "a c");
    CHECK(at("{.items[0]['metadata'].name}") == "a");
    CHECK(at("{.items[0].metadata['name','labels']}") == R"(a {"app.io/x":"1"})");
    CHECK(at("{.items[0:2]['kind','metadata'].name}") == "a b");
    CHECK(at("{.items[*]['metadata.name','spec.n']}") == "a b c 3 20");
    CHECK(at("{.items[*]['metadata.name', 'c[0].type']}") == "a b c Ready Ready");
    CHECK(at(R"({.items[0].metadata.labels['app\.io/x']})") == "1");
    CHECK(at("{.items[0].metadata.labels['app.io/x']}").empty());
    CHECK(at("{.items[0,2]['metadata']['name']}") == "a c");
    CHECK(at("{.items[-1,0].metadata.name}") == "c a");
    CHECK(at("{.items[0:2,2].metadata.name}") == "a b c");
    CHECK(at("{.items[0]['*'].name}") == "a");
    CHECK(at("{.items[0:2].c[0]['type','status']}") == "Ready Ready True False");
    CHECK(at("{.items[0].metadata.labels.app\\.io/x}") == "1");
    CHECK(at("{.items[*].spec.*}") == "3 20");
    CHECK(at("{..name}") == "a b c");
    CHECK(at("{.items[7].metadata}").empty());
    CHECK(at("{.none.at.all}").empty());
}

TEST_CASE("tool: filters of a JSONPath", "[tool]")
{
    CHECK(at(R"({.items[?(@.spec.n>3)].metadata.name})") == "b");
    CHECK(at(R"({.items[?(@.spec.n<=3)].metadata.name})") == "a");
    CHECK(at(R"({.items[?(@.spec.n)].metadata.name})") == "a b");
    CHECK(at(R"({.items[?(@.metadata.name!="a")].metadata.name})") == "b c");
    CHECK(at(R"({.items[*].c[?(@.type == 'Ready')].status})") == "True False");
    CHECK(at(R"({.items[?(@.c[?(@.type=="Ready")].status=="False")].metadata.name})") == "b");
}

TEST_CASE("tool: text and ranges of a JSONPath", "[tool]")
{
    CHECK(at(R"({range .items[*]}{.metadata.name}{"\t"}{.spec.n}{"\n"}{end})") == "a\t3\nb\t20\nc\t\n");
    CHECK(at("name={.kind}.") == "name=List.");
    CHECK(at(R"({"}"})") == "}");
}

TEST_CASE("tool: a JSONPath that cannot be read says where", "[tool]")
{
    for (const char* wrong : {"{.a", "{.items[}", "{.items[a]}", "{.items[?(@.a=)]}", "{.items[?(@.a=='x]}", "{end}",
                              "{range .items[*]}x", "{.items[0:1:0]}", "{.a..}", "{.items[99999999999999999999]}",
                              "{.items[0:3:9223372036854775807]}", "{['a}", "{['']}", "{['a[']}", "{['a\\']}"}) {
        INFO(wrong);
        const auto parsed = json_path_template::parse(wrong);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error() == cond::invalid);
        CHECK(parsed.error().message().find("JSONPath") != std::string::npos);
    }
    std::string deep = "{.a";
    for (int i = 0; i < 1000; ++i) deep += "[?(@.a";
    CHECK_FALSE(json_path_template::parse(deep + "}"));
}

TEST_CASE("tool: --sort-by puts missing values first, then numbers by value, then texts", "[tool]")
{
    const auto by = [](const char* path) {
        std::vector<const json::value*> items;
        for (const auto& item : pods().at("items").as_array()) items.push_back(&item);
        return sorted_positions(items, json_path::parse(path).value());
    };
    CHECK(by(".spec.n") == std::vector<std::size_t>{2, 0, 1});
    CHECK(by("{.metadata.name}") == std::vector<std::size_t>{0, 1, 2});
    CHECK(by(".none") == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("tool: forms of -o", "[tool]")
{
    CHECK(parse_output_format("")->is_table());
    CHECK(parse_output_format("wide")->kind == output_kind::wide);
    CHECK(parse_output_format("jsonpath={.a}")->path.has_value());
    CHECK(parse_output_format("jsonpath={.a").error() == cond::invalid);
    CHECK(parse_output_format("xml").error() == cond::invalid);
}

TEST_CASE("tool: lengths of time", "[tool]")
{
    using namespace std::chrono_literals;
    CHECK(parse_duration("0").value() == 0s);
    CHECK(parse_duration("90s").value() == 90s);
    CHECK(parse_duration("1h30m").value() == 90min);
    CHECK(parse_duration("500ms").value() == 500ms);
    CHECK(parse_duration("2d").value() == 48h);
    for (const char* wrong :
         {"", "5", "s", "-5s", "5x", "5s ", "99999999999999999999s", "100000d", "9223372036854775807h"})
        CHECK_FALSE(parse_duration(wrong));
}
