// Expressions of attackers: each ends soon, with a failure or a small value.
#include <kubecoro/cel/program.hpp>
#include <kubecoro/test/catch.hpp>

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
