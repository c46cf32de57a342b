// A schema with rules as a validator, by itself and as a webhook.
#include "conversion_world.hpp"

#include <kubecoro/cel/object_validator.hpp>

using namespace webhooks_test;
using namespace manager_test;

namespace {

object_schema with_rules(const char* rules)
{
    const auto text =
        std::string(R"({"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":)") + rules +
        R"(,"properties":{"replicas":{"type":"integer","maximum":9},)"
        R"("hosts":{"type":"array","maxItems":5,"items":{"type":"string"}}}}}})";
    return object_schema::of_schema(json::parse(text), site::resource()).value();
}

constexpr const char* rules = R"([{"rule":"self.hosts.size() > 0","message":"a host is needed"},
                                  {"rule":"!has(oldSelf.replicas) || self.replicas >= oldSelf.replicas"}])";

struct range
{
    int least = 0;
    int most = 0;
    static std::vector<field_rule> field_rules()
    {
        return {
            {.more = {{"x-kubernetes-validations", json::array{json::object{{"rule", "self.least <= self.most"},
                                                                            {"message", "least is above most"}}}}}}};
    }
};
BOOST_DESCRIBE_STRUCT(range, (), (least, most))

struct ranges
{
    static resource_type resource() { return {"example.com", "v1", "ranges", "Ranges"}; }
    meta_v1::object_meta metadata;
    std::vector<range> spec;
    static std::vector<field_rule> field_rules() { return {{.field = "spec", .max_items = 5}}; }
};
BOOST_DESCRIBE_STRUCT(ranges, (), (metadata, spec))

} // namespace

TEST_CASE("validator: a struct's own rules are checked wherever it is a part", "[webhooks][cel]")
{
    const auto valid = cel::object_validator::of(object_schema::of<ranges>().value()).value();
    const auto with = [](int least, int most) {
        return json::value{{"apiVersion", "example.com/v1"},
                           {"kind", "Ranges"},
                           {"metadata", {{"name", "r"}}},
                           {"spec", {{{"least", 1}, {"most", 2}}, {{"least", least}, {"most", most}}}}};
    };
    CHECK(valid.check(with(3, 3)));
    CHECK(refusal(valid.check(with(4, 3))) ==
          "422 Ranges.example.com \"r\" is invalid: spec[1]: Invalid value: least is above most");
}

TEST_CASE("validator: a schema and its rules", "[webhooks][cel]")
{
    const auto valid = cel::object_validator::of(with_rules(rules)).value();
    const auto object = [](const char* spec) {
        return json::value(site_object("v2", "blog", json::parse(spec).as_object()));
    };
    const std::string begin = "422 Site.example.com \"blog\" is invalid: ";
    CHECK(valid.check(object(R"({"hosts":["a"],"replicas":3})")));
    CHECK(refusal(valid.check(object(R"({"hosts":[]})"))) == begin + "spec: Invalid value: a host is needed");
    CHECK(refusal(valid.check(object(R"({"hosts":[],"replicas":10})")))
              .find("should be less than or equal to 9, spec: Invalid value: a host is needed") != std::string::npos);
    // On values of wrong types no rule is evaluated.
    const auto wrong = refusal(valid.check(object(R"({"hosts":"a"})")));
    CHECK(wrong.find("some validation rules were not checked") != std::string::npos);
    CHECK(wrong.find("a host is needed") == std::string::npos);
    const auto before = object(R"({"hosts":["a"],"replicas":3})");
    CHECK_FALSE(valid.check(object(R"({"hosts":["a"],"replicas":2})"), before));
    CHECK(valid.check(object(R"({"hosts":["a"],"replicas":4})"), before));
    const auto broken = cel::object_validator::of(with_rules(R"([{"rule":"self.nothing > 0"}])"));
    REQUIRE_FALSE(broken);
    CHECK(broken.error().message().find("undefined field 'nothing'") != std::string::npos);
    CHECK(broken.error() == cond::invalid);
}

TEST_CASE("validator: an admission webhook evaluates the rules of a schema", "[webhooks][cel]")
{
    const auto schema = with_rules(rules);
    for (const bool made : {false, true}) {
        converted_world c;
        if (made)
            c.hooks.validates<site>(cel::object_validator::of(schema).value());
        else
            c.hooks.validates<site>(schema);
        c.install();
        CHECK(c.w.run.run(c.create_v2("blog")));
        const auto patch = [&](const char* text) {
            return c.w.run.run(
                c.w.cluster.patch(site::resource(), "default", "blog", patch_kind::merge, json::parse(text)));
        };
        CHECK(patch(R"({"spec":{"replicas":4}})"));
        CHECK(refusal(patch(R"({"spec":{"replicas":3}})"))
                  .starts_with("422 admission webhook \"validate.sites.example.com\" "
                               "denied the request: Site.example.com \"blog\" is "
                               "invalid: spec: Invalid value"));
        CHECK(c.w.run.run(c.w.cluster.remove(site::resource(), "default", "blog")));
    }
}

TEST_CASE("validator: a webhook with rules that do not compile is refused when it is added", "[webhooks][cel]")
{
    converted_world c;
    CHECK_THROWS_WITH(c.hooks.validates<site>(with_rules(R"([{"rule":"self.nothing > 0"}])")),
                      Catch::Contains("undefined field 'nothing'"));
}
