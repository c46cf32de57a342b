// Validates probes and hooks of containers.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// Checks the probes and the lifecycle of a container. @param is_short_lived  An init container that ends: it has none.
void validate_probes(const boost::json::value& container, bool is_short_lived, const std::string& path,
                     std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
