#include <kubecoro/cel/validation_rules.hpp>

#include "rules/rule_node.hpp"
#include "rules/rule_runner.hpp"

#include <algorithm>

namespace kubecoro::cel {

validation_rules validation_rules::of_schema(const boost::json::value& schema, bool is_resource)
{
    return validation_rules(detail::compile_rules(schema, is_resource));
}

bool validation_rules::empty() const noexcept { return compiled_->root == nullptr; }

namespace {

/// Rules of transitions see a default as the old value; those that do without one are tried without it as well.
std::vector<field_error> broken_by_defaults(const detail::compiled_rules& all)
{
    std::vector<field_error> out;
    rule_limits limits{.forgives_unchanged = false};
    for (const auto& each : all.defaults) {
        auto found = detail::rule_runner(limits).run(*each.rules, each.value, &each.value, each.path);
        if (found.errors.empty()) {
            const auto left = found.cost_left;
            found = detail::rule_runner(limits).run(*each.rules, each.value, nullptr, each.path);
            found.cost_left = std::min(left, found.cost_left);
        }
        out.insert(out.end(), found.errors.begin(), found.errors.end());
        limits.total_cost = found.cost_left;
        if (limits.total_cost < 0) break;
    }
    return out;
}

} // namespace

std::vector<field_error> validation_rules::problems(std::string_view path) const
{
    auto out = broken_by_defaults(*compiled_);
    const bool compiles = out.empty();
    out.insert(out.end(), compiled_->path_problems.begin(), compiled_->path_problems.end());
    if (compiles) out.insert(out.end(), compiled_->problems.begin(), compiled_->problems.end());
    for (auto& each : out) {
        each.field.insert(0, path);
        if (each.detail.starts_with(detail::uncorrelatable_within))
            each.detail.insert(detail::uncorrelatable_within.size(), path);
    }
    return out;
}

rule_findings validation_rules::check(const boost::json::value& object, const boost::json::value* before,
                                      const rule_limits& limits, std::string_view path) const
{
    if (empty()) return {{}, {}, limits.total_cost};
    return detail::rule_runner(limits).run(*compiled_->root, object, before, path);
}

} // namespace kubecoro::cel
