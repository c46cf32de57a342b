// Validates what containers ask for: variables of the environment, ports, resources.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// Checks `env` and `envFrom` of a container.
void validate_env(const boost::json::value& container, const std::string& path, std::vector<status_cause>& causes);
/// Checks `ports`.
void validate_ports(const boost::json::value& container, const std::string& path, std::vector<status_cause>& causes);
/// Checks `resources`: known names, whole numbers of devices, and requests within limits.
void validate_resources(const boost::json::value& container, const std::string& path,
                        std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
