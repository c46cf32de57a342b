// Applies the defaults of built-in kinds, as far as clients depend on them.
#pragma once

#include "objects/registry.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/// Fills in the defaults of a new or updated object. `keep_status`: keep the status of a new object's body.
void apply_defaults(const resource_info& info, boost::json::value& body, bool creating, bool keep_status);

/// Adds the storage version of a CustomResourceDefinition to its status.storedVersions.
void note_storage_version(boost::json::object& crd);

} // namespace kubecoro::apiserver
