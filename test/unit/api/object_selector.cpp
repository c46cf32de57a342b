#include <kubecoro/api/typed_selector.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;

namespace {

result<label_selector> read(std::string_view json)
{
    const auto o = object::parse(R"({"spec":{"selector":)" + std::string(json) + "}}");
    REQUIRE(o);
    return selector_of(o->path("spec.selector"));
}

std::string text_of(std::string_view json)
{
    const auto s = read(json);
    INFO(json);
    REQUIRE(s);
    return s->to_string();
}

std::string problem_of(std::string_view json)
{
    const auto s = read(json);
    INFO(json);
    REQUIRE_FALSE(s);
    CHECK(s.error() == cond::invalid);
    return s.error().message();
}

std::string problem_of_expression(std::string_view members)
{
    return problem_of(R"({"matchExpressions":[{"key":"a","operator":"Exists"},{)" + std::string(members) + "}]}");
}

} // namespace

TEST_CASE("object selector: labels and expressions are joined by AND", "[selector]")
{
    CHECK(text_of(R"({"matchLabels":{"app":"shop","tier":""}})") == "app=shop,tier=");
    CHECK(text_of(R"({"matchLabels":{"app":"shop"},"matchExpressions":[
        {"key":"b","operator":"In","values":["y","x","y"]},
        {"key":"c","operator":"NotIn","values":["z"]},
        {"key":"example.com/d","operator":"Exists"},
        {"key":"e","operator":"DoesNotExist","values":[]}]})") == "app=shop,b in (x,y),c notin (z),!e,example.com/d");
}

TEST_CASE("object selector: an empty one selects everything", "[selector]")
{
    for (const auto* json : {"{}", R"({"matchLabels":{}})", R"({"matchLabels":null,"matchExpressions":[]})"})
        CHECK(read(json).value().empty());
}

TEST_CASE("object selector: one that is absent, null or no object is a failure, since it selects nothing", "[selector]")
{
    CHECK(selector_of(value_view()).error() == cond::invalid);
    for (const auto* json : {"null", "[]", R"("app=shop")", "3"})
        CHECK(problem_of(json) == "there is no label selector");
}

TEST_CASE("object selector: an operator that is not one of the four is refused", "[selector]")
{
    for (const auto* word : {R"("IN")", R"("=")", R"("Gt")", R"("")", "null", "3"})
        CHECK(problem_of_expression(R"("key":"a","operator":)" + std::string(word)) ==
              "matchExpressions[1].operator: not In, NotIn, Exists or DoesNotExist");
    CHECK(problem_of_expression(R"("key":"a")") ==
          "matchExpressions[1].operator: not In, NotIn, Exists or DoesNotExist");
}

TEST_CASE("object selector: In and NotIn need values, Exists and DoesNotExist take none", "[selector]")
{
    for (const auto* members : {R"("key":"a","operator":"In")", R"("key":"a","operator":"In","values":[])",
                                R"("key":"a","operator":"NotIn","values":null)"})
        CHECK(problem_of_expression(members) == "matchExpressions[1].values: In and NotIn need a value");
    for (const auto* word : {"Exists", "DoesNotExist"})
        CHECK(problem_of_expression(R"("key":"a","values":["x"],"operator":")" + std::string(word) + '"') ==
              "matchExpressions[1].values: Exists and DoesNotExist take no values");
}

TEST_CASE("object selector: keys and values follow the rules of labels", "[selector]")
{
    CHECK(problem_of(R"({"matchLabels":{"-a":"b"}})") == "matchLabels: a key is not a label key");
    CHECK(problem_of(R"({"matchLabels":{"a":"b,c"}})") == "matchLabels: the value of 'a' is not a label value");
    CHECK(problem_of(R"({"matchLabels":{"a":1}})") == "matchLabels: the value of 'a' is not a label value");
    CHECK(problem_of(R"({"matchLabels":["a"]})") == "matchLabels: not a map of labels");
    CHECK(problem_of(R"({"matchExpressions":{}})") == "matchExpressions: not a list");
    CHECK(problem_of_expression(R"("operator":"Exists")") == "matchExpressions[1].key: not a label key");
    CHECK(problem_of_expression(R"("key":"a","operator":"In","values":"b")") ==
          "matchExpressions[1].values: not a list");
    CHECK(problem_of_expression(R"("key":"a","operator":"In","values":["b","c d"])") ==
          "matchExpressions[1].values[1]: not a label value");
}

TEST_CASE("object selector: an unknown member is refused, since without it more would be selected", "[selector]")
{
    CHECK(problem_of(R"({"app":"shop"})") ==
          "a label selector has matchLabels and matchExpressions, and no other member");
    CHECK(problem_of_expression(R"("key":"a","operator":"Exists","value":"b")") ==
          "matchExpressions[1]: has an unknown member");
    CHECK(problem_of(R"({"matchExpressions":[7]})") == "matchExpressions[0].key: not a label key");
}
