// Which fields of an object may change.
#pragma once

#include "objects/registry.hpp"
#include "objects/status_errors.hpp"

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Checks that an update leaves the immutable fields of its kind as they are.
void validate_spec_update(const resource_info& info, const boost::json::value& before, const boost::json::value& after,
                          std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
