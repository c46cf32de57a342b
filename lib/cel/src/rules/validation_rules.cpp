#include <kubecoro/cel/validation_rules.hpp>

#include "rules/rule_node.hpp"
#include "rules/rule_runner.hpp"

namespace kubecoro::cel {

validation_rules validation_rules::of_schema(const boost::json::value& schema, bool is_resource)
{
    return validation_rules(detail::compile_rules(schema, is_resource));
}

bool validation_rules::empty() const noexcept { return compiled_->root == nullptr; }

std::vector<field_error> validation_rules::problems(std::string_view path) const
{
    auto out = compiled_->problems;
    for (auto& each : out) each.field.insert(0, path);
    return out;
}

rule_findings validation_rules::check(const boost::json::value& object, const boost::json::value* before,
                                      const rule_limits& limits, std::string_view path) const
{
    if (empty()) return {{}, {}, limits.total_cost};
    return detail::rule_runner(limits).run(*compiled_->root, object, before, path);
}

} // namespace kubecoro::cel
