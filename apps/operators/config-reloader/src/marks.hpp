// The annotations of a workload that the operator reads and writes.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/core_v1/pod_template_spec.hpp>

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
    has rolled the pods by that, and they have read the present contents. Borrowed from the workload. */
[[nodiscard]] std::string_view last_applied(const object& workload, const view<core_v1::pod_template_spec>& pods);

/// The template's mark for this checksum; always differs from the mark that the template has.
[[nodiscard]] std::string template_mark(const view<core_v1::pod_template_spec>& pods, std::string_view checksum);

/** A merge patch that records the checksum without a roll: assumes that the pods have read these contents. It is valid
    for this version of the workload only: of two patches made from the same version, the second is refused with
    cond::conflict. */
template<class Workload>
[[nodiscard]] Workload recording_patch(const typed_object<Workload>& workload, std::string_view sum)
{
    Workload patch;
    patch.metadata.resourceVersion = workload.resource_version();
    patch.metadata.annotations[std::string(applied)] = sum;
    return patch;
}
/// The same with a roll of the pods: both or neither.
template<class Workload>
[[nodiscard]] Workload rolling_patch(const typed_object<Workload>& workload, std::string_view sum)
{
    auto patch = recording_patch(workload, sum);
    patch.spec.template_.metadata.annotations[std::string(checksum)] = template_mark(workload->spec().template_(), sum);
    return patch;
}

/// Paths of these annotations in a workload, which must be decoded besides reference_paths().
[[nodiscard]] std::vector<std::string> paths();

} // namespace kubecoro::config_reloader::marks
