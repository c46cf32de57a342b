#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/other_fields.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <limits>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

object parsed(std::string_view text)
{
    auto o = object::parse(text);
    INFO(text);
    if (!o) FAIL(o.error().describe());
    return *o;
}

value_view first(const object& o) { return o["v"]; }

object holding(std::string_view value) { return parsed("{\"v\":" + std::string(value) + "}"); }

} // namespace

TEST_CASE("object: all values of a null handle are empty", "[api][object]")
{
    const object o;
    CHECK_FALSE(o);
    CHECK(o.name().empty());
    CHECK(o.key() == object_key_view{});
    CHECK_FALSE(o["spec"]["nodeName"]);
    CHECK(o["spec"]["nodeName"].as_string("none") == "none");
    CHECK(o.labels().members().begin() == o.labels().members().end());
    CHECK(o.bytes() == 0);
    CHECK_FALSE(o.has_metadata());
    CHECK_FALSE(o.being_deleted());
}

TEST_CASE("object: metadata is stored in front", "[api][object]")
{
    const object o = parsed(testing_samples::pod);
    CHECK(o.api_version() == "v1");
    CHECK(o.kind() == "Pod");
    CHECK(o.ns() == "web");
    CHECK(o.name() == "front-1");
    CHECK(o.uid() == "7a5c-1");
    CHECK(o.resource_version() == "12345");
    CHECK(o.generation() == 3);
    CHECK(o.being_deleted());
    CHECK(o.labels()["app"].as_string() == "shop");
    CHECK(o.annotations()["note"].as_string() == "a\"b\\c\n\xc3\xa4");
    CHECK(o.owner_references()[0]["kind"].as_string() == "ReplicaSet");
    CHECK(o["spec"]["containers"][std::size_t{1}]["name"].as_string() == "side");
    CHECK(o.metadata().path("labels.app").as_string() == "shop");
    CHECK(o.root().path("spec.nodeName").as_string() == "n1");
    CHECK_FALSE(o.root().path("spec.nodeName.deeper"));
    CHECK_FALSE(o.root().path(""));
    CHECK(to_string(o.key()) == "web/front-1");
}

TEST_CASE("object: handles share one block", "[api][object]")
{
    object a = parsed(testing_samples::pod);
    const object b = a;
    object c = std::move(a);
    CHECK(b.is_same(c));
    CHECK_FALSE(a);
    c = parsed(testing_samples::pod);
    CHECK_FALSE(b.is_same(c));
    CHECK(b.root() == c.root());
    const object& self = c;
    c = self;
    CHECK(c.name() == "front-1");
}

TEST_CASE("object: front fields of the wrong type count as absent", "[api][object]")
{
    const object o =
        parsed(R"({"kind":7,"apiVersion":null,"metadata":{"name":["x"],"namespace":{},"uid":1,"labels":[1],)"
               R"("ownerReferences":{},"deletionTimestamp":null,"generation":"4"}})");
    CHECK(o.kind().empty());
    CHECK(o.api_version().empty());
    CHECK(o.name().empty());
    CHECK(o.ns().empty());
    CHECK(o.uid().empty());
    CHECK_FALSE(o.labels());
    CHECK_FALSE(o.owner_references());
    CHECK_FALSE(o.being_deleted());
    CHECK(o.generation() == 0);
    CHECK_FALSE(o.has_metadata());
    const object odd = parsed(R"({"metadata":"text"})");
    CHECK_FALSE(odd.metadata());
}

TEST_CASE("object: the last of duplicate members counts, and the text keeps all", "[api][object]")
{
    const std::string text = R"({"metadata":{"name":"a","name":"b"},"metadata":{"name":"c","uid":"1","uid":null}})";
    const object o = parsed(text);
    CHECK(o.name() == "c");
    CHECK(o.uid().empty());
    CHECK(o["metadata"]["name"].as_string() == "c");
    CHECK(o.root().size() == 2);
    CHECK(o.to_text() == text);
    CHECK(o.to_json().at("metadata").at("name") == "c");
}

