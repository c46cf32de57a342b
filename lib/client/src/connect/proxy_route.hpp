#pragma once

#include "config/proxy_environment.hpp"
#include "connect/socket_connector.hpp"

#include <kubecoro/base/log.hpp>

namespace kubecoro::detail {

/** How to reach the server: nothing = directly. Logs the choice of a proxy, without its login.

    @par Errors  cond::misconfigured, see choose_proxy() and make_tls_context(). */
[[nodiscard]] result<std::optional<proxy_route>>
find_proxy_route(const cluster_config& config, const server_address& server, const environment& env, const logger& log);

} // namespace kubecoro::detail
