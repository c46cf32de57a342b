#include <kubecoro/cel/program.hpp>

#include "eval/compiled_program.hpp"
#include "eval/evaluator.hpp"
#include "syntax/parser.hpp"

#include <algorithm>

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

} // namespace detail

result<program> program::compile(std::string text, const compile_options& options)
{
    auto parsed = detail::parse(std::move(text), options.has_bind);
    if (!parsed) return parsed.error();
    auto compiled = std::make_shared<detail::compiled_program>();
    compiled->expression = *std::move(parsed);
    compiled->patterns = detail::literal_patterns(compiled->expression);
    return program(std::move(compiled));
}

evaluation program::evaluate(const bindings& named, const budget& limits) const
{
    detail::evaluator run(compiled_->expression, named, compiled_->patterns, limits.cost, limits.bytes);
    auto out = run.run();
    if (out.is(value_type::error)) return {failure(cond::invalid, std::string(out.as_string())), run.cost()};
    return {std::move(out), run.cost()};
}

const std::string& program::text() const noexcept { return compiled_->expression.text; }

bool program::mentions(std::string_view name) const
{
    const auto& in = compiled_->expression;
    return std::any_of(in.nodes.begin(), in.nodes.end(), [&](const detail::node& each) {
        return each.kind == detail::node_kind::identifier && in.name_of(each) == name;
    });
}

} // namespace kubecoro::cel
