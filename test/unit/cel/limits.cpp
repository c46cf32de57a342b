// Expressions of attackers: each ends soon, with a failure or a small value.
#include <kubecoro/cel/program.hpp>
#include <kubecoro/cel/validation_rules.hpp>
#include <kubecoro/test/catch.hpp>

#include "values/compare.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <string_view>

using namespace kubecoro;

namespace {

std::string repeated(std::string_view text, std::size_t times)
{
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

/// The value, or why there is none.
std::string outcome_of(const std::string& expression, const cel::budget& limits = {})
{
    const auto made = cel::program::compile_unchecked(expression);
    if (!made) return made.error().message();
    const auto run = made->evaluate({}, limits);
    return run.outcome ? run.outcome->to_text() : run.outcome.error().message();
}

/// A text of 16 bytes of which libstdc++'s hash, MurmurHash64A with a known seed, is the same for all numbers.
std::string colliding(std::uint64_t number)
{
    constexpr std::uint64_t factor = 0xc6a4a7935bd1e995;
    std::uint64_t inverse = factor;
    for (int i = 0; i < 6; ++i) inverse *= 2 - factor * inverse;
    const auto mixed = [](std::uint64_t v) { return v ^ (v >> 47); };
    const std::uint64_t begin = 0xc70f6907 ^ (16 * factor);
    const std::uint64_t first = (begin ^ (mixed(number * factor) * factor)) * factor;
    const std::uint64_t second = mixed(first * inverse) * inverse;
    std::string out(16, '\0');
    std::memcpy(out.data(), &number, 8);
    std::memcpy(out.data() + 8, &second, 8);
    return out;
}

bool is_stopped(const std::string& outcome) { return outcome.starts_with("operation cancelled: "); }

} // namespace

TEST_CASE("nesting of CEL expressions is bounded", "[cel]")
{
    CHECK(outcome_of(repeated("(", 200) + "1" + repeated(")", 200)) == "1");
    CHECK(outcome_of(repeated("(", 300) + "1" + repeated(")", 300)).find("recursion limit") != std::string::npos);
    CHECK(outcome_of(repeated("1 + ", 400) + "1") == "401");
    CHECK(outcome_of(repeated("1 + ", 600) + "1").find("recursion limit") != std::string::npos);
    CHECK(outcome_of(repeated("[[1]]", 20'000)).find("recursion limit") != std::string::npos);
    CHECK(outcome_of(repeated("!", 50'000) + "true") == "true");
    CHECK(outcome_of(repeated("1", 100'001)).starts_with("expression size exceeds limit"));
}

TEST_CASE("memory and time of CEL evaluations are bounded", "[cel]")
{
    CHECK(is_stopped(outcome_of("['a']" + repeated(".map(x, x + x)", 40))));
    CHECK(is_stopped(outcome_of("optional.of([1])" + repeated(".optMap(x, x + x)", 60))));
    CHECK(is_stopped(outcome_of("lists.range(1000000).map(x, x)")));
    CHECK(is_stopped(outcome_of("lists.range(100000).distinct()")));
    CHECK(is_stopped(outcome_of("lists.range(3000).all(x, lists.range(3000).all(y, true))")));
    CHECK(is_stopped(outcome_of("'%.1000000f'.format([1.0])")));
    CHECK(is_stopped(outcome_of("lists.range(20000).all(x, 'aaaaa'.matches(string(x) + '(a{1,500}){1,2}') || true)")));
    CHECK(outcome_of("lists.range(9000).all(x, ('a' + string(x)).matches('^a' + string(x) + '$'))") == "true");
    CHECK(is_stopped(outcome_of("'a'.replace('', '0123456789').replace('', '0123456789')", {1'000'000, 100})));
    CHECK(outcome_of("'a'.matches('(a{1,1000}){1,1000}')").starts_with("error parsing regexp: "));
}

TEST_CASE("CEL values that share their parts are neither compared nor written as a whole", "[cel]")
{
    const std::string tree = "[1]" + repeated(".map(x, [x, x])", 40);
    CHECK(outcome_of(tree).size() < std::size_t{2 << 20});
    CHECK(is_stopped(outcome_of("[" + tree + "].all(t, t == t)")));
    CHECK(is_stopped(outcome_of(tree + " in [" + tree + "]")));
    CHECK(is_stopped(outcome_of("'%s'.format([" + tree + "])")));
}

TEST_CASE("nothing absorbs an exhausted budget of CEL", "[cel]")
{
    const cel::budget little{50, 1 << 20};
    CHECK(is_stopped(outcome_of("lists.range(100).all(x, x >= 0) || true", little)));
    CHECK(is_stopped(outcome_of("false && lists.range(100).all(x, x >= 0) || lists.range(90).size() > 0", little)));
}

TEST_CASE("keys of CEL maps that have one known hash have others here", "[cel]")
{
    std::set<std::size_t> known, ours;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const auto text = colliding(i);
        known.insert(std::hash<std::string>{}(text));
        ours.insert(cel::detail::hash_of_key(cel::value(text)));
    }
    CHECK(known.size() == 1);
    CHECK(ours.size() == 1000);
    std::set<std::size_t> numbers;
    for (std::int64_t i = 0; i < 1000; ++i)
        numbers.insert(cel::detail::hash_of_key(cel::value::of_int(i << 40)) % 65536);
    CHECK(numbers.size() > 900);
}

TEST_CASE("members of objects that CEL cannot see are compared by their names", "[cel]")
{
    // Takes minutes if each is searched for among the others.
    constexpr int count = 60'000;
    const auto rules = cel::validation_rules::of_schema(boost::json::parse(
        R"({"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,)"
        R"("properties":{"a":{"type":"string"}},"x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}})"));
    boost::json::object spec;
    for (int i = 0; i < count; ++i) spec["m" + std::to_string(i)] = i;
    const boost::json::value before{{"spec", spec}};
    CHECK(rules.check(before, &before).errors.empty());
    spec["m1"] = "changed";
    CHECK(rules.check(boost::json::value{{"spec", spec}}, &before).errors.size() == 1);
}
