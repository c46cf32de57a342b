#include "select/selection.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::tool;

using wanted = std::vector<wanted_objects>;

TEST_CASE("tool: a type alone selects all its objects, several types are separated by commas", "[tool]")
{
    CHECK(parse_selection({"pods"}).value() == wanted{{"pods", {}}});
    CHECK(parse_selection({"pods,svc,pods"}).value() == wanted{{"pods", {}}, {"svc", {}}});
    CHECK(parse_selection({"deployments.v1.apps"}).value() == wanted{{"deployments.v1.apps", {}}});
}

TEST_CASE("tool: names follow their types, or have it in front", "[tool]")
{
    CHECK(parse_selection({"pods", "a", "b", "a"}).value() == wanted{{"pods", {"a", "b"}}});
    CHECK(parse_selection({"pods,svc", "a"}).value() == wanted{{"pods", {"a"}}, {"svc", {"a"}}});
    CHECK(parse_selection({"pod/a", "pod/b", "svc/c", "pod/d"}).value() ==
          wanted{{"pod", {"a", "b"}}, {"svc", {"c"}}, {"pod", {"d"}}});
}

TEST_CASE("tool: arguments that select nothing that could exist are refused", "[tool]")
{
    const std::vector<std::vector<std::string>> all{{},
                                                    {""},
                                                    {"pods,"},
                                                    {",pods"},
                                                    {"pods", ""},
                                                    {"pods", ".."},
                                                    {"pods", "a%2fb"},
                                                    {"pod/a", "b"},
                                                    {"pods", "x/y"},
                                                    {"/a"},
                                                    {"pod/"},
                                                    {"pod/a/b"},
                                                    {"pod/."}};
    for (const auto& arguments : all) CHECK_FALSE(parse_selection(arguments));
}
