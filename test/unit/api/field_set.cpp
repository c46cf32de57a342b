// Sets of fields in the form of metadata.managedFields.
#include <kubecoro/test/catch.hpp>

#include <kubecoro/api/detail/field_set.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

result<field_set> read(const std::string& text) { return field_set::of_fields(json::parse(text)); }

field_set set_of(const std::string& text) { return read(text).value(); }

std::string text_of(const field_set& set) { return json::serialize(set.to_fields()); }

std::string written(const std::string& text) { return text_of(set_of(text)); }

// An entry that a kube-apiserver 1.36 wrote for a Deployment.
const std::string of_deployment =
    R"({"f:metadata":{"f:annotations":{".":{},"f:an":{}},"f:labels":{".":{},"f:app":{},"f:l":{}}},)"
    R"("f:spec":{"f:progressDeadlineSeconds":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},)"
    R"("f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:spec":{"f:containers":)"
    R"({"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{}}},"f:dnsPolicy":{}}}}})";

} // namespace

TEST_CASE("field sets: what a server wrote is read and written back", "[api][fields]")
{
    CHECK(json::parse(written(of_deployment)) == json::parse(of_deployment));
    CHECK(written("{}") == "{}");
    CHECK(read("{}")->empty());
    CHECK(written(R"({"f:a":{}})") == R"({"f:a":{}})");
    // A path with nothing below it is in the set, with a dot or without one.
    CHECK(written(R"({"f:a":{".":{}}})") == R"({"f:a":{}})");
    // The root is no path.
    CHECK(written(R"({".":{},"f:a":{}})") == R"({"f:a":{}})");
}

