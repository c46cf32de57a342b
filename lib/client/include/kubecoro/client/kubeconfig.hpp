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

/// Act as somebody else, where the server allows it. Empty user = off; the other members need a user, without which
/// create() and every request fail with cond::misconfigured.
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

/// Who asks. At most one of token, token_file and user name is used, in the order token_file, token, user name.
struct credentials
{
    /// Bearer token, sent as it is.
    std::string token = {};
    /// File that holds the bearer token: read at first use, again when that was 50 s ago, and after a 401. A file that
    /// cannot be read leaves the last token (at first `token`) in use.
    std::string token_file = {};
    /// User name for basic authentication.
    std::string username = {};
    /// Password for basic authentication.
    std::string password = {};
    /// Impersonation, on top of the credentials.
    impersonation as = {};
    KUBECORO_NAME_FIRST;
};

/** Where a cluster is, how its certificate is verified, and who asks: everything needed to make a client. A regular
    value that may hold secrets: it has no printing on purpose. */
struct cluster_config
{
    /// "https://host:port/prefix"; http is for loopback and proxies of one's own.
    std::string server = {};
    /// PEM text of the authorities to trust; empty = those of the system.
    std::string ca = {};
    /// Name the certificate is checked for and that is sent as SNI; empty = the host of `server`.
    std::string server_name = {};
    /// Accept any certificate. Only for tests.
    bool insecure = false;
    /// PEM text; both or neither.
    std::string client_certificate = {};
    /// PEM text of the private key of `client_certificate`.
    std::string client_key = {};
    /// The credentials that are sent with each request.
    credentials login = {};
    /// The namespace to use where the user names none; empty = "default".
    std::string ns = {};
    /// Where this came from, for people: "context kind of /home/u/.kube/config", "in-cluster".
    std::string origin = {};
    KUBECORO_NAME_FIRST;
};

/** What the loader may see of the machine. Both functions are injectable so that tests need no files.

    read_file fails with cond::not_found when there is no such file, with cond::misconfigured when it cannot be read or
    is longer than `limit` bytes. */
struct environment
{
    /// Returns the value of a variable, or nothing.
    std::function<std::optional<std::string>(const std::string& name)> variable;
    /// Returns the content of a file of at most `limit` bytes, or why it cannot be read.
    std::function<result<std::string>(const std::string& path, std::size_t limit)> read_file;
    /// Where a pod finds its service account.
    std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// The process's variables and files.
[[nodiscard]] environment system_environment();

/// Which kubeconfig file and context to load.
struct kubeconfig_options
{
    /// Explicit file: the only source then. Empty = KUBECONFIG (a list, merged), else ~/.kube/config, else in-cluster.
    std::string path = {};
    /// Empty = current-context.
    std::string context = {};
    KUBECORO_NAME_FIRST;
};

/** Finds the cluster the way kubectl does.

    Of several files in KUBECONFIG the first that has a cluster, context, user or current-context wins for it; missing
    ones are passed over. Paths inside a file are relative to it; *-data members beat files. Over plain http no
    credentials are taken; impersonation is. Reads files, so it may block for a moment.

    @par Errors  cond::misconfigured naming file and field: nothing found, not YAML, wrong type, missing file, missing
                 context, cluster or user, bad base64, impersonation without a user, or something not supported (exec, auth-provider, proxy-url). */
[[nodiscard]] result<cluster_config> load_kubeconfig(const kubeconfig_options& options = kubeconfig_options(),
                                                     const environment& env = system_environment());

/// The configuration of a pod. Errors: cond::misconfigured when this is not one.
[[nodiscard]] result<cluster_config> load_in_cluster_config(const environment& env = system_environment());

} // namespace kubecoro
