// Validates a CustomResourceDefinition before it is stored: names, group, versions with their schemas, conversion.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

void validate_crd(const boost::json::value& crd, std::vector<status_cause>& causes);

/// Checks that the fields which determine how objects are stored did not change: scope, kind, group, plural.
void validate_crd_update(const boost::json::value& before, const boost::json::value& after,
                         std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
