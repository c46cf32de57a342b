#include "changes.hpp"

#include "kubecoro/test/catch.hpp"

using kubecoro::object;
using kubecoro::tool::describe_change;

namespace {

std::string change(std::string_view before, std::string_view after, std::size_t most = 2)
{
    return describe_change(object::parse(before).value(), object::parse(after).value(), most);
}

} // namespace

TEST_CASE("changes: a difference is shown by its path, old and new value", "[apps]")
{
    CHECK(change(R"({"metadata":{"name":"a"},"spec":{"replicas":3}})",
                 R"({"metadata":{"name":"a"},"spec":{"replicas":5}})") == "spec.replicas: 3 -> 5");
    CHECK(change(R"({"metadata":{"name":"a"},"data":{"x":"1"}})", R"({"metadata":{"name":"a"},"data":{"y":""}})") ==
          "data.x: 1 -> (none), data.y: (none) -> \"\"");
}

TEST_CASE("changes: list items are named by name or type, else by position", "[apps]")
{
    CHECK(change(R"({"metadata":{"name":"a"},"c":[{"type":"Ready","status":"True"}]})",
                 R"({"metadata":{"name":"a"},"c":[{"type":"Ready","status":"False"}]})") ==
          "c[Ready].status: True -> False");
    CHECK(change(R"({"metadata":{"name":"a"},"c":[1,2]})", R"({"metadata":{"name":"a"},"c":[1,3]})") == "c[1]: 2 -> 3");
    CHECK(change(R"({"metadata":{"name":"a"},"c":[1]})", R"({"metadata":{"name":"a"},"c":[1,2]})") ==
          "c: [1] -> [1,2]");
}

TEST_CASE("changes: members that change with every write are omitted, and long lists and values truncated", "[apps]")
{
    CHECK(change(R"({"metadata":{"name":"a","resourceVersion":"1","generation":1,"managedFields":[]}})",
                 R"({"metadata":{"name":"a","resourceVersion":"2","generation":2,"managedFields":[{}]}})")
              .empty());
    CHECK(change(R"({"metadata":{"name":"a"},"d":{"a":1,"b":1,"c":1,"d":1}})",
                 R"({"metadata":{"name":"a"},"d":{"a":2,"b":2,"c":2,"d":2}})", 1) == "d.a: 1 -> 2, 3 more");
    const std::string text(100, 'x');
    CHECK(change(R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"a"},"d":")" + text + R"("})") ==
          "d: (none) -> " + text.substr(0, 29) + "...");
}

TEST_CASE("changes: of a Secret its keys are shown and no values", "[apps]")
{
    const std::string secret = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"})";
    CHECK(change(secret + R"(,"type":"x","data":{"a":"b25l","b":"b25l"}})",
                 secret + R"(,"type":"y","data":{"a":"dHdv"}})", 3) == "type: x -> y, data.a changed, data.b changed");
    CHECK(change(secret + "}", secret + R"(,"data":{"a":"dHdv"}})") == "data changed");
}

TEST_CASE("changes: kubectl's copy of the object is omitted", "[apps]")
{
    const std::string annotation = R"({"metadata":{"name":"a","annotations":{"x":"1",)"
                                   R"("kubectl.kubernetes.io/last-applied-configuration":")";
    CHECK(change(annotation + R"(1"}}})", annotation + R"(2"}}})").empty());
}
