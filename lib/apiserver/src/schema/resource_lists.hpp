#pragma once

#include "objects/registry.hpp"

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/// Rounds the amounts in lists of resources away from zero to thousandths, as the defaults of the groups core, apps and batch do.
void round_resource_lists(const resource_info& info, boost::json::value& body);

} // namespace kubecoro::apiserver
