// The annotations of a workload that the operator reads and writes.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::config_reloader::marks {

/// On the workload: "true" opts in.
inline constexpr std::string_view reload = "config-reloader.kubecoro.dev/reload";
/// On the workload: the checksum of the contents for which its pods were last rolled.
inline constexpr std::string_view applied = "config-reloader.kubecoro.dev/applied";
/// On the pod template: the same checksum, with a suffix where it would be no change. Changing it rolls the pods.
inline constexpr std::string_view checksum = "config-reloader.kubecoro.dev/checksum";

/// Whether the workload has the annotation, with any value.
[[nodiscard]] bool mentioned(const object& workload);
/// Whether the workload opts in. Errors: cond::invalid when its annotation is neither "true" nor "false".
[[nodiscard]] result<bool> asked(const object& workload);

/** The checksum for which the pods were last rolled; empty when unknown.

    The workload's annotation counts; when it is missing, the template's. A template that was set back or replaced
    has rolled the pods by that, and they have read the present contents. */
[[nodiscard]] std::string_view last_applied(const object& workload);

/** A merge patch that rolls the pods and records the checksum, both or neither. It is valid for this version of the
    workload only: of two patches made from the same version, the second is refused with cond::conflict. */
[[nodiscard]] std::string rolling_patch(const object& workload, std::string_view checksum);
/// The same without a roll: assumes that the pods have read these contents.
[[nodiscard]] std::string recording_patch(const object& workload, std::string_view checksum);

/// Paths of these annotations in a workload, which must be decoded besides reference_paths().
[[nodiscard]] std::vector<std::string> paths();

} // namespace kubecoro::config_reloader::marks
