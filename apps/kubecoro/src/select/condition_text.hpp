// The conditions of `wait --for`.
#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/conditions.hpp>

#include <string>

namespace kubecoro::tool {

enum class wait_kind
{
    state,
    gone,
    there
};

/// A parsed --for.
struct wait_condition
{
    wait_kind kind = wait_kind::state;
    object_condition met;
};

/** Reads `condition=TYPE`, `condition=TYPE=STATUS`, `delete`, `create`, `jsonpath=PATH=VALUE`, `jsonpath=PATH`.

    Types and statuses of conditions are compared without regard to case, and only count when they describe the object's
    newest generation. Errors: cond::invalid. */
[[nodiscard]] result<wait_condition> parse_wait_condition(const std::string& text);

} // namespace kubecoro::tool
