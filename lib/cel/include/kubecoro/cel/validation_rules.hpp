#pragma once

#include <kubecoro/api/validation.hpp>

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::cel {

namespace detail {
struct compiled_rules;
}

/// How rules are evaluated.
struct rule_limits
{
    /// Units of cost of one rule or message. Default: the limit of a kube-apiserver.
    std::uint64_t call_cost = 1'000'000;
    /// Units of cost of all rules of an object. Default: the budget of a kube-apiserver.
    std::int64_t total_cost = 10'000'000;
    /// Whether errors of values that an update does not change are forgiven, as a kube-apiserver does. Default true.
    bool forgives_unchanged = true;
};

/// The errors that rules find in an object.
struct rule_findings
{
    /// The rules that it breaks, and those that fail. Empty if it keeps all of them.
    std::vector<field_error> errors;
    /// Errors that are forgiven because the value has not changed.
    std::vector<field_error> warnings;
    /// The cost that is left; -1 when it ran out, after which no rules are evaluated.
    std::int64_t cost_left = 0;
};

/** The rules of a structural schema (`x-kubernetes-validations`), compiled, with their messages, reasons, paths and
    transitions, as a kube-apiserver evaluates them.

    Copies share the rules. Any number of threads may evaluate them. */
class validation_rules
{
public:
    /** Compiles the rules of a schema in JSON.
        @param is_resource  Whether it describes a resource: rules of the root then see apiVersion, kind, metadata.name
                            and metadata.generateName. */
    [[nodiscard]] static validation_rules of_schema(const boost::json::value& schema, bool is_resource = true);

    /// Whether the schema has no rules.
    [[nodiscard]] bool empty() const noexcept;

    /** Why a kube-apiserver refuses the definition: a `fieldPath` that leads to no field, rules and messages that do not
        compile or have the wrong type, and `oldSelf` where old and new values cannot be matched, or `optionalOldSelf`
        without it; rules and messages whose estimated cost is too high, each or together; and defaults that break rules. A
        rule that does not compile is an error of each object, too. About 1 MiB of text at most.
        @param path       The path of the schema, such as "spec.validation.openAPIV3Schema".
        @param is_stored  Whether the definition that is replaced has the same schema: no rule by itself then costs too much. */
    [[nodiscard]] std::vector<field_error> problems(std::string_view path, bool is_stored = false) const;

    /** Evaluates all rules on an object, and returns about 1 MiB of text at most.
        @param object  The object, of which members have the types of the schema.
        @param before  The object that it replaces; null for none. Rules of transitions are evaluated with it alone.
        @param path    The path of the object, which errors begin with. */
    [[nodiscard]] rule_findings check(const boost::json::value& object, const boost::json::value* before = nullptr,
                                      const rule_limits& limits = {}, std::string_view path = {}) const;

private:
    explicit validation_rules(std::shared_ptr<const detail::compiled_rules> compiled) : compiled_(std::move(compiled))
    {
    }

    std::shared_ptr<const detail::compiled_rules> compiled_;
};

} // namespace kubecoro::cel
