#include <kubecoro/cel/validation_rules.hpp>

#include "check/sizes.hpp"
#include "rules/rule_node.hpp"
#include "rules/rule_runner.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>

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

/// The units of cost that all rules of a definition may need in the estimate of a server.
constexpr std::uint64_t most_total_cost = 100'000'000;

/// The refusal of all rules together, which names those that cost most.
std::vector<field_error> too_expensive_together(std::vector<detail::rule_cost> costs)
{
    std::uint64_t total = 0;
    for (const auto& each : costs) total = detail::sum_of(total, each.units);
    std::vector<field_error> out;
    if (total <= most_total_cost) return out;
    std::erase_if(costs, [](const auto& each) { return each.units < most_total_cost / 100; });
    std::ranges::stable_sort(costs, std::ranges::greater{}, &detail::rule_cost::units);
    if (costs.size() > 4) costs.resize(4);
    for (const auto& each : costs)
        out.push_back({detail::costs_too_much,
                       each.path,
                       {},
                       "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"});
    out.push_back({detail::costs_too_much,
                   {},
                   {},
                   "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema" +
                       detail::too_expensive(total, most_total_cost)});
    return out;
}

} // namespace

std::vector<field_error> validation_rules::problems(std::string_view path, bool is_stored) const
{
    auto out = broken_by_defaults(*compiled_);
    const bool compiles = out.empty();
    out.insert(out.end(), compiled_->path_problems.begin(), compiled_->path_problems.end());
    if (compiles) {
        std::ranges::copy_if(compiled_->problems, std::back_inserter(out), [is_stored](const field_error& each) {
            return !is_stored || each.reason != detail::costs_too_much;
        });
        const auto together = too_expensive_together(compiled_->costs);
        out.insert(out.end(), together.begin(), together.end());
    }
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
