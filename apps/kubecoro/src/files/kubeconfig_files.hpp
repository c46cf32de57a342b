// The kubeconfig files of a user.
#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// The files in their order of precedence, as kubectl finds them.
/// @param chosen  The value of --kubeconfig; empty = KUBECONFIG, else ~/.kube/config.
[[nodiscard]] std::vector<std::string> kubeconfig_paths(const std::string& chosen, const environment& env);

/// The files merged. Missing ones count as empty, unless `chosen` names them. Errors: cond::misconfigured, not_found.
[[nodiscard]] result<boost::json::object> merged_kubeconfigs(const std::string& chosen, const environment& env);

} // namespace kubecoro::tool
