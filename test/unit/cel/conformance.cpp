// The tests of cel-spec, and expressions of cel-go's and Kubernetes' own tests, with what Kubernetes makes of them: test/cel/conformance
// writes the file and describes it.
#include <kubecoro/cel/program.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/sample_file.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;

namespace {

/// Whether the cases are others than those of the file: random ones, of which messages may differ.
bool are_random() { return std::getenv("KUBECORO_CEL_CASES") != nullptr; }

std::vector<boost::json::object> read_lines()
{
    // Other cases in the same form: `./dev check schemas` makes random ones.
    const char* others = std::getenv("KUBECORO_CEL_CASES");
    const std::string text =
        test::read_samples(others != nullptr ? others : KUBECORO_TEST_DATA "/conformance.jsonl.zst");
    std::vector<boost::json::object> out;
    for (std::string_view rest = text; !rest.empty();) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        out.push_back(boost::json::parse(line).as_object());
    }
    return out;
}

std::string text_in(const boost::json::object& from, std::string_view name)
{
    const auto* found = from.if_contains(name);
    return found != nullptr ? std::string(found->as_string()) : std::string{};
}

/// The bindings of a case, each of which is an expression.
cel::bindings bindings_of(const boost::json::object& from)
{
    cel::bindings out;
    if (const auto* named = from.if_contains("bindings"))
        for (const auto& [name, expression] : named->as_object()) {
            const auto made = cel::program::compile_unchecked(std::string(expression.as_string()));
            REQUIRE(made);
            auto run = made->evaluate({});
            REQUIRE(run.outcome);
            out.emplace(name, *run.outcome);
        }
    return out;
}

/// The value of a case, or `error:` and why there is none.
std::string outcome_of(const boost::json::object& line)
{
    auto made = cel::program::compile(text_in(line, "expr"), {});
    if (!made) made = cel::program::compile_unchecked(text_in(line, "expr"));
    if (!made) return "error: does not compile: " + made.error().message();
    const auto run = made->evaluate(bindings_of(line));
    return run.outcome ? run.outcome->to_text() : "error: " + run.outcome.error().message();
}

bool is_same(const std::string& found, const boost::json::object& expected)
{
    return expected.contains("error") ? found.starts_with("error: ") : found == text_in(expected, "value");
}

/// Whether Kubernetes evaluates it. Some expressions of cel-spec fail before that.
bool is_evaluated(const boost::json::object& line)
{
    const auto* found = line.if_contains("kubernetes");
    return found != nullptr && !found->as_object().contains("issue") &&
           !text_in(found->as_object(), "error").starts_with("program: ");
}

} // namespace

TEST_CASE("CEL expressions have the values that Kubernetes gives them", "[cel]")
{
    std::size_t checked = 0;
    for (const auto& line : read_lines()) {
        if (!is_evaluated(line)) continue;
        ++checked;
        const auto& expected = line.at("kubernetes").as_object();
        const auto found = outcome_of(line);
        if (!is_same(found, expected))
            FAIL_CHECK(text_in(line, "name") << ": " << text_in(line, "expr") << "\n  is " << found << ", not "
                                             << text_in(expected, "value") << text_in(expected, "error"));
    }
    CHECK(checked > 1'000);
}

TEST_CASE("CEL expressions cost what Kubernetes counts", "[cel]")
{
    std::size_t checked = 0;
    for (const auto& line : read_lines()) {
        if (!is_evaluated(line)) continue;
        const auto& expected = line.at("kubernetes").as_object();
        const auto made = cel::program::compile(text_in(line, "expr"), {});
        if (!made || expected.contains("error") || expected.contains("varies") || line.contains("bindings")) continue;
        // An optional without a value that a map holds: cel-go counts two for looking into it.
        if (text_in(line, "expr") == "has({'foo': optional.none()}.foo.bar)") continue;
        ++checked;
        const auto* cost = expected.if_contains("cost");
        const auto wanted = cost != nullptr ? cost->to_number<std::uint64_t>() : 0;
        const auto found = made->evaluate({}).cost;
        if (found != wanted)
            FAIL_CHECK(text_in(line, "name")
                       << ": " << text_in(line, "expr") << "\n  costs " << found << ", not " << wanted);
    }
    CHECK(checked > 1'000);
}

TEST_CASE("CEL expressions are refused, and have types, as in Kubernetes", "[cel]")
{
    std::size_t checked = 0;
    for (const auto& line : read_lines()) {
        const auto* kubernetes = line.if_contains("kubernetes");
        if (kubernetes == nullptr || line.contains("bindings")) continue;
        ++checked;
        const auto made = cel::program::compile(text_in(line, "expr"), {});
        const auto found = made ? made->type() : made.error().message();
        const auto& expected = kubernetes->as_object();
        auto wanted = text_in(expected, expected.contains("issue") ? "issue" : "type");
        if (const auto error = text_in(expected, "error"); error.starts_with("program: ")) {
            // Keys of types that no map has are found when they are used.
            if (error.find("invalid qualifier type") != error.npos) continue;
            wanted = "program instantiation failed: " + error.substr(error.find(' ') + 1);
        }
        // The parser of Kubernetes goes on after a mistake, and names the words that it expects.
        const bool is_syntax =
            found.find("Syntax error: ") != found.npos && wanted.find("Syntax error: ") != found.npos;
        const bool is_first = !made && (wanted.starts_with(found) || (are_random() && wanted.starts_with("ERROR")));
        if (found != wanted && !is_syntax && !is_first)
            FAIL_CHECK(text_in(line, "name")
                       << ": " << text_in(line, "expr") << "\n  is " << found << "\n  not " << wanted);
    }
    CHECK(checked > 1'000);
}

TEST_CASE("CEL expressions that Kubernetes does not check have the values of cel-spec", "[cel]")
{
    std::size_t checked = 0;
    for (const auto& line : read_lines()) {
        const auto* expected = line.if_contains("spec");
        const auto* kubernetes = line.if_contains("kubernetes");
        const bool is_refused = kubernetes != nullptr && kubernetes->as_object().contains("issue");
        if (expected == nullptr || is_evaluated(line) || (is_refused && !line.contains("unchecked"))) continue;
        // Equal keys of different types are different keys to Kubernetes.
        if (text_in(line, "name").ends_with("map_value_repeat_key_heterogeneous")) continue;
        ++checked;
        const auto found = outcome_of(line);
        if (!is_same(found, expected->as_object()))
            FAIL_CHECK(text_in(line, "name")
                       << ": " << text_in(line, "expr") << "\n  is " << found << ", not "
                       << text_in(expected->as_object(), "value") << text_in(expected->as_object(), "error"));
    }
    CHECK((checked > 20 || are_random()));
}