TEST_CASE("object: the last of duplicate members is converted, however many members there are", "[api][object]")
{
    for (const std::size_t others : {3u, 40u}) {
        CAPTURE(others);
        std::string text = R"({"twice":{"first":[1]},)";
        for (std::size_t i = 0; i < others; ++i) text += "\"of " + std::to_string(i) + "\":[],";
        const auto converted = parsed(text + R"("twice":[null,"last"]})").to_json();
        CHECK(converted.as_object().size() == others + 1);
        CHECK(converted.at("twice") == boost::json::value({nullptr, "last"}));
    }
}

TEST_CASE("tape: numbers keep their notation and their value", "[api][tape]")
{
    for (const char* text : {"0",
                             "1",
                             "63",
                             "64",
                             "-1",
                             "127",
                             "128",
                             "-128",
                             "-129",
                             "32767",
                             "32768",
                             "-32769",
                             "2147483647",
                             "2147483648",
                             "-2147483649",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "9223372036854775808",
                             "18446744073709551615",
                             "18446744073709551616",
                             "-9223372036854775809",
                             "1e3",
                             "1E3",
                             "1.0",
                             "-0",
                             "-0.0",
                             "0.1",
                             "12345678901234567890123",
                             "1e400",
                             "1e-400",
                             "123456789.123456789123456789",
                             "-1.5e-10",
                             "0e0",
                             "0.0000000000000000000001"}) {
        INFO(text);
        CHECK(holding(text).to_text() == "{\"v\":" + std::string(text) + "}");
    }
    CHECK(first(holding("63")).kind() == value_kind::integer);
    CHECK(first(holding("-9223372036854775808")).as_int64() == INT64_MIN);
    CHECK(first(holding("9223372036854775807")).as_int64() == INT64_MAX);
    CHECK(first(holding("18446744073709551615")).kind() == value_kind::number);
    CHECK(first(holding("18446744073709551615")).as_int64(-5) == -5);
    CHECK(first(holding("18446744073709551615")).to_json().as_uint64() == UINT64_MAX);
    CHECK(first(holding("-0")).kind() == value_kind::number);
    CHECK(first(holding("-0")).number_text() == "-0");
    CHECK(first(holding("-0")).as_int64(7) == 0);
    CHECK(first(holding("1e3")).as_int64() == 1000);
    CHECK(first(holding("1.50e1")).as_int64() == 15);
    CHECK(first(holding("1.5")).as_int64(9) == 9);
    CHECK(first(holding("-9223372036854775808.0")).as_int64() == INT64_MIN);
    CHECK(first(holding("9223372036854775808.0")).as_int64(1) == 1);
    CHECK(first(holding("2.5")).as_double() == 2.5);
    CHECK(first(holding("7")).as_double() == 7.0);
    CHECK(first(holding("1e400")).as_double() == std::numeric_limits<double>::infinity());
    CHECK(first(holding("-1e-400")).as_double() == 0.0);
}

TEST_CASE("object: a value without a JSON text is rejected", "[api][object]")
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double number : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        const boost::json::array items{1, boost::json::object{{"v", number}}};
        const auto r = object::from_json(boost::json::object{{"items", items}});
        REQUIRE_FALSE(r);
        CHECK(r.error() == cond::corrupt);
        CHECK(detail::written_json(items) == "NaN");
        other_fields others;
        others.set("items", items);
        CHECK(others.text("items") == "NaN");
    }
    CHECK(detail::written_json(boost::json::object{{"v", 0.5}}) == R"({"v":5E-1})");
    CHECK(object::from_json(holding("-1e-400").to_json())->to_text() == "{\"v\":-0E0}");
    CHECK_FALSE(object::from_json(nullptr));
    CHECK_FALSE(object::from_json(boost::json::array{1, 2}));
}