TEST_CASE("field sets: keys and values have one notation", "[api][fields]")
{
    CHECK(read(R"({"k:{ \"b\" : 1, \"a\" : {\"d\":1,\"c\":[2]} }":{}})").value() ==
          read(R"({"k:{\"a\":{\"c\":[2],\"d\":1},\"b\":1}":{}})").value());
    CHECK(read(R"({"v: \"x\"":{}})").value() == read(R"({"v:\"x\"":{}})").value());
    CHECK(read(R"({"i:07":{}})").value() == read(R"({"i:7":{}})").value());
    // Two notations of one path are one path.
    CHECK(written(R"({"i:07":{"f:a":{}},"i:7":{"f:b":{}}})") == R"({"i:7":{"f:a":{},"f:b":{}}})");
    CHECK(key_element(json::object{{"b", 1}, {"a", "x"}}) == R"(k:{"a":"x","b":1})");
    CHECK(value_element("x") == R"(v:"x")");
    CHECK(written(R"({"f:":{},"f:a.b/c":{}})") == R"({"f:":{},"f:a.b/c":{}})");
}

TEST_CASE("field sets: anything else is corrupt", "[api][fields]")
{
    for (const std::string& bad :
         {std::string("[]"), std::string("1"), std::string("null"), std::string(R"({"f:a":1})"),
          std::string(R"({"a":{}})"), std::string(R"({"":{}})"), std::string(R"({"f":{}})"),
          std::string(R"({"i:-1":{}})"), std::string(R"({"i:1x":{}})"), std::string(R"({"i:":{}})"),
          std::string(R"({"k:{}":{}})"), std::string(R"({"k:[1]":{}})"), std::string(R"({"k:{\"a\":1}x":{}})"),
          std::string(R"({"v:":{}})"), std::string(R"({"v:nonsense":{}})"),
          R"({"v:\")" + std::string(70'000, 'x') + R"(\"":{}})"}) {
        INFO(bad.substr(0, 100));
        const auto fields = read(bad);
        REQUIRE_FALSE(fields);
        CHECK(fields.error() == cond::corrupt);
        CHECK(fields.error().message().size() < 200);
    }
    // The members below a dot say nothing, and are not read.
    CHECK(read(R"({"f:a":{".":{"nonsense":1}}})").value().has("f:a"));
    // A later version may have steps of more kinds.
    CHECK(written(R"({"f:a":{},"z:q":{}})") == R"({"f:a":{}})");
}

TEST_CASE("field sets: union, difference and intersection go path by path", "[api][fields]")
{
    const auto a = set_of(R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:x":{}})");
    const auto b = set_of(R"({"f:a":{"f:b":{}},"f:x":{"f:y":{}}})");
    CHECK(text_of(a.united(b)) == R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:x":{".":{},"f:y":{}}})");
    CHECK(text_of(a.minus(b)) == R"({"f:a":{".":{},"f:c":{}},"f:x":{}})");
    CHECK(text_of(a.common(b)) == R"({"f:a":{"f:b":{}}})");
    CHECK(a.minus(a).empty());
    CHECK(a.common(a) == a);
    CHECK(a.united({}) == a);
    auto sum = a;
    sum.add(b);
    CHECK(sum == a.united(b));
    sum.add({});
    CHECK(sum == a.united(b));
    sum = {};
    sum.add(a);
    CHECK(sum == a);
    auto copy = a;
    copy.insert({"f:new"});
    CHECK_FALSE(copy == a);
    copy = a;
    CHECK(copy == a);
}

TEST_CASE("field sets: the cost of adding a set does not grow with what is there", "[api][fields]")
{
    // Takes minutes if the sum, or a level of it, is copied for each addition.
    constexpr int count = 100'000;
    field_set sum;
    for (int i = 0; i < count; ++i) {
        field_set one;
        one.insert({"f:spec", "f:" + std::to_string(i)});
        sum.add(std::move(one));
    }
    CHECK(sum.below("f:spec")->steps().size() == count);

    // One path in many notations.
    constexpr int notations_count = 40'000;
    json::object notations;
    for (int i = 0; i < notations_count; ++i)
        notations[R"(k:{"a":)" + std::string(static_cast<std::size_t>(i % 200), ' ') + R"("x")" +
                  std::string(static_cast<std::size_t>(i / 200), ' ') + "}"] =
            json::object{{"f:" + std::to_string(i), json::object{}}};
    const auto read_back = field_set::of_fields(notations).value();
    CHECK(read_back.steps().size() == 1);
    CHECK(read_back.steps().begin()->second.below->steps().size() == notations_count);
}

TEST_CASE("field sets: a path is shown as errors show it", "[api][fields]")
{
    CHECK(path_text({"f:spec", "f:containers", R"(k:{"name":"c"})", "f:image"}) ==
          R"(.spec.containers[name="c"].image)");
    CHECK(path_text({"f:ports", R"(k:{"port":80,"protocol":"TCP"})"}) == R"(.ports[port=80,protocol="TCP"])");
    CHECK(path_text({"f:finalizers", R"(v:"a/b")"}) == R"(.finalizers[="a/b"])");
    // Keys and items of a wrong type.
    CHECK(path_text({"f:containers", R"(k:{"name":{"a":1,"b":["x",null]}})"}) ==
          R"(.containers[name=a=1b=["x",null]])");
    CHECK(path_text({"f:finalizers", R"(v:[{},{"a":true},1.5])"}) == ".finalizers[=[,a=true,1.5]]");
}

TEST_CASE("field sets: steps and what is below them", "[api][fields]")
{
    const auto set = read(R"({"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{}}})").value();
    CHECK(set.has("f:a"));
    CHECK_FALSE(set.has("f:c"));
    CHECK_FALSE(set.has("f:x"));
    REQUIRE(set.below("f:c"));
    CHECK(set.below("f:c")->has("f:d"));
    CHECK_FALSE(set.below("f:x"));
    CHECK_FALSE(set.below("f:a")->below("f:b"));
    CHECK(set.steps().size() == 2);
    CHECK(content_of("f:a.b") == "a.b");
    CHECK(content_of("f").empty());
}
