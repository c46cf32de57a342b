#pragma once

#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro {

/// The identity to impersonate, where the server allows it. Empty user = off; the other members require a user,
/// otherwise create() and every request fail with cond::misconfigured.
struct impersonation
{
    /// The user name.
    std::string user = {};
    /// The user's uid.
    std::string uid = {};
    /// The user's groups.
    std::vector<std::string> groups = {};
    /// Further attributes of the user.
    std::vector<std::pair<std::string, std::string>> extra = {};
    KUBECORO_NAME_FIRST;
};

/// Authenticates requests. Only one of token, token_file and user name is used, with precedence token_file, token, user
/// name.
struct credentials
{
    /// Bearer token, sent unchanged.
    std::string token = {};
    /// File with the bearer token: read at first use, again after 50 s, and after a 401. If it cannot be read, the last
    /// token (initially `token`) stays in use.
    std::string token_file = {};
    /// User name for basic authentication.
    std::string username = {};
    /// Password for basic authentication.
    std::string password = {};
    /// Impersonation, on top of the credentials.
    impersonation as = {};
    KUBECORO_NAME_FIRST;
};

/** Address of a cluster, verification of its certificate, and credentials: everything needed to make a client. A
    regular type that may hold secrets: it deliberately has no stream output. */
struct cluster_config
{
    /// "https://host:port/prefix"; http is for loopback and local proxies.
    std::string server = {};
    /// PEM text of the trusted certificate authorities; empty = the system's.
    std::string ca = {};
    /// Host name to verify the certificate against and to send as SNI; empty = the host of `server`.
    std::string server_name = {};
    /// Accepts any certificate. For tests only.
    bool insecure = false;
    /// Never asks this server for gzip, whatever client_options::compression says.
    bool disable_compression = false;
    /// PEM text; both or neither.
    std::string client_certificate = {};
    /// PEM text of the private key of `client_certificate`.
    std::string client_key = {};
    /// The credentials that are sent with each request.
    credentials login = {};
    /// The namespace to use when the user names none; empty = "default".
    std::string ns = {};
    /// Source of the configuration, for display: "context kind of /home/u/.kube/config", "in-cluster".
    std::string origin = {};
    KUBECORO_NAME_FIRST;
};

/** The loader's access to environment variables and files. Both functions are injectable so that tests need no
    files.

    read_file fails with cond::not_found when the file does not exist, with cond::misconfigured when it cannot be
    read or is longer than `limit` bytes. */
struct environment
{
    /// Returns the value of a variable, or nothing.
    std::function<std::optional<std::string>(const std::string& name)> variable;
    /// Returns the content of a file of at most `limit` bytes, or why it cannot be read.
    std::function<result<std::string>(const std::string& path, std::size_t limit)> read_file;
    /// Directory of the pod's service account.
    std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// Reads the process's environment variables and files.
[[nodiscard]] environment system_environment();

/// Which kubeconfig file and context to load.
struct kubeconfig_options
{
    /// Explicit file, used as the only source. Empty = KUBECONFIG (a list, merged), else ~/.kube/config, else
    /// in-cluster.
    std::string path = {};
    /// Empty = current-context.
    std::string context = {};
    KUBECORO_NAME_FIRST;
};

/** Finds the cluster the way kubectl does.

    With several files in KUBECONFIG, the first that defines a cluster, context, user or current-context wins;
    missing files are skipped. Paths inside a file are relative to it; *-data members override files. Over plain http
    credentials are ignored; impersonation is not. Reads files, so it may block briefly.

    @par Errors  cond::misconfigured naming file and field: nothing found, not YAML, wrong type, missing file,
                 missing context, cluster or user, bad base64, impersonation without a user, or an unsupported
                 setting (exec, auth-provider, proxy-url). */
[[nodiscard]] result<cluster_config> load_kubeconfig(const kubeconfig_options& options = kubeconfig_options(),
                                                     const environment& env = system_environment());

/// The configuration of a pod. Errors: cond::misconfigured outside a pod.
[[nodiscard]] result<cluster_config> load_in_cluster_config(const environment& env = system_environment());

} // namespace kubecoro