TEST_CASE("object: a number beyond all doubles becomes the largest double in JSON", "[api][object]")
{
    const boost::json::value huge = holding("1e400").to_json();
    CHECK(huge.at("v").as_double() == std::numeric_limits<double>::max());
    CHECK(holding("-1e400").to_json().at("v").as_double() == std::numeric_limits<double>::lowest());
    CHECK(holding("-1e-400").to_json().at("v").as_double() == 0.0);
    const auto again = object::from_json(huge);
    REQUIRE(again);
    CHECK(first(*again).as_double() == std::numeric_limits<double>::max());
}

TEST_CASE("tape: equality is that of JSON values", "[api][tape]")
{
    const auto same = [](std::string_view a, std::string_view b) {
        const object x = holding(a);
        const object y = holding(b);
        const bool forth = first(x) == first(y);
        const bool back = first(y) == first(x);
        REQUIRE(forth == back);
        return forth;
    };
    CHECK(same("1", "1.0"));
    CHECK(same("1", "10e-1"));
    CHECK(same("1000", "1e3"));
    CHECK(same("0", "-0"));
    CHECK(same("0.0", "0e5"));
    CHECK(same("120", "1.2e2"));
    CHECK(same("0.00120", "12E-4"));
    CHECK(same("18446744073709551616", "1.8446744073709551616e19"));
    CHECK_FALSE(same("18446744073709551616", "18446744073709551617"));
    CHECK_FALSE(same("1", "-1"));
    CHECK_FALSE(same("1.0", "-1"));
    CHECK_FALSE(same("1", "\"1\""));
    CHECK_FALSE(same("12", "1"));
    CHECK_FALSE(same("1", "true"));
    CHECK(same("null", "null"));
    CHECK_FALSE(same("null", "false"));
    CHECK(same(R"({"a":1,"b":[1,{"c":2}]})", R"({"b":[1.0,{"c":2}],"a":1})"));
    CHECK_FALSE(same(R"({"a":1,"b":2})", R"({"b":1,"a":2})"));
    CHECK_FALSE(same(R"({"a":1})", R"({"a":1,"b":2})"));
    CHECK_FALSE(same("[1,2]", "[2,1]"));
    CHECK_FALSE(same("[]", "{}"));
    CHECK(same(R"({"a":1,"a":2})", R"({"a":2})"));
    CHECK(same(R"({"a":1,"a":2})", R"({"a":3,"a":2})"));
    CHECK_FALSE(same(R"({"a":2,"a":1})", R"({"a":2,"a":3})"));
    CHECK_FALSE(same(R"({"a":1,"a":2})", R"({"a":1})"));
    CHECK(same("\"\\u0041\"", "\"A\""));
    CHECK(value_view{} == value_view{});
    const object o = holding("null");
    CHECK_FALSE(first(o) == value_view{});
    CHECK_FALSE(first(o) == o["missing"]);
}

TEST_CASE("tape: the last of duplicate keys counts, at any position", "[api][tape]")
{
    const auto same = [](std::string_view a, std::string_view b) {
        const object x = parsed(a);
        const object y = parsed(b);
        return x.root() == y.root();
    };
    CHECK(same(R"({"a":1,"b":2,"a":3})", R"({"a":9,"b":2,"a":3})"));
    CHECK_FALSE(same(R"({"a":1,"b":2,"a":3})", R"({"a":9,"b":0,"a":3})"));
    CHECK_FALSE(same(R"({"b":2,"a":1,"a":3})", R"({"b":0,"a":9,"a":3})"));
    CHECK_FALSE(same(R"({"a":1,"a":3,"b":2})", R"({"a":9,"a":4,"b":2})"));
    CHECK(same(R"({"a":1,"b":1,"a":3,"b":2})", R"({"a":9,"b":8,"a":3,"b":2})"));
    CHECK_FALSE(same(R"({"a":1,"b":1,"a":3,"b":2})", R"({"a":9,"b":8,"a":3,"b":1})"));
    CHECK(same(R"({"a":1,"b":1,"a":3,"b":2})", R"({"b":2,"a":3})"));
    CHECK_FALSE(same(R"({"a":1,"b":1,"a":3,"b":2})", R"({"b":1,"a":3})"));
}

