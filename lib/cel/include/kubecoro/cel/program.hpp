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
    /// Bytes of values that the evaluation makes. Default 64 MiB.
    std::uint64_t bytes = 64 << 20;
};

/// The outcome of an evaluation.
struct evaluation
{
    /// The value, or why there is none.
    result<value> outcome;
    /// Units of cost that it used.
    std::uint64_t cost = 0;
};

/// How a program is compiled.
struct compile_options
{
    /// With the macro `cel.bind`, which Kubernetes does not have. Default false.
    bool has_bind = false;
};

/** A compiled expression of the Common Expression Language, with the functions that Kubernetes has.

    Copies share the program. Any number of threads may evaluate it at the same time, each with its own bindings.
    Expressions and values may come from strangers: nesting, length, cost and memory have limits, and regular
    expressions match in linear time. */
class program
{
public:
    /** Compiles an expression of at most 100,000 bytes.
        Errors: cond::invalid, with the place. */
    [[nodiscard]] static result<program> compile(std::string text, const compile_options& options = {});

    /** Evaluates the expression.
        Errors: cond::invalid, with the words of a kube-apiserver: a failed operation, a missing member, an exhausted
        budget. */
    [[nodiscard]] evaluation evaluate(const bindings& named, const budget& limits = {}) const;

    /// The expression.
    [[nodiscard]] const std::string& text() const noexcept;
    /// Whether it mentions a variable that it does not declare itself.
    [[nodiscard]] bool mentions(std::string_view name) const;

private:
    explicit program(std::shared_ptr<const detail::compiled_program> compiled) : compiled_(std::move(compiled)) {}

    std::shared_ptr<const detail::compiled_program> compiled_;
};

} // namespace kubecoro::cel
