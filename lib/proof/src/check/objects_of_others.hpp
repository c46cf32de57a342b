// Objects that look like those of the operator, and have another owner.
#pragma once

#include "world/scenario.hpp"

#include <string>
#include <vector>

namespace kubecoro::testing::detail {

/// An object that the operator has made, as it was in the settled state.
struct made_object
{
    /// Path of its collection.
    std::string collection;
    std::string key;
    /// JSON.
    std::string text;
};

/** The scenario with such objects: the first of each resource, with its labels and its fields. Those that the server refuses are left
    out, and so are those without a namespace.

    @param same_name  True: the very names that the operator uses. False: other names. */
[[nodiscard]] result<scenario> with_others(scenario about, const std::vector<made_object>& made, bool same_name);

} // namespace kubecoro::testing::detail
