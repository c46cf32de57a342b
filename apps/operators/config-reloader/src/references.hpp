// The config maps and secrets that a workload's pods read at their start.
#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/core_v1/pod_spec.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::config_reloader {

enum class content_kind : std::uint8_t
{
    config_map,
    secret
};

[[nodiscard]] resource_type resource_of(content_kind kind);
/// "ConfigMap" or "Secret".
[[nodiscard]] std::string_view to_string(content_kind kind) noexcept;

struct reference
{
    content_kind kind = content_kind::config_map;
    /// Its namespace is the workload's.
    std::string name = {};
    /// Pods start without it: every mention of it is optional.
    bool optional = false;
    friend bool operator==(const reference&, const reference&) = default;
};

/// More than any realistic workload has; each costs a request at the first check.
inline constexpr std::size_t max_references = 1000;

/** The objects that pods mount (volumes, including projected ones) and take environment from (env and envFrom of
    containers and init containers), each once, in a fixed order.

    @param pods  The pod spec of a workload's template.

    @par Errors  cond::invalid, naming the field: a wrong type, an impossible object name, or more than
                 max_references. */
[[nodiscard]] result<std::vector<reference>> references_of(const view<core_v1::pod_spec>& pods);

/// The paths in a workload that must be decoded to find the references.
[[nodiscard]] std::vector<std::string> reference_paths();

} // namespace kubecoro::config_reloader
