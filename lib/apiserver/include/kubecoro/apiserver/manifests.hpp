// Parses Kubernetes manifests from YAML or JSON text and loads them into a cluster state.
#pragma once

#include <kubecoro/apiserver/cluster_state_core.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/fwd.hpp>

#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/** Parses every object of a manifest: one or more YAML documents, or JSON. Kinds ending in `List` are unfolded.

    Scalars have the types of YAML 1.1, as with kubectl (`yes` and `on` are booleans). Expansion of anchors is bounded.
    @param name  Names the text in failures. Errors: cond::invalid with name, line and reason. */
[[nodiscard]] result<std::vector<boost::json::value>> load_manifests(std::string_view text, std::string_view name);

/** Creates or replaces the objects: CustomResourceDefinitions and namespaces first, then the rest in order. Missing
    namespaces are created. `status`, uid and creation time of the manifests are kept.

    @return the number of objects written. Errors: cond::invalid naming the object; objects written before it stay. */
[[nodiscard]] result<std::size_t> apply_manifests(cluster_state_core& state, std::vector<boost::json::value> objects,
                                                  wall_time now);

} // namespace kubecoro::apiserver
