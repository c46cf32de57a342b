// Labels of objects as labels of series.
#pragma once

#include "family.hpp"

#include <kubecoro/base/result.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::cluster_metrics {

/// Characters that the name of a label may not have become `_`, one for each character.
[[nodiscard]] std::string sanitized(std::string_view name);

/** The labels to be shown, sorted by their names: `label_` and the name in snake case. Names that become equal get a number:
    `label_a_conflict1`, `label_a_conflict2`. */
[[nodiscard]] std::vector<std::pair<std::string, std::string>> converted_labels(value_view labels,
                                                                                const label_names& shown);

/// By resource, as in kube-state-metrics' flag: `pods=[app,team],nodes=[*]`. Errors: invalid.
[[nodiscard]] result<std::map<std::string, label_names>> parse_allowlist(std::string_view text);

} // namespace kubecoro::cluster_metrics
