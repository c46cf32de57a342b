#pragma once
// Which proxy the environment asks for. Sans-io.

#include "config/server_address.hpp"

#include <kubecoro/client/kubeconfig.hpp>

#include <optional>
#include <string>

namespace kubecoro::detail {

/** The name of the variable by which Go programs would reach this server through a proxy, by the rules of net/http:
    HTTPS_PROXY, or HTTP_PROXY for plain http, in either case; not for loopback addresses and what NO_PROXY names. */
[[nodiscard]] std::optional<std::string> proxy_variable(const server_address& server, const environment& env);

} // namespace kubecoro::detail
