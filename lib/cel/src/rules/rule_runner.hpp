// Evaluates the rules of a schema on an object.
#pragma once

#include <kubecoro/cel/validation_rules.hpp>

#include "rules/correlation.hpp"
#include "rules/rule_node.hpp"

#include "eval/evaluator.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// The path of a value, as a list on the stack: most paths are never printed, and a long name may stand above many of them.
struct value_path
{
    const value_path* above = nullptr;
    /// The name of a property; at the beginning the whole path.
    std::string_view name = {};
    /// The name of a member that is no property.
    std::optional<std::string_view> key = {};
    std::optional<std::size_t> index = {};

    [[nodiscard]] std::string text() const;
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
        const value_path& path;
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
    void note(std::vector<field_error>& into, field_error error);
    /// Whether there is no room for more errors.
    [[nodiscard]] bool is_full() const noexcept { return bytes_ > most_bytes; }
    [[nodiscard]] bool is_over() const noexcept { return out_.cost_left < 0; }

    static constexpr std::size_t most_bytes = std::size_t{1} << 20;

    const rule_limits& limits_;
    rule_findings out_;
    std::size_t bytes_ = 0;
};

} // namespace kubecoro::cel::detail
