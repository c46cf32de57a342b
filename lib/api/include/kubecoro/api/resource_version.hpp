#pragma once
// Compares resource versions of one resource.

#include <compare>
#include <string_view>

namespace kubecoro {

/// True for a decimal integer without leading zeros, of any length: only such versions can be ordered.
[[nodiscard]] bool is_comparable_version(std::string_view version) noexcept;

/** Compares two versions of the same resource of the same cluster; versions of different resources or clusters are
    unrelated.

    Integers of any length compare as numbers. Other versions are opaque: equal if their text is equal, else
    unordered. Every kube-apiserver uses integers; aggregated API servers may not. */
[[nodiscard]] std::partial_ordering compare_versions(std::string_view a, std::string_view b) noexcept;

/// True if `seen` is `wanted` or newer; false where they cannot be compared.
[[nodiscard]] inline bool is_at_least(std::string_view seen, std::string_view wanted) noexcept
{
    return std::is_gteq(compare_versions(seen, wanted));
}

} // namespace kubecoro
