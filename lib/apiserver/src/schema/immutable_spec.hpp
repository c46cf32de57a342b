// Which part of a spec may change.
#pragma once

#include "render/status_errors.hpp"
#include "state/registry.hpp"

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Says so when an update of a Pod, StatefulSet or Job changes what must stay.
void validate_spec_update(const resource_info& info, const boost::json::value& before, const boost::json::value& after,
                          std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
