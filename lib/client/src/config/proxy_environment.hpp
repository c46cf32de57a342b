#pragma once
// Finds the proxy selected by the environment. Sans-io.

#include "config/server_address.hpp"

#include <kubecoro/client/kubeconfig.hpp>

#include <optional>
#include <string>

namespace kubecoro::detail {

/** The name of the variable through which a Go program would select a proxy for this server, by the rules of
    net/http: HTTPS_PROXY, or HTTP_PROXY for plain http, in either case; none for loopback addresses and hosts in
    NO_PROXY. */
[[nodiscard]] std::optional<std::string> proxy_variable(const server_address& server, const environment& env);

} // namespace kubecoro::detail
