// What the operator reads from a workload's annotations, and what it writes into them.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::config_reloader::marks {

/// On the workload: "true" asks for the service.
inline constexpr std::string_view reload = "config-reloader.kubecoro.dev/reload";
/// On the workload: the checksum of the contents its pods were last rolled for.
inline constexpr std::string_view applied = "config-reloader.kubecoro.dev/applied";
/// On the pod template: the same, with a suffix where it would be no change. Its change is what rolls the pods.
inline constexpr std::string_view checksum = "config-reloader.kubecoro.dev/checksum";

/// The workload says something about the service, be it nonsense.
[[nodiscard]] bool mentioned(const object& workload);
/// It asks for it. Errors: cond::invalid when its annotation is neither "true" nor "false".
[[nodiscard]] result<bool> asked(const object& workload);

/** What the pods were last rolled for; empty when that is not known.

    The mark on the workload counts, and the template's where it has gone: a template that somebody has set back or replaced
    has rolled the pods by that, and they have read what is there now. */
[[nodiscard]] std::string_view last_applied(const object& workload);

/** A merge patch that rolls the pods and says what for, both or neither. It holds for this version of the workload only: of
    two that were made from the same one, the second is refused with cond::conflict. */
[[nodiscard]] std::string rolling_patch(const object& workload, std::string_view checksum);
/// The same without the roll: takes it that the pods have read this.
[[nodiscard]] std::string recording_patch(const object& workload, std::string_view checksum);

/// Where all this is in a workload: what has to be decoded, besides reference_paths().
[[nodiscard]] std::vector<std::string> paths();

} // namespace kubecoro::config_reloader::marks
