#pragma once
// Decides when a credential plugin runs, and reads and writes its texts: ExecCredential of client.authentication.k8s.io. Sans-io.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <chrono>
#include <memory>
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

/// The credentials of one run, shared by the requests that use them.
using held_credential = std::shared_ptr<const exec_credential>;

/** The credentials of a plugin, and when it runs again: shortly before they expire, and when the server has refused them.

    A server that refuses everything does not run the plugin with each request: between two runs for that reason at
    least ten seconds pass, then twenty, up to five minutes. A time of that length without a refusal ends the
    series. */
class exec_login_core
{
public:
    /** The credentials to use; null = the plugin must run.

        @param refused  Credentials that the server did not accept; null = none. The result may be the same: it is too early
                        for another run. */
    [[nodiscard]] held_credential choose(time_point now, const held_credential& refused) const;
    /// The plugin runs. @param refused  As for choose().
    void on_run(time_point now, const held_credential& refused);
    /** The plugin has returned credentials. If they are those from before, choose() returns the same pointer.

        @return whether they have expired. */
    bool on_credential(exec_credential c, time_point now, std::chrono::system_clock::time_point wall_now);
    /// Null before the first.
    [[nodiscard]] const held_credential& current() const noexcept { return current_; }

private:
    static constexpr std::chrono::seconds first_pause{10};
    static constexpr std::chrono::seconds longest_pause{300};

    held_credential current_;
    /// None: when the server refuses them.
    std::optional<time_point> renew_at_;
    duration pause_ = first_pause;
    /// When the plugin may run for a refusal again.
    std::optional<time_point> patient_until_;
};

} // namespace kubecoro::detail
