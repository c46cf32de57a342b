// Tests of long names that stand above many fields: answers stay small, though each of the fields has the name in its path.
#include "roles.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string things = "/apis/example.com/v1/namespaces/default/things";
/// A hundred fields in the path of which it is are 10 MB.
const std::string long_name(100'000, 'n');
constexpr std::size_t small_answer = 4'000'000;

std::string definition(const std::string& schema)
{
    return R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
           R"({"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
           R"({"openAPIV3Schema":{"type":"object",)" +
           schema + "}}}]}}";
}

/// `"name":{"f0":value,"f1":value,...}`
std::string above(const std::string& name, int count, const std::string& value)
{
    std::string out = "\"" + name + "\":{";
    for (int i = 0; i < count; ++i) out += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":" + value;
    return out + "}";
}

struct serving_things : cluster
{
    explicit serving_things(const std::string& schema) { expect(201, "POST", crds, definition(schema)); }

    apiserver::http_response apply(const std::string& manager, const std::string& spec)
    {
        return ask("PATCH", things + "/a?fieldManager=" + manager,
                   R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{)" + spec + "}}",
                   {{"Content-Type", "application/apply-patch+yaml"}});
    }
};

std::string why(const apiserver::http_response& r)
{
    return std::string(json::parse(r.body).at("message").as_string());
}

} // namespace

TEST_CASE("long names: what is wrong with a schema is listed as far as there is room", "[apiserver][limits]")
{
    server s;
    const auto refused = [&](const std::string& parts) {
        auto r = s.ask("POST", crds, definition(R"("properties":{)" + parts + "}"));
        CHECK(r.status == 422);
        CHECK(r.body.size() < small_answer);
        return r;
    };
    // Parts without a type.
    const auto in_type = R"("type":"object",)" + above("properties", 2'000, "{}");
    refused("\"" + long_name + "\":{" + in_type + "}");
    const auto many = json::parse(refused(R"("short":{)" + in_type + "}").body);
    CHECK(many.at_pointer("/details/causes").as_array().size() == 100);
    CHECK(many.at_pointer("/details/causes/0/field") ==
          "spec.validation.openAPIV3Schema.properties[short].properties[f0].type");
}

TEST_CASE("long names: the paths in a schema are bounded together", "[apiserver][limits]")
{
    server s;
    const auto post = [&](const std::string& name, const std::string& part) {
        return s.ask("POST", crds, definition(R"("properties":{")" + name + R"(":{"type":"object",)" + part + "}}"));
    };
    const auto parts = above("properties", 700, R"({"type":"string"})");
    std::string rules = R"("x-kubernetes-validations":[{"rule":"true"})";
    for (int i = 1; i < 700; ++i) rules += R"(,{"rule":"true"})";
    rules += "]";
    for (const auto& part : {parts, rules}) {
        const auto refused = post(long_name, part);
        CHECK(refused.status == 422);
        CHECK(refused.body.size() < small_answer);
        CHECK(post("short", part).status == 201);
        s.expect(200, "DELETE", crds + "/things.example.com");
    }
}

TEST_CASE("long names: conflicts are listed as far as there is room, and all are counted", "[apiserver][limits]")
{
    serving_things s(R"("x-kubernetes-preserve-unknown-fields":true)");
    CHECK(s.apply("one", above(long_name, 2'000, "1")).status == 201);
    const auto refused = s.apply("two", above(long_name, 2'000, "2"));
    CHECK(refused.status == 409);
    CHECK(refused.body.size() < small_answer);
    CHECK(why(refused).starts_with("Apply failed with 2000 conflicts: conflicts with \"one\":\n- .spec.nnn"));
}

TEST_CASE("long names: misfits of a configuration are listed as far as there is room", "[apiserver][limits]")
{
    serving_things s(R"("properties":{"spec":{"type":"object","additionalProperties":{"type":"object",)"
                     R"("additionalProperties":{"type":"integer"}}}})");
    const auto refused = s.apply("one", above(long_name, 2'000, R"("text")"));
    CHECK(refused.status == 500);
    CHECK(refused.body.size() < small_answer);
    CHECK(why(s.apply("one", above("short", 2, R"("text")")))
              .ends_with("errors:\n  .spec.short.f0: expected numeric (int or float), got string\n"
                         "  .spec.short.f1: expected numeric (int or float), got string"));
}

TEST_CASE("long names: doubtful fields are listed as far as there is room", "[apiserver][strict]")
{
    serving_things s(R"("x-kubernetes-preserve-unknown-fields":true)");
    SECTION("duplicates")
    {
        auto twice = above(long_name, 200, "1");
        twice.back() = ',';
        twice += above(long_name, 200, "1").substr(long_name.size() + 4);
        const auto refused =
            s.ask("POST", maps + "?fieldValidation=Strict", R"({"metadata":{"name":"a"},)" + twice + "}");
        CHECK(refused.status == 400);
        CHECK(refused.body.size() < small_answer);
    }
    SECTION("unknown fields")
    {
        const auto refused = s.ask("POST", crds + "?fieldValidation=Strict",
                                   definition(R"("properties":{)" + above(long_name, 200, "1") + "}"));
        CHECK(refused.status == 400);
        CHECK(refused.body.size() < small_answer);
    }
    SECTION("a warning that does not fit into a header is left out")
    {
        const auto field = "\"" + long_name + "\":1";
        const auto applied = s.apply("one", field + "," + field);
        CHECK(applied.status == 201);
        CHECK(applied.header("warning").empty());
        CHECK(s.apply("one", R"("b":1,"b":1)").header("warning") == R"(299 - "duplicate field \"spec.b\"")");
    }
}

TEST_CASE("long names: rights that are missing are listed as far as there is room", "[apiserver][roles]")
{
    cluster c;
    c.role("granter", R"([{"verbs":["create"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]}])");
    c.bind("granter", "Role", "granter", bob);
    std::string names;
    for (int i = 0; i < 100; ++i) names += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
    const auto refused = c.ask("POST", rbac + "namespaces/default/roles",
                               R"({"metadata":{"name":"r"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":[")" +
                                   long_name + R"("],"resourceNames":[)" + names + "]}]}",
                               {{"Impersonate-User", "bob"}});
    CHECK(refused.status == 403);
    CHECK(refused.body.size() < small_answer);
}
