#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/cel/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::cel {

namespace detail {
struct compiled_program;
}

/// The values of variables by name.
using bindings = std::map<std::string, value, std::less<>>;

/// The limits of one evaluation.
struct budget
{
    /// Units of cost, as a kube-apiserver counts them. Default: its limit of one call.
    std::uint64_t cost = 1'000'000;
    /// Bytes of values that the evaluation makes. Default 128 MiB.
    std::uint64_t bytes = 128 << 20;
};

/// The outcome of an evaluation.
struct evaluation
{
    /// The value, or why there is none.
    result<value> outcome;
    /// Units of cost that it used.
    std::uint64_t cost = 0;
};

/** The types of variables by name: `int`, `string`, `dyn`, `list<int>`, `map<string,dyn>`, `optional<int>`; or an object's
    structural schema in JSON. */
using declarations = std::map<std::string, std::string, std::less<>>;

/** A compiled expression of the Common Expression Language, with the functions that Kubernetes has.

    Copies share the program. Any number of threads may evaluate it at the same time, each with its own bindings.
    Expressions and values may come from strangers: nesting, length, cost and memory have limits, and regular
    expressions match in linear time. */
class program
{
public:
    /** Compiles an expression of at most 100,000 bytes.
        Errors: cond::invalid, with the words of a kube-apiserver and the places: syntax, a reference to something
        undeclared, operands that no function takes, literals that it cannot read. */
    [[nodiscard]] static result<program> compile(std::string text, const declarations& variables);

    /** The same without a look at types: what does not fit fails when it is evaluated. It also has the macro
        `cel.bind`, which Kubernetes does not have. */
    [[nodiscard]] static result<program> compile_unchecked(std::string text);

    /** Evaluates the expression.
        Errors: cond::invalid, with the words of a kube-apiserver: a failed operation, a missing member, an exhausted
        budget. */
    [[nodiscard]] evaluation evaluate(const bindings& named, const budget& limits = {}) const;

    /// The expression.
    [[nodiscard]] const std::string& text() const noexcept;
    /// The type of its value, in the words of a kube-apiserver; empty if it is unchecked.
    [[nodiscard]] const std::string& type() const noexcept;
    /// Whether it mentions a variable that it does not declare itself.
    [[nodiscard]] bool mentions(std::string_view name) const;

private:
    explicit program(std::shared_ptr<const detail::compiled_program> compiled) : compiled_(std::move(compiled)) {}

    std::shared_ptr<const detail::compiled_program> compiled_;
};

} // namespace kubecoro::cel
