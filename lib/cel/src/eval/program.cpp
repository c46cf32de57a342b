#include <kubecoro/cel/program.hpp>

#include "eval/compiled_program.hpp"
#include "eval/evaluator.hpp"
#include "eval/fold.hpp"
#include "syntax/parser.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace kubecoro::cel {

namespace detail {

known_patterns literal_patterns(const tree& in)
{
    known_patterns out;
    for (const auto& each : in.nodes) {
        if (each.kind != node_kind::call || each.function == nullptr || each.function->cost != call_cost::match)
            continue;
        const auto children = in.children_of(each);
        if (children.size() < 2 || in[children[1]].kind != node_kind::literal) continue;
        const auto& literal = in.literals[in[children[1]].content];
        if (!literal.is(value_type::string)) continue;
        out.emplace(literal.as_string(), std::make_shared<const kubecoro::detail::pattern>(literal.as_string()));
    }
    return out;
}

bool mentions_variable(const tree& in, std::string_view name)
{
    return std::any_of(in.nodes.begin(), in.nodes.end(), [&](const node& each) {
        return each.kind == node_kind::identifier && in.name_of(each) == name;
    });
}

namespace {

/// The sum of no items depends on the type that the checker has found, and so does the cost of reading an address: it is that
/// of a text, also if the text fails.
void choose_overloads(tree& in, const std::vector<type_ref>& types)
{
    for (node_id id = 0; id < in.nodes.size(); ++id) {
        auto& each = in.nodes[id];
        if (each.kind != node_kind::call || each.function == nullptr) continue;
        const auto name = each.function->name;
        const bool is_sum = name == "sum";
        if (!is_sum && name != "containsIP" && name != "containsCIDR") continue;
        const auto& type = types[is_sum ? id : in.children_of(each)[1]];
        if (type == nullptr) continue;
        if (const auto* chosen = find_function("@" + std::string(name) + "_" + write_type(*type)))
            each.function = chosen;
    }
}

failure refused(const tree& in, const std::vector<compile_problem>& problems)
{
    std::string words;
    for (const auto& each : problems) words += (words.empty() ? "" : "\n") + located(in.text, each.at, each.words);
    return failure(cond::invalid, std::move(words));
}

} // namespace

result<std::shared_ptr<const compiled_program>> compile_program(std::string text, const declared_types* variables,
                                                                const schema_node* sized)
{
    auto parsed = parse(std::move(text), variables == nullptr);
    if (!parsed) return parsed.error();
    auto out = std::make_shared<compiled_program>();
    out->expression = *std::move(parsed);
    const tree& in = out->expression;
    if (variables != nullptr) {
        const auto found = check(in, *variables);
        if (!found.problems.empty()) return refused(in, found.problems);
        if (const auto problems = check_literals(in, found.types); !problems.empty()) return refused(in, problems);
        if (sized != nullptr) out->most_cost = estimated_cost(in, found, *sized);
        choose_overloads(out->expression, found.types);
        out->type = write_type(*found.types[in.root]);
    }
    const auto problem = fold_constants(out->expression);
    out->patterns = literal_patterns(in);
    if (variables != nullptr) {
        if (!problem.empty()) return failure(cond::invalid, "program instantiation failed: " + problem);
        for (const auto& [pattern, compiled] : out->patterns)
            if (!compiled->problem().empty())
                return failure(cond::invalid, "program instantiation failed: " + compiled->problem());
    }
    return std::shared_ptr<const compiled_program>(std::move(out));
}

} // namespace detail

result<program> program::compile(std::string text, const declarations& variables)
{
    detail::declared_types types;
    std::vector<std::unique_ptr<detail::schema_node>> schemas;
    for (const auto& [name, type] : variables) {
        if (!type.starts_with('{')) {
            types.emplace(name, detail::parse_type(type));
            continue;
        }
        boost::system::error_code ec;
        const auto schema = boost::json::parse(type, ec);
        if (ec) return failure(cond::invalid, "the schema of " + name + " is no JSON: " + ec.message());
        schemas.push_back(detail::compile_schema(schema, false));
        types.emplace(name, detail::type_of_schema(*schemas.back()));
    }
    auto compiled = detail::compile_program(std::move(text), &types);
    if (!compiled) return compiled.error();
    return program(*std::move(compiled));
}

result<program> program::compile_unchecked(std::string text)
{
    auto compiled = detail::compile_program(std::move(text), nullptr);
    if (!compiled) return compiled.error();
    return program(*std::move(compiled));
}

evaluation program::evaluate(const bindings& named, const budget& limits) const
{
    detail::evaluator run(compiled_->expression, named, compiled_->patterns, limits.cost, limits.bytes);
    auto out = run.run();
    if (out.is(value_type::error)) return {failure(cond::invalid, std::string(out.as_string())), run.cost()};
    return {std::move(out), run.cost()};
}

const std::string& program::text() const noexcept { return compiled_->expression.text; }

const std::string& program::type() const noexcept { return compiled_->type; }

bool program::mentions(std::string_view name) const { return detail::mentions_variable(compiled_->expression, name); }

} // namespace kubecoro::cel
