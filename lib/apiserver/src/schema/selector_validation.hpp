// Checks the LabelSelectors of objects.
#pragma once

#include "objects/status_errors.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// Checks keys and values. @param field  Named for each of them.
void validate_labels(const boost::json::object& labels, const std::string& field, std::vector<status_cause>& causes);

/// Checks labels and expressions of a selector, as a kube-apiserver does before it stores one. @param selector  May be null.
void validate_selector(const boost::json::value* selector, const std::string& path, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
