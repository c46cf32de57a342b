// Kubernetes manifests from YAML or JSON text, and how to load them into a cluster state.
#pragma once

#include <kubecoro/apiserver/cluster_state_core.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/fwd.hpp>

#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/** Reads every object of a manifest: several YAML documents or JSON, kinds ending in `List` unfolded.

    Scalars are typed as YAML 1.1 has it, like kubectl (`yes` and `on` are booleans). Anchors are expanded up to a
    bound.
    @param name  Names the text in failures. Errors: cond::invalid with name, line and what is wrong. */
[[nodiscard]] result<std::vector<boost::json::value>> load_manifests(std::string_view text, std::string_view name);

/** Creates the objects, CustomResourceDefinitions and namespaces first, then the rest in order; namespaces that are
    missing are created. Objects that exist are replaced. `status`, uid and
    creation time are kept.

    @return how many were written. Errors: cond::invalid naming the object; what was written before stays. */
[[nodiscard]] result<std::size_t> apply_manifests(cluster_state_core& state, std::vector<boost::json::value> objects,
                                                  wall_time now);

} // namespace kubecoro::apiserver
