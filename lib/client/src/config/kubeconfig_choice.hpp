#pragma once
// Makes the configuration of one context of parsed kubeconfig files. Sans-io, but for the files that the context names.

#include "config/kubeconfig_file.hpp"

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <string>

namespace kubecoro::detail {

/// @param files  Names of the sources, for messages.
/// @param asked  The context; empty = the current one.
[[nodiscard]] result<cluster_config> choose_context(const kubeconfig_text& all, const std::string& files,
                                                    const std::string& asked, const environment& env);

} // namespace kubecoro::detail
