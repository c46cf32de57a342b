// Loads Kubernetes manifests into a cluster state.
#pragma once

#include <kubecoro/apiserver/cluster_state_core.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/manifests.hpp>

#include <boost/json/fwd.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

using kubecoro::load_manifests;
using kubecoro::parse_documents;

/** Creates or replaces the objects: CustomResourceDefinitions and namespaces first, then the rest in order. Missing
    namespaces are created. `status`, uid and creation time of the manifests are kept.

    @param warnings  Unless null, receives a sentence for each object of which the server ignores a part, such as the CEL
    rules of a definition.
    @return the number of objects written. Errors: cond::invalid naming the object; objects written before it stay. */
[[nodiscard]] result<std::size_t> apply_manifests(cluster_state_core& state, std::vector<boost::json::value> objects,
                                                  wall_time now, std::vector<std::string>* warnings = nullptr);

} // namespace kubecoro::apiserver
