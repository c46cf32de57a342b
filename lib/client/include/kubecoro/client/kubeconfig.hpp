#pragma once

#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/// A user, as a server knows it. A value.
struct user_info
{
    /// The user name.
    std::string name = {};
    /// The user's groups.
    std::vector<std::string> groups = {};
    /// The user's uid; empty = none.
    std::string uid = {};
    /// Further attributes, each with its values.
    std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
    friend bool operator==(const user_info&, const user_info&) = default;
};

/** A program that prints credentials: `users[].user.exec` of a kubeconfig, such as `aws eks get-token`,
    `gke-gcloud-auth-plugin` and `kubelogin`.

    It is run for the first request, shortly before its credentials expire, and after a 401; never twice at a time for
    clients of one context that have equal settings. Its standard error is that of this process. */
struct exec_config
{
    /// Whether the program may ask at standard input.
    enum class interactive_mode
    {
        never,
        /// If standard input is a terminal.
        if_available,
        always
    };

    /// client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1.
    std::string api_version = "client.authentication.k8s.io/v1";
    /// Path of the program, or its name in PATH.
    std::string command = {};
    /// Its arguments.
    std::vector<std::string> arguments = {};
    /// Added to the environment of this process.
    std::vector<std::pair<std::string, std::string>> variables = {};
    /// Shown if the program does not exist.
    std::string install_hint = {};
    /// Passes the cluster's address and authority to the program, and `config`.
    bool provide_cluster_info = false;
    /// JSON text for the program about the cluster: the extension client.authentication.k8s.io/exec of a kubeconfig's cluster.
    std::string config = {};
    /// Whether the program may use standard input.
    interactive_mode interactive = interactive_mode::never;
};

/// Authenticates requests. Only one of token, token_file, user name and exec is used, with precedence token_file, token,
/// user name, exec.
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
    /// A program that prints a token or a client certificate. Not used with a client certificate of the configuration.
    std::optional<exec_config> exec = {};
    /// The user to impersonate, on top of the credentials, where the server allows it. An empty name = off; the other members
    /// require a name, otherwise create() and every request fail with cond::misconfigured.
    user_info as = {};
};

/** Address of a cluster, verification of its certificate, and credentials: everything needed to make a client. A
    regular type that may hold secrets: it deliberately has no stream output. */
struct cluster_config
{
    /// "https://host:port/prefix"; http is for loopback and local proxies. "host:port" is https if there is an authority, a
    /// client certificate, a server name or `insecure`, else http, and then refused with credentials.
    std::string server = {};
    /// PEM text of the trusted certificate authorities, which takes precedence over `ca_file`. Empty = those of the file, else
    /// the system's. load_kubeconfig() sets the one that the kubeconfig has.
    std::string ca = {};
    /** Path of the file with the authorities. It is read by client::create(), and again for each new connection, after a
        failed handshake, after a 401, and with a request once ten seconds have passed. While it is missing or incomplete,
        the authorities from before stay in use. */
    std::string ca_file = {};
    /// Host name to verify the certificate against and to send as SNI; empty = the host of `server`.
    std::string server_name = {};
    /// Proxy for this server: http://[user:password@]host[:port], https:// or socks5://. Empty = the one that HTTPS_PROXY
    /// or HTTP_PROXY, and NO_PROXY, select; "direct:" = none, whatever those say. Secret if it holds a password.
    std::string proxy_url = {};
    /// Accepts any certificate, also of a proxy. For tests only.
    bool insecure = false;
    /// Never asks this server for gzip, whatever client_options::compression says.
    bool disable_compression = false;
    /// PEM text, which takes precedence over the file; a certificate needs a key. Empty = that of the file, else none.
    std::string client_certificate = {};
    /// PEM text of the private key, which takes precedence over its file.
    std::string client_key = {};
    /** Paths of the files with the client certificate and its key, which are read again as `ca_file` is. A certificate and a
        key that do not belong together are not used: those from before stay. */
    std::string client_certificate_file = {};
    /// See client_certificate_file.
    std::string client_key_file = {};
    /// The credentials that are sent with each request.
    credentials login = {};
    /// The namespace to use when the user names none; empty = "default".
    std::string ns = {};
    /// Source of the configuration, for display: "context kind of /home/u/.kube/config", "in-cluster".
    std::string origin = {};
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
};

/** Finds the cluster the way kubectl does.

    With several files in KUBECONFIG, the first that defines a cluster, context, user or current-context wins;
    missing files are skipped. Paths inside a file are relative to it; *-data members override files. Over plain http
    credentials are ignored; impersonation is not. Reads files, so it may block briefly.

    @par Errors  cond::misconfigured naming file and field: nothing found, not YAML, wrong type, missing file,
                 missing context, cluster or user, bad base64, an encrypted key, an empty token file, a token beside a
                 user name, impersonation without a user, an incomplete
                 exec, an unusable proxy-url, or an unsupported setting (auth-provider). */
[[nodiscard]] result<cluster_config> load_kubeconfig(const kubeconfig_options& options = {},
                                                     const environment& env = system_environment());

/// The configuration of a pod. Errors: cond::misconfigured outside a pod.
[[nodiscard]] result<cluster_config> load_in_cluster_config(const environment& env = system_environment());

namespace detail {
/// The longest text for parse_untrusted_kubeconfig().
inline constexpr std::size_t max_untrusted_kubeconfig_bytes = std::size_t{128} * 1024;
} // namespace detail

/** Reads a kubeconfig that others have written, such as the content of a Secret: as load_kubeconfig(), but from text, and
    from nothing else. Settings that would let the writer act with the rights of this process are refused, in every entry:
    credential plugins (exec), and paths of files (tokenFile, client-certificate, client-key, certificate-authority). No
    file is read, and no environment variable but for environment_proxy, and the program's own credentials are never used in its place.

    The writer still chooses the server that this process connects to, the proxy, and whether its certificate is verified.

    @param yaml     At most 128 KiB.
    @param origin   Source of the text, for messages: "Secret fleet/eu". Without a colon.
    @param context  Empty = current-context.
    @param environment_proxy  Whether a cluster without a proxy-url of its own is reached by the proxy that the environment names
        (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). False: directly, the result's proxy_url is then "direct:". The writer chooses the
        server's address, and could have that proxy, with the login in its URL, connect to what the proxy alone reaches.

    @par Errors  cond::misconfigured naming origin and field, as load_kubeconfig(), and for what is refused; never with
                 the content of a credential. */
[[nodiscard]] result<cluster_config> parse_untrusted_kubeconfig(std::string_view yaml,
                                                                const std::string& origin = "kubeconfig",
                                                                const std::string& context = {},
                                                                bool environment_proxy = false);

} // namespace kubecoro
