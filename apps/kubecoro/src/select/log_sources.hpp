// Finds the containers whose logs a user wants.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// The names of a pod's containers, those that run first in front.
[[nodiscard]] std::vector<std::string> containers_of(const object& pod);

/// The container that is meant when none is named: that of the annotation kubectl.kubernetes.io/default-container, else
/// the first one that is no init container; empty if there is none.
[[nodiscard]] std::string default_container(const object& pod);

/** The label selector of the pods that belong to an object, from spec.selector.

    Errors: cond::invalid for a kind without one, or with one that selects everything. */
[[nodiscard]] result<std::string> pod_selector_of(const object& owner);

} // namespace kubecoro::tool
