// Checks the LabelSelectors of objects.
#pragma once

#include "render/status_errors.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// Checks labels and expressions of a selector, as a kube-apiserver does before it stores one. @param selector  May be null.
void validate_selector(const boost::json::value* selector, const std::string& path, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
