// Defaults of kinds by the rules of a kube-apiserver that fit into a table, and of some that do not.
#pragma once

#include "state/registry.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/// Fills in the defaults of a built-in kind, other than those of pods and workloads.
/// @param fresh  The object is new, and its status the server's.
void apply_plain_defaults(const resource_info& info, boost::json::value& body, bool fresh);

} // namespace kubecoro::apiserver
