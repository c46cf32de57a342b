#include "schema/match_conditions.hpp"

#include "text/json_text.hpp"

#include <kubecoro/cel/program.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {
namespace {

/// The cost of all conditions of a webhook.
constexpr std::uint64_t most_cost = 2'500'000;

/// The type of the variable `request`.
constexpr std::string_view request_schema =
    R"({"type":"object","properties":{"kind":{"type":"object","properties":{"group":{"type":"string"},)"
    R"("version":{"type":"string"},"kind":{"type":"string"}}},"resource":{"type":"object","properties":)"
    R"({"group":{"type":"string"},"version":{"type":"string"},"resource":{"type":"string"}}},)"
    R"("subResource":{"type":"string"},"requestKind":{"type":"object","properties":{"group":{"type":"string"},)"
    R"("version":{"type":"string"},"kind":{"type":"string"}}},"requestResource":{"type":"object","properties":)"
    R"({"group":{"type":"string"},"version":{"type":"string"},"resource":{"type":"string"}}},)"
    R"("requestSubResource":{"type":"string"},"name":{"type":"string"},"namespace":{"type":"string"},)"
    R"("operation":{"type":"string"},"userInfo":{"type":"object","properties":{"username":{"type":"string"},)"
    R"("uid":{"type":"string"},"groups":{"type":"array","items":{"type":"string"}},"extra":{"type":"object",)"
    R"("additionalProperties":{"type":"array","items":{"type":"string"}}}}},"dryRun":{"type":"boolean"},)"
    R"("options":{"x-kubernetes-preserve-unknown-fields":true}}})";

const cel::declarations& variables()
{
    static const cel::declarations all{
        {"object", "dyn"}, {"oldObject", "dyn"}, {"namespaceObject", "dyn"}, {"request", std::string(request_schema)}};
    return all;
}

/// Errors: cond::invalid.
result<cel::program> compiled_condition(const std::string& expression)
{
    auto made = cel::program::compile(expression, variables());
    if (!made) {
        const auto any = cel::program::compile_unchecked(expression);
        if (any && any->mentions("authorizer"))
            return failure(cond::invalid, "this embedded API server has no variable authorizer");
        const std::string why(made.error().message());
        return failure(cond::invalid,
                       (why.starts_with("program instantiation failed: ") ? "" : "compilation failed: ") + why);
    }
    if (made->type() != "bool") return failure(cond::invalid, "must evaluate to bool but got " + made->type());
    return made;
}

/// Several problems, as a kube-apiserver puts them together.
std::string together(const std::vector<std::string>& problems)
{
    if (problems.size() == 1) return problems.front();
    std::string out;
    for (const auto& each : problems) out += (out.empty() ? "[" : ", ") + each;
    return out + "]";
}

} // namespace

std::string condition_problem(const std::string& expression)
{
    const auto made = compiled_condition(expression);
    return made ? std::string() : made.error().message();
}

result<bool> conditions_hold(const json::array& conditions, const json::object& request)
{
    json::value about = request;
    for (const char* member : {"object", "oldObject", "uid"}) about.get_object().erase(member);
    static const json::value null;
    const auto part = [&](const char* name) {
        const auto* v = request.if_contains(name);
        return cel::value::of_json(v ? *v : null);
    };
    const cel::bindings named{{"object", part("object")},
                              {"oldObject", part("oldObject")},
                              {"namespaceObject", cel::value()},
                              {"request", cel::value::of_json(about)}};
    std::uint64_t left = most_cost;
    std::vector<std::string> problems;
    bool holds = true;
    for (const auto& condition : conditions) {
        const std::string expression(text_at(condition, "expression"));
        const auto made = compiled_condition(expression);
        if (!made) {
            problems.push_back("compilation error: " + made.error().message());
            continue;
        }
        const auto done = made->evaluate(named);
        if (done.cost > left)
            return failure(cond::invalid, "validation failed due to running out of cost budget, no further validation "
                                          "rules will be run");
        left -= done.cost;
        if (!done.outcome)
            problems.push_back("expression '" + expression + "' resulted in error: " + done.outcome.error().message());
        else if (!done.outcome->as_bool())
            holds = false;
    }
    if (holds && !problems.empty()) return failure(cond::invalid, together(problems));
    return holds;
}

} // namespace kubecoro::apiserver
