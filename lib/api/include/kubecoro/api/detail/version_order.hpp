// The order of the versions of an API group.
#pragma once

#include <string_view>

namespace kubecoro::detail {

/// Whether version `a` is older than `b`: v1alpha1, v1beta1, v1, v2. Names of other forms are older than all of these, and
/// equal.
[[nodiscard]] bool is_older_version(std::string_view a, std::string_view b);

/** Whether a version has priority over another: the newer one, and of names of other forms the first in the order of
    texts. The first of a group is the one that clients prefer. */
[[nodiscard]] bool has_priority(std::string_view version, std::string_view over);

} // namespace kubecoro::detail
