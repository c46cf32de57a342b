#pragma once
// Compares resource versions of one resource.

#include <kubecoro/base/result.hpp>

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/** Identifies a resource: its place in the API and its names. A regular value.

    Built from discovery, by hand for custom resources, or taken from a kind: `core_v1::pod::resource()`. */
struct resource_type
{
    /// Empty for the core group.
    std::string group;
    /// The version, such as "v1".
    std::string version;
    /// Plural, as in the path: "pods".
    std::string plural;
    /// "Pod".
    std::string kind;
    /// Whether objects belong to namespaces.
    bool namespaced = true;
    /// For display and lookups; not part of the identity.
    std::string singular = {};
    /// Short names, such as "po".
    std::vector<std::string> short_names = {};

    /// "v1" or "apps/v1".
    [[nodiscard]] std::string api_version() const;
    /// "/api/v1" or "/apis/apps/v1".
    [[nodiscard]] std::string path_prefix() const;
    /// "pods" or "deployments.apps": for logs and messages.
    [[nodiscard]] std::string display_name() const;

    /// Same group, version and plural.
    friend bool operator==(const resource_type& a, const resource_type& b) noexcept
    {
        return a.group == b.group && a.version == b.version && a.plural == b.plural;
    }
};

/// "apps/v1" -> {"apps", "v1"}; "v1" -> {"", "v1"}.
struct group_version
{
    /// Empty for the core group.
    std::string group;
    /// The version, such as "v1".
    std::string version;
    /// Reads "group/version", or "version" for the core group.
    [[nodiscard]] static group_version parse(std::string_view api_version);
    friend bool operator==(const group_version&, const group_version&) = default;
};

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
