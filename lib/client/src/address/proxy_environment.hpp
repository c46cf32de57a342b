#pragma once
// Finds the proxy of a server. Sans-io.

#include "address/proxy_address.hpp"
#include "address/server_address.hpp"

#include <kubecoro/client/kubeconfig.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

struct chosen_proxy
{
    proxy_address address = {};
    /// The source of the choice, for display: "proxy-url" or the name of a variable.
    std::string origin = {};
};

/// In the place of a proxy's URL: none, whatever the environment says. A kubeconfig cannot say it.
inline constexpr std::string_view no_proxy = "direct:";

/** The proxy for this server: none for no_proxy, `url` if it is not empty, else the one that the environment selects by the rules of Go's
    net/http.

    HTTPS_PROXY, or HTTP_PROXY for plain http, in upper case and then in lower case; "host:port" means http. None for
    loopback addresses and for hosts in NO_PROXY: names (with their subdomains; only these after a leading dot or
    `*.`), addresses and networks, names and addresses also with a port, and `*` for all.

    @param url   The cluster's own proxy; NO_PROXY does not apply to it.
    @par Errors  cond::misconfigured naming the source, never the URL. Go ignores a variable that it cannot read. */
[[nodiscard]] result<std::optional<chosen_proxy>> choose_proxy(const std::string& url, const server_address& server,
                                                               const environment& env);

} // namespace kubecoro::detail
