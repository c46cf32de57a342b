#pragma once
// The texts that a credential plugin reads and writes: ExecCredential of client.authentication.k8s.io. Sans-io.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The credentials that a plugin has returned: a token, a client certificate with its key, or both.
struct exec_credential
{
    /// Empty = none.
    std::string token = {};
    /// PEM texts that belong together; empty = none.
    std::string certificate = {};
    std::string key = {};
    /// None: they hold until the server refuses them.
    std::optional<std::chrono::sys_seconds> expires = {};
};

/// Fails with cond::misconfigured if the settings of a plugin are incomplete or unknown.
[[nodiscard]] result<> check_exec(const exec_config& plugin);

/** Returns the ExecCredential that a plugin finds in KUBERNETES_EXEC_INFO.

    @param cluster      Told to the plugin if it asks for it.
    @param interactive  Whether the plugin may use standard input. */
[[nodiscard]] std::string exec_info(const exec_config& plugin, const cluster_config& cluster, bool interactive);

/** Reads the output of a plugin.

    @par Errors  cond::misconfigured. They hold nothing of the output, which may be secret. */
[[nodiscard]] result<exec_credential> read_exec_credential(std::string_view output, std::string_view api_version);

} // namespace kubecoro::detail