TEST_CASE("tape: duplicate keys are compared without a search for each", "[api][tape]")
{
    // With a search for each, this would take minutes.
    std::string keys;
    for (int i = 0; i < 100'000; ++i) keys += ",\"key-" + std::to_string(i) + "\":";
    const auto twice = [&keys](std::string_view first) {
        std::string text = "{\"z\":0";
        for (const std::string_view value : {first, std::string_view("2")})
            for (const char c : keys) {
                text += c;
                if (c == ':') text += value;
            }
        return parsed(text + "}");
    };
    const object a = twice("1");
    const object b = twice("3");
    CHECK(a.root() == b.root());
    CHECK(a.root().size() == 200'001);
}

TEST_CASE("tape: nested objects with duplicate keys are compared once per level", "[api][tape]")
{
    // With two comparisons per level, this would never end.
    const auto nested = [](std::string_view innermost) {
        std::string text(innermost);
        for (int level = 0; level < 150; ++level) text = R"({"b":0,"a":1,"a":)" + text + "}";
        return parsed(text);
    };
    const object one = nested(R"({"x":1})");
    const object two = nested(R"({"x":2})");
    const object same = nested(R"({"x":1.0})");
    CHECK_FALSE(one.root() == two.root());
    CHECK(one.root() == same.root());
}

TEST_CASE("tape: texts and arrays of every length survive a round trip", "[api][tape]")
{
    for (std::size_t n : {0, 1, 94, 95, 96, 255, 256, 65535, 65536, 1 << 20}) {
        const std::string text(n, 'x');
        const object o = holding("\"" + text + "\"");
        REQUIRE(first(o).as_string() == text);
        REQUIRE(first(o).is_string());
        const object keyed = parsed("{\"" + text + "\":1}");
        REQUIRE(keyed[text].as_int64() == 1);
        REQUIRE(keyed.to_text() == "{\"" + text + "\":1}");
    }
    for (std::size_t n : {0, 1, 100, 127, 128, 300, 10000}) {
        std::string text = "[";
        for (std::size_t i = 0; i < n; ++i) text += (i ? "," : "") + std::to_string(i);
        text += "]";
        const object o = holding(text);
        REQUIRE(first(o).size() == n);
        std::size_t seen = 0;
        for (const value_view item : first(o).items()) REQUIRE(item.as_int64() == static_cast<std::int64_t>(seen++));
        REQUIRE(seen == n);
        REQUIRE(first(o).to_text() == text);
        if (n > 0) REQUIRE(first(o)[n - 1].as_int64() == static_cast<std::int64_t>(n - 1));
        REQUIRE_FALSE(first(o)[n]);
    }
}

TEST_CASE("tape: nesting is limited", "[api][tape]")
{
    const auto nested = [](std::size_t levels) {
        return "{\"v\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
    };
    const object o = parsed(nested(200));
    CHECK(o.to_text() == nested(200));
    const object again = parsed(nested(200));
    CHECK(o.root() == again.root());
    for (std::size_t levels : {201, 1000, 100000}) {
        const auto r = object::parse(nested(levels));
        REQUIRE_FALSE(r);
        CHECK(r.error() == cond::corrupt);
        CHECK(r.error().message().find("nested too deeply") != std::string::npos);
    }
}

TEST_CASE("tape: an object beyond the size limit is rejected", "[api][tape]")
{
    decode_options o;
    o.limits.max_object_bytes = 100;
    CHECK(decode_object("{\"a\":\"" + std::string(80, 'x') + "\"}", o));
    const auto r = decode_object("{\"a\":\"" + std::string(120, 'x') + "\"}", o);
    REQUIRE_FALSE(r);
    CHECK(r.error() == cond::corrupt);
    CHECK(r.error().message().find("an object is larger than 100 bytes") != std::string::npos);
    // The limit applies to the encoded size.
    CHECK(decode_object(
        "{\"a\":\"" + std::string(80, ' ') + R"(\u003c\u003c\u003c\u003c\u003c\u003c"})" + std::string(80, ' '), o));
}

TEST_CASE("tape: managedFields are dropped on request, and only those of the metadata", "[api][tape]")
{
    const std::string text =
        R"({"managedFields":1,"metadata":{"name":"a","managedFields":[{"f:x":{"managedFields":{}}},[[]],1],"z":{"managedFields":2}},)"
        R"("spec":{"metadata":{"managedFields":3},"managedFields":4}})";
    decode_options o;
    o.drop_managed_fields = true;
    const auto pruned = decode_object(text, o);
    REQUIRE(pruned);
    CHECK(pruned->to_text() == R"({"managedFields":1,"metadata":{"name":"a","z":{"managedFields":2}},)"
                               R"("spec":{"metadata":{"managedFields":3},"managedFields":4}})");
    CHECK(decode_object(R"({"metadata":{"managedFields":null}})", o)->to_text() == R"({"metadata":{}})");
    CHECK(decode_object(text)->to_text() == text);
    CHECK_FALSE(decode_object("{\"metadata\":{\"managedFields\":" + std::string(300, '[') + "}}", o));
}

TEST_CASE("tape: every edge document survives a round trip", "[api][tape]")
{
    for (const std::string& text : testing_samples::edge_documents()) {
        INFO(text);
        const object o = parsed(text);
        const object again = parsed(o.to_text());
        CHECK(o.root() == again.root());
        CHECK(o.to_text() == again.to_text());
        CHECK(testing_samples::same_json(o.to_json(), testing_samples::oracle(text)));
        const auto from = object::from_json(testing_samples::oracle(text));
        REQUIRE(from);
        CHECK(testing_samples::same_json(from->to_json(), testing_samples::oracle(text)));
    }
}

TEST_CASE("tape: anything but one JSON object is rejected", "[api][tape]")
{
    for (const std::string& text : testing_samples::broken_documents()) {
        INFO(text);
        const auto r = object::parse(text);
        REQUIRE_FALSE(r);
        CHECK(r.error() == cond::corrupt);
        CHECK_FALSE(r.error().message().empty());
    }
}

TEST_CASE("tape: a document cut at any byte is rejected", "[api][tape]")
{
    for (const std::string& text : testing_samples::edge_documents()) {
        if (text.size() > 5000) continue;
        const std::size_t end = text.find_last_of('}');
        for (std::size_t n = 0; n <= end; ++n) {
            if (object::parse(text.substr(0, n))) FAIL("accepted: " << text.substr(0, n));
        }
        SUCCEED();
    }
}

TEST_CASE("tape: random documents agree with Boost.JSON", "[api][tape]")
{
    testing_samples::generator random(20240607);
    for (int i = 0; i < 2000; ++i) {
        const std::string text = random.document();
        INFO("document " << i << ": " << text);
        const object o = parsed(text);
        REQUIRE(testing_samples::same_json(o.to_json(), testing_samples::oracle(text)));
        const object again = parsed(o.to_text());
        REQUIRE(o.root() == again.root());
        const object shuffled = parsed(random.shuffled(o.root()));
        REQUIRE(o.root() == shuffled.root());
    }
}

TEST_CASE("object_key: parses what it prints", "[api][object]")
{
    CHECK(object_key::parse("web/front")->ns == "web");
    CHECK(object_key::parse("node-1")->name == "node-1");
    for (const char* bad : {"", "/", "a/", "/a", "a/b/c"}) {
        INFO(bad);
        const auto k = object_key::parse(bad);
        REQUIRE_FALSE(k);
        CHECK(k.error() == cond::invalid);
    }
    CHECK(to_string(object_key("a", "b")) == "a/b");
    CHECK(to_string(object_key("", "b")) == "b");
    CHECK(object_key_hash{}(object_key("a", "b")) == object_key_hash{}(object_key_view{"a", "b"}));
    CHECK(object_key_hash{}(object_key("a", "b")) != object_key_hash{}(object_key("b", "a")));
}
