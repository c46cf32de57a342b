// Defaults of kinds other than pods and workloads: those of a table, and those that depend on other fields.
#pragma once

#include "objects/registry.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/// Fills in the defaults of a built-in kind.
/// @param fresh  The object is new, and its status the server's.
void apply_plain_defaults(const resource_info& info, boost::json::value& body, bool fresh);

} // namespace kubecoro::apiserver
