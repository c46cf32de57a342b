// Validates kinds that the server only stores: the rules that manifests break most often.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Checks members that are needed, that are one of some texts, or that are not negative.
void validate_plain_kind(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
