// Tests of custom resources whose schemas leave parts open, or differ from what is sent: storing, owners, words.
#include "support.hpp"

#include <kubecoro/api/detail/go_format.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string things = "/apis/example.com/v1/namespaces/default/things";

/// A server with a kind that has an open part, a list that is merged as a whole, and a status.
struct with_things : server
{
    with_things()
    {
        expect(
            201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)"
            R"("names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,)"
            R"("subresources":{"status":{},"scale":{"specReplicasPath":".spec.open.n","statusReplicasPath":".status.n"}},)"
            R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
            R"("x-kubernetes-preserve-unknown-fields":true,"properties":{)"
            R"("open":{"type":"object","x-kubernetes-preserve-unknown-fields":true},)"
            R"("any":{"x-kubernetes-preserve-unknown-fields":true},)"
            R"("volumes":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}},)"
            R"("status":{"type":"object","properties":{"phase":{"type":"string"},"n":{"type":"integer"}}}}}}}]}})");
    }
};

std::string thing(const std::string& spec, const std::string& more = {})
{
    return R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":)" + spec + more + "}";
}

/// Replaces the object that is stored.
json::value put(server& s, const std::string& body, const std::string& part = "", const std::string& query = "")
{
    auto next = json::parse(body);
    next.at_pointer("/metadata").as_object()["resourceVersion"] =
        s.expect(200, "GET", things + "/t").at_pointer("/metadata/resourceVersion");
    return s.expect(200, "PUT", things + "/t" + part + query, json::serialize(next));
}

json::value apply(server& s, const std::string& manager, const std::string& body, int status)
{
    return s.expect(status, "PATCH", things + "/t?fieldManager=" + manager, body,
                    {{"content-type", "application/apply-patch+yaml"}});
}

std::string owned(const json::value& object)
{
    std::string out;
    const auto* owners = object.at("metadata").as_object().if_contains("managedFields");
    if (owners != nullptr)
        for (const auto& each : owners->as_array())
            out += std::string(each.at("manager").as_string()) + json::serialize(each.at("fieldsV1")) + "\n";
    return out;
}

std::string message(const apiserver::http_response& r)
{
    return std::string(json::parse(r.body).at("message").as_string());
}

} // namespace

TEST_CASE("apply: what the schema drops when it is stored makes a new generation each time", "[apiserver][apply]")
{
    with_things s;
    for (const std::string spec : {R"({"any":null})", R"({"volumes":[{"name":"v","emptydir":{}}]})"}) {
        CAPTURE(spec);
        const auto made = apply(s, "one", thing(spec), 201);
        const auto stored = s.expect(200, "GET", things + "/t").at("spec");
        CHECK(made.at("spec") == stored);
        CHECK(json::serialize(stored).find("emptydir") == std::string::npos);
        CHECK(json::serialize(stored).find("null") == std::string::npos);
        s.now += std::chrono::seconds(1);
        const auto again = apply(s, "one", thing(spec), 200);
        CHECK(again.at_pointer("/metadata/generation") == 2);
        CHECK(again.at("spec") == stored);
        s.expect(200, "DELETE", things + "/t");
    }
    // Without such a part nothing changes.
    apply(s, "one", thing(R"({"volumes":[{"name":"v"}]})"), 201);
    CHECK(apply(s, "one", thing(R"({"volumes":[{"name":"v"}]})"), 200).at_pointer("/metadata/generation") == 1);
    const auto second = apply(s, "two", thing(R"({"volumes":[{"name":"v"}]})"), 200);
    for (const auto& each : second.at_pointer("/metadata/managedFields").as_array())
        CHECK((each.at("manager") == "two") != each.as_object().contains("time"));
}

TEST_CASE("managed fields: a value that takes the place of an object takes its members from their owners",
          "[apiserver][apply]")
{
    with_things s;
    const auto owners_after = [&](const std::string& manager, const std::string& spec) {
        return owned(put(s, thing(spec), "", "?fieldManager=" + manager));
    };
    s.expect(201, "POST", things + "?fieldManager=one", thing(R"({"open":{"x":{"a":1}}})"));
    CHECK(owners_after("two", R"({"open":{"x":"text"}})") ==
          "one{\"f:spec\":{\".\":{},\"f:open\":{}}}\ntwo{\"f:spec\":{\"f:open\":{\"f:x\":{}}}}\n");
    CHECK(owners_after("three", R"({"open":{"x":{"a":1}}})") ==
          "one{\"f:spec\":{\".\":{},\"f:open\":{}}}\nthree{\"f:"
          "spec\":{\"f:open\":{\"f:x\":{\".\":{},\"f:a\":{}}}}}\n");
    CHECK(owners_after("four", R"({"open":{"x":[]}})").find("f:a") == std::string::npos);
}

TEST_CASE("managed fields: a write whose ignored part is not as the schema says leaves no owners", "[apiserver][apply]")
{
    with_things s;
    const auto made = s.expect(201, "POST", things, thing("{}", R"(,"status":{"phase":7})"));
    CHECK(owned(made).empty());
    CHECK_FALSE(made.as_object().contains("status"));
    s.expect(200, "DELETE", things + "/t");

    CHECK_FALSE(owned(s.expect(201, "POST", things, thing("{}", R"(,"status":{"phase":"x","bogus":1})"))).empty());
    CHECK_FALSE(owned(put(s, thing("{}", R"(,"status":{"n":null})"))).empty());
    CHECK(owned(put(s, thing("{}", R"(,"status":[])"))).empty());
    s.expect(200, "DELETE", things + "/t");

    CHECK_FALSE(owned(s.expect(201, "POST", things, thing("{}"))).empty());
    CHECK(owned(put(s, thing(R"({"volumes":1})", R"(,"status":{"phase":"x"})"), "/status")).empty());
}

