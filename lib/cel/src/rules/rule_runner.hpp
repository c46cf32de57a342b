// Evaluates the rules of a schema on an object.
#pragma once

#include <kubecoro/cel/validation_rules.hpp>

#include "rules/correlation.hpp"
#include "rules/rule_node.hpp"

#include "eval/evaluator.hpp"

#include <cstdint>
#include <string>

namespace kubecoro::cel::detail {

/// The old value of a part, as far as it is known, while the rules go through an object.
struct ratchet
{
    correlated current;
    /// The nearest part around it that has an old one.
    correlated parent;

    [[nodiscard]] ratchet member(std::string_view name) const;
    [[nodiscard]] ratchet item(const boost::json::value& item, const boost::json::value* before) const;
    [[nodiscard]] bool forgives() const { return is_unchanged(current ? current : parent); }
};

class rule_runner
{
public:
    explicit rule_runner(const rule_limits& limits) : limits_(limits) { out_.cost_left = limits.total_cost; }

    [[nodiscard]] rule_findings run(const rule_node& root, const boost::json::value& object,
                                    const boost::json::value* before, std::string_view path);

private:
    /// One value with the rules of its schema.
    struct place
    {
        const rule_node& rules;
        const boost::json::value& value;
        const boost::json::value* before;
        const std::string& path;
        const ratchet& old;
    };

    void visit(const place& at);
    void own_rules(const place& at);
    void members(const place& at);
    void items(const place& at);
    /// False when nothing more is to be evaluated.
    [[nodiscard]] bool rule(const place& at, const compiled_rule& rule, const variables& named,
                            const variables& optional_named);
    [[nodiscard]] bool broken(const place& at, const compiled_rule& rule, const variables& named);
    [[nodiscard]] bool failed(const place& at, const compiled_rule& rule, std::string_view words);
    /// The text of a message, or empty for none.
    [[nodiscard]] std::string message(const place& at, const compiled_rule& rule, const variables& named,
                                      std::string& problem);
    /// Evaluates a program, and takes its cost. False if the budget does not hold it.
    [[nodiscard]] bool evaluate(const compiled_program& of, const variables& named, value& out);
    bool refuse(const place& at, std::string words);
    [[nodiscard]] bool is_over() const noexcept { return out_.cost_left < 0; }

    const rule_limits& limits_;
    rule_findings out_;
};

} // namespace kubecoro::cel::detail
