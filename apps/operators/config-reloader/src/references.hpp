// What a workload's pods read when they start: its config maps and secrets.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

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
    /// In the workload's namespace.
    std::string name = {};
    /// Pods start without it: every mention of it says so.
    bool optional = false;
    friend bool operator==(const reference&, const reference&) = default;
};

/// More than these no workload that people write has; each costs a request a run.
inline constexpr std::size_t max_references = 1000;

/** What the pod template mounts (volumes, projected ones included) and takes environment from (env and envFrom of containers
    and init containers), each object once, in a fixed order.

    @par Errors  cond::invalid, naming the field: not of the type it must have, a name that no object can have, or more
                 than max_references. */
[[nodiscard]] result<std::vector<reference>> references_of(const object& workload);

/// Where these are in a workload: all that has to be decoded to find them.
[[nodiscard]] std::vector<std::string> reference_paths();

} // namespace kubecoro::config_reloader
