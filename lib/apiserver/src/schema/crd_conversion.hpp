// Validates the conversion of a CustomResourceDefinition before it is stored.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

void validate_crd_conversion(const boost::json::value& crd, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
