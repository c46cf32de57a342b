// What the server fills in when an object of a built-in kind is created: the defaults clients look at.
#pragma once

#include "state/registry.hpp"

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/// Fills in defaults of a new object, or of a changed one. `keep_status`: leave the status that came with it.
void apply_defaults(const resource_info& info, boost::json::value& body, bool creating, bool keep_status);

} // namespace kubecoro::apiserver
