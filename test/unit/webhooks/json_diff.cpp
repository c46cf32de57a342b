// JSON patches made from two versions. That applying them gives the new version is checked with the embedded server's patches.
#include "patch/patch.hpp"
#include "review/json_diff_core.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/random_amount.hpp>
#include <kubecoro/test/random_values.hpp>

#include <boost/json.hpp>

#include <string>
#include <string_view>

using namespace kubecoro;
namespace json = boost::json;

namespace {

/// The patch, after it was seen to give the new version.
std::string between(std::string_view from, std::string_view to)
{
    const auto before = json::parse(from).as_object(), after = json::parse(to).as_object();
    const auto patch = detail::json_patch(before, after);
    json::value doc = before;
    CHECK(apiserver::apply_json_patch(doc, patch));
    CHECK(doc == json::value(after));
    return json::serialize(patch);
}

/// Changes one value somewhere below.
void change(json::value& v, test::random_values& random, int depth)
{
    if (v.is_object() && !random.one_in(6)) {
        auto& o = v.get_object();
        if (o.empty() || random.one_in(3))
            o[random.one_in(4) ? "a/b~c" : random.name()] = random.any(depth);
        else if (random.one_in(3))
            o.erase(o.begin() + static_cast<std::ptrdiff_t>(random.below(o.size())));
        else
            change((o.begin() + static_cast<std::ptrdiff_t>(random.below(o.size())))->value(), random, depth - 1);
    } else if (v.is_array() && !random.one_in(6)) {
        auto& a = v.get_array();
        const auto place = [&](std::size_t n) { return a.begin() + static_cast<std::ptrdiff_t>(random.below(n)); };
        if (a.empty() || random.one_in(3))
            a.insert(place(a.size() + 1), random.any(depth));
        else if (random.one_in(3))
            a.erase(place(a.size()));
        else
            change(*place(a.size()), random, depth - 1);
    } else {
        v = random.any(depth > 0 ? depth : 0);
    }
}

} // namespace

TEST_CASE("json patch: one operation for each change, and none without", "[webhooks][patch]")
{
    CHECK(between(R"({"a":{"b":[1,{"c":2}]}})", R"({"a":{"b":[1,{"c":2}]}})") == "[]");
    CHECK(
        between(R"({"a":1,"b":2})", R"({"a":3,"c":{}})") ==
        R"([{"op":"remove","path":"/b"},{"op":"replace","path":"/a","value":3},{"op":"add","path":"/c","value":{}}])");
    CHECK(between(R"({"a":{"long member":"x","other":"y"}})", R"({"a":{"long member":"z","other":"y"}})") ==
          R"([{"op":"replace","path":"/a/long member","value":"z"}])");
    CHECK(between(R"({"a":{"b":1}})", R"({"a":[1]})") == R"([{"op":"replace","path":"/a","value":[1]}])");
}

TEST_CASE("json patch: names are escaped", "[webhooks][patch]")
{
    CHECK(between(R"({})", R"({"example.com/a~b":1})") == R"([{"op":"add","path":"/example.com~1a~0b","value":1}])");
    CHECK(between(R"({"":1})", R"({"":2})") == R"([{"op":"replace","path":"/","value":2}])");
}

TEST_CASE("json patch: items are inserted, removed and changed where they are", "[webhooks][patch]")
{
    const std::string a = R"({"name":"a","image":"registry.example.com/a:1"})",
                      b = R"({"name":"b","image":"registry.example.com/b:1"})",
                      c = R"({"name":"c","image":"registry.example.com/c:1"})";
    const auto list = [](const std::string& items) { return R"({"l":[)" + items + "]}"; };
    CHECK(between(list(a + "," + c), list(a + "," + b + "," + c)) ==
          R"([{"op":"add","path":"/l/1","value":)" + b + "}]");
    CHECK(between(list(a + "," + b + "," + c), list(a + "," + c)) == R"([{"op":"remove","path":"/l/1"}])");
    CHECK(between(list(a + "," + b + "," + c), list(b + "," + c)) == R"([{"op":"remove","path":"/l/0"}])");
    CHECK(between(list(a), list(a + "," + b)) == R"([{"op":"add","path":"/l/1","value":)" + b + "}]");
    CHECK(between(list(a + "," + b), list(a + R"(,{"name":"b","image":"registry.example.com/b:2"})")) ==
          R"([{"op":"replace","path":"/l/1/image","value":"registry.example.com/b:2"}])");
    CHECK(between(list(a + "," + b), list("")) == R"([{"op":"replace","path":"/l","value":[]}])");
}

TEST_CASE("json patch: a value is replaced as a whole where that is shorter", "[webhooks][patch]")
{
    CHECK(between(R"({"l":[1,2,3,4]})", R"({"l":[5,6,7,8]})") == R"([{"op":"replace","path":"/l","value":[5,6,7,8]}])");
}

TEST_CASE("json patch: long lists without a common part are compared by their places", "[webhooks][patch]")
{
    json::array before, after;
    for (int i = 0; i < 3000; ++i) {
        before.emplace_back(i);
        after.emplace_back(-1 - i);
    }
    after.emplace_back("last");
    const json::object a{{"l", before}}, b{{"l", after}};
    json::value doc = a;
    REQUIRE(apiserver::apply_json_patch(doc, detail::json_patch(a, b)));
    CHECK(doc == json::value(b));
}

TEST_CASE("json patch: applied to random objects it gives the changed ones", "[webhooks][patch]")
{
    const auto amount = test::wanted_amount();
    for (std::size_t i = 0; i < amount.each * 5; ++i) {
        const auto seed = amount.seed + i;
        CAPTURE(seed);
        test::random_values random(seed);
        json::value before = json::object();
        for (std::size_t n = random.below(6); n-- > 0;) before.get_object()[random.name()] = random.any(4);
        json::value after = before;
        for (std::size_t n = random.below(5); n-- > 0;) change(after, random, 4);
        if (!after.is_object()) continue;
        const auto patch = detail::json_patch(before.get_object(), after.get_object());
        CHECK(patch.empty() == (before == after));
        REQUIRE(apiserver::apply_json_patch(before, patch));
        REQUIRE(before == after);
    }
}