TEST_CASE("bodies: times in the metadata are read as Go reads them", "[apiserver][bodies]")
{
    with_things s;
    const auto refused = [&](const std::string& metadata) {
        const auto r =
            s.ask("POST", things,
                  R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t",)" + metadata + "}}");
        return r.status == 400 ? message(r) : std::to_string(r.status);
    };
    CHECK(refused(R"("creationTimestamp":"2018-08-01 09:57:43+00:00")") ==
          R"(Thing in version "v1" cannot be handled as a Thing: parsing time "2018-08-01 09:57:43+00:00" as )"
          R"("2006-01-02T15:04:05Z07:00": cannot parse " 09:57:43+00:00" as "T")");
    CHECK(refused(R"("deletionTimestamp":"q")").ends_with(R"(cannot parse "q" as "2006")"));
    CHECK(refused(R"("managedFields":[{"time":"q"}])").ends_with(R"(cannot parse "q" as "2006")"));
    CHECK(refused(R"("creationTimestamp":5)") ==
          R"(Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number into Go struct field )"
          "ObjectMeta.creationTimestamp of type string");
    CHECK(
        message(s.ask("POST", "/api/v1/namespaces/default/configmaps",
                      R"({"metadata":{"name":"m","creationTimestamp":"2018-13-01T00:00:00Z"}})")) ==
        R"(ConfigMap in version "v1" cannot be handled as a ConfigMap: parsing time "2018-13-01T00:00:00Z": month out of range)");
    CHECK(refused(R"("creationTimestamp":null)") == "201");
}

TEST_CASE("Go's words: what is wrong with a time", "[apiserver][words]")
{
    const auto why = [](std::string_view text) {
        const auto problem = detail::go_time_problem(text);
        if (!problem) return std::string();
        const auto head = problem->find(": ");
        return problem->substr(head + 2);
    };
    for (const auto* good :
         {"2018-01-01T00:00:00Z", "2018-01-01T0:00:00Z", "2018-01-01T00:00:00,5Z", "2018-01-01T00:00:00.123456789012Z",
          "2018-01-01T00:00:00+24:60", "2020-02-29T23:59:59-01:00"})
        CHECK(why(good).empty());
    CHECK(why("") == R"(cannot parse "" as "2006")");
    CHECK(why("20180101") == R"(cannot parse "0101" as "-")");
    CHECK(why("2018-1-01T00:00:00Z") == R"(cannot parse "1-01T00:00:00Z" as "01")");
    CHECK(why("2018-02-30T00:00:00Z") == "day out of range");
    CHECK(why("2018-02-00T00:00:00Z") == "day out of range");
    CHECK(why("2018-01-01t00:00:00z") == R"(cannot parse "t00:00:00z" as "T")");
    CHECK(why("2018-01-01T24:00:00Z") == "hour out of range");
    CHECK(why("2018-01-01T00:00:60Z") == "second out of range");
    CHECK(why("2018-01-01T00:00:00.Z") == R"(cannot parse ".Z" as "Z07:00")");
    CHECK(why("2018-01-01T00:00:00+0100") == R"(cannot parse "+0100" as "Z07:00")");
    CHECK(why("2018-01-01T00:00:00+25:00") == "time zone offset hour out of range");
    CHECK(why("2018-01-01T00:00:00+01:99") == "time zone offset minute out of range");
    CHECK(why("2018-01-01T00:00:00Zx") == R"(extra text: "x")");
    CHECK(why("q\"\\\x01\xc3\xa9") == R"(cannot parse "q\"\\\x01\xc3\xa9" as "2006")");
}

TEST_CASE("Go's words: values in refusals", "[apiserver][words]")
{
    const auto value = json::parse(R"({"b":[1,"x y",null,{}],"a":2.5e10,"c":true,"d":[]})");
    CHECK(detail::go_plain(value) == "map[a:2.5e+10 b:[1 x y <nil> map[]] c:true d:[]]");
    CHECK(detail::go_syntax(value) ==
          R"(map[string]interface {}{"a":2.5e+10, "b":[]interface {}{1, "x y", )"
          R"(interface {}(nil), map[string]interface {}{}}, "c":true, "d":[]interface {}{}})");

    const json::value large = json::array(4, json::string(std::size_t{1} << 19, 'x'));
    for (const auto& shown : {detail::go_plain(large), detail::go_syntax(large)}) {
        CHECK(shown.size() == (std::size_t{1} << 20) + 3);
        CHECK(shown.ends_with("x..."));
    }
    const auto long_time = detail::go_time_problem(std::string(5000, 'q')).value_or("");
    CHECK(long_time.size() < 2200);
    CHECK(long_time.find("q\"... as ") != std::string::npos);

    with_things s;
    CHECK(message(s.ask("POST", things, thing(R"({"open":{"n":[{}]}})")))
              .find("accessor error: [map[]] is of the type []interface {}, expected int64") != std::string::npos);
    const auto r =
        s.ask("PATCH", things + "/t?fieldManager=m", thing(R"({"volumes":{"a":[1]}})", R"(,"status":{"phase":["x"]})"),
              {{"content-type", "application/apply-patch+yaml"}});
    CHECK(message(r) == "failed to create typed patch object (/t; example.com/v1, Kind=Thing): errors:\n"
                        "  .spec.volumes: expected list, got &{map[a:[1]]}\n"
                        R"(  .status.phase: expected string, got &value.valueUnstructured{Value:[]interface {}{"x"}})");
}
