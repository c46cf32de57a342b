#pragma once

#include "address/proxy.hpp"
#include "connect/socket_connector.hpp"
#include "connect/tls_source.hpp"

namespace kubecoro::detail {

/** How to reach the server: nothing = directly. Logs the choice of a proxy, without its login.

    @param with  Those for the server, without a plugin. For a proxy over TLS the files of the authorities are read, which may
    block.

    @par Errors  cond::misconfigured, see choose_proxy() and make_tls_context(). */
[[nodiscard]] result<std::optional<proxy_route>> find_proxy_route(const server_address& server,
                                                                  tls_source::settings with);

} // namespace kubecoro::detail
