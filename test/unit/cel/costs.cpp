// The estimated cost of rules, by which a kube-apiserver refuses definitions: compared with what Kubernetes' compiler estimates for the rules
// of its own tests (test/cel/rules writes the file and describes it), and with the words of a kube-apiserver 1.37.
#include <kubecoro/cel/validation_rules.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/sample_file.hpp>

#include "eval/compiled_program.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;

namespace {

/// The estimate for an expression on values with a schema.
std::uint64_t estimate(const std::string& rule, const cel::detail::schema_node& schema, bool has_optional_old)
{
    const auto self = cel::detail::type_of_schema(schema);
    const cel::detail::declared_types variables{
        {"self", self}, {"oldSelf", has_optional_old ? cel::detail::optional_type(self) : self}};
    const auto compiled = cel::detail::compile_program(rule, &variables, &schema);
    return compiled ? (*compiled)->most_cost : 0;
}

void check_line(const boost::json::value& line)
{
    const auto schema = cel::detail::compile_schema(line.at("schema"), line.at("resource").as_bool());
    const auto compare = [&](std::string_view of, std::string_view cost) {
        const std::string rule(line.at(of).as_string());
        if (rule.empty()) return;
        const auto expected = line.at(cost).to_number<std::uint64_t>();
        const auto found = estimate(rule, *schema, line.at("optional").is_bool() && line.at("optional").as_bool());
        if (found != expected)
            FAIL_CHECK(rule << "\n  of " << boost::json::serialize(line.at("schema")).substr(0, 1500) << "\n  costs "
                            << found << ", not " << expected);
    };
    compare("rule", "cost");
    compare("message", "message_cost");
}

} // namespace

TEST_CASE("the estimated cost of rules is that of Kubernetes", "[cel]")
{
    const std::string text = test::read_samples(KUBECORO_TEST_DATA "/costs.jsonl.zst");
    std::size_t checked = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        if (line.find("fakeFunction") != line.npos) continue; // Kubernetes defines it in its tests only.
        check_line(boost::json::parse(line));
        ++checked;
    }
    CHECK(checked > 1'000);
}

namespace {

/// The problems of a definition with this schema, as kubectl prints them.
std::vector<std::string> refusals(std::string_view spec)
{
    const auto schema = boost::json::parse(R"({"type":"object","properties":{"spec":)" + std::string(spec) + "}}");
    std::vector<std::string> out;
    for (const auto& each : cel::validation_rules::of_schema(schema).problems("S")) {
        auto words = each.field + ": " + each.message();
        constexpr std::string_view advice =
            " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and "
            "strings are declared)";
        if (words.ends_with(advice)) words.resize(words.size() - advice.size());
        out.push_back(std::move(words));
    }
    return out;
}

using lines = std::vector<std::string>;
const std::string first_rule = "S.properties[spec].x-kubernetes-validations[0].rule: Forbidden: ";
const std::string second_rule = "S.properties[spec].x-kubernetes-validations[1].rule: Forbidden: ";
const std::string part = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
const std::string whole =
    "S: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema "
    "exceeds budget by factor of ";

} // namespace

TEST_CASE("a definition whose rules may cost too much is refused, in the words of a kube-apiserver", "[cel]")
{
    const std::string unique =
        R"x(},"x-kubernetes-validations":[{"rule":"self.hosts.all(h, self.hosts.exists_one(g, g == h))"}]})x";
    const std::string begin = R"({"type":"object","properties":{"hosts":{"type":"array","maxItems":100,)";
    CHECK(refusals(begin + R"("items":{"type":"string"}})" + unique) ==
          lines{first_rule + "estimated rule cost exceeds budget by factor of more than 100x", first_rule + part,
                whole + "31.5x"});
    CHECK(refusals(begin + R"("items":{"type":"string","maxLength":63}})" + unique).empty());
}

TEST_CASE("a rule of items costs as often as there may be items", "[cel]")
{
    const auto items = [&](const std::string& limits) {
        return R"({"type":"object","properties":{"items":{"type":"array",)" + limits +
               R"x("items":{"type":"object","properties":{"name":{"type":"string","maxLength":10}},
                            "x-kubernetes-validations":[{"rule":"self.name.matches('^[a-z]+$')",
                                                         "messageExpression":"'bad ' + self.name"}]}}}})x";
    };
    CHECK(refusals(items("")) == lines{"S.properties[spec].properties[items].items.x-kubernetes-validations[0].rule: "
                                       "Forbidden: estimated rule cost exceeds budget by factor of 1.258291x"});
    CHECK(refusals(items(R"("maxItems":1000,)")).empty());
}

TEST_CASE("all rules together have a budget, and those that cost most are named first", "[cel]")
{
    CHECK(refusals(R"x({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}},
                        "x-kubernetes-validations":[{"rule":"self.l.map(x, x * 2).filter(y, y > 3).size() < 3"},
                                                    {"rule":"self.l.sortBy(x, -x).size() > 0"}]})x") ==
          lines{first_rule + "estimated rule cost exceeds budget by factor of 4.6x",
                second_rule + "estimated rule cost exceeds budget by factor of more than 100x", second_rule + part,
                first_rule + part, whole + "more than 100x"});
}

TEST_CASE("rules that are compiled with objects alone have no part in the cost of a definition", "[cel]")
{
    CHECK(refusals(R"x({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}},
                        "allOf":[{"x-kubernetes-validations":[{"rule":"self.l.sortBy(x, -x).size() > 0"}]}]})x")
              .empty());
}
