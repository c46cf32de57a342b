#pragma once
// How two resource versions of one resource stand to each other.

#include <compare>
#include <string_view>

namespace kubecoro {

/// A decimal integer without leading zeros, of any length: the form in which versions can be compared.
[[nodiscard]] bool is_comparable_version(std::string_view version) noexcept;

/** Compares two versions of the same resource of the same cluster; versions of different ones say nothing to each other.

    Integers of any length compare as numbers. Anything else is opaque: equal text is equal, everything else is
    unordered. Every kube-apiserver gives integers; an aggregated one need not. */
[[nodiscard]] std::partial_ordering compare_versions(std::string_view a, std::string_view b) noexcept;

/// `seen` is `wanted` or comes after it; false where they cannot be compared.
[[nodiscard]] inline bool is_at_least(std::string_view seen, std::string_view wanted) noexcept
{
    return std::is_gteq(compare_versions(seen, wanted));
}

} // namespace kubecoro
