#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro {

/// Options of parse_untrusted_kubeconfig().
struct untrusted_kubeconfig_options
{
    /// Source of the text, for messages: "Secret fleet/eu". Without a colon.
    std::string origin = "kubeconfig";
    /// Empty = current-context.
    std::string context = {};
    /// Maximum length of the text.
    std::size_t max_bytes = std::size_t{128} * 1024;
    /// Whether a cluster without a proxy-url of its own is reached by the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY,
    /// NO_PROXY). False: directly, the result's proxy_url is then "direct:". The writer chooses the server's address, and could
    /// have that proxy, with the login in its URL, connect to what the proxy alone reaches.
    bool environment_proxy = false;
};

/** Reads a kubeconfig that others have written, such as the content of a Secret: as load_kubeconfig(), but from text, and
    from nothing else. Settings that would let the writer act with the rights of this process are refused, in every entry:
    credential plugins (exec), and paths of files (tokenFile, client-certificate, client-key, certificate-authority). No
    file is read, and no environment variable but for environment_proxy, and the program's own credentials are never used in its place.

    The writer still chooses the server that this process connects to, the proxy, and whether its certificate is verified.

    @par Errors  cond::misconfigured naming origin and field, as load_kubeconfig(), and for what is refused; never with
                 the content of a credential. */
[[nodiscard]] result<cluster_config> parse_untrusted_kubeconfig(std::string_view yaml,
                                                                const untrusted_kubeconfig_options& options = {});

} // namespace kubecoro
