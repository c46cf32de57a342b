#pragma once
// Configures OpenSSL for one cluster and describes its failures.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

/// TLS 1.2 or later, with verification; trusted authorities and client certificate from the configuration.
/// Errors: cond::misconfigured naming the part that cannot be used.
[[nodiscard]] result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const cluster_config& config);

/** For a proxy that is reached over TLS: trusts the cluster's authorities and the system's, and shows no client
    certificate. cluster_config::insecure holds for it too, as in client-go. Errors: cond::misconfigured. */
[[nodiscard]] result<std::shared_ptr<boost::asio::ssl::context>> make_proxy_tls_context(const cluster_config& config);

/// Sets SNI and the name or address that the certificate must contain. Errors: cond::misconfigured for an invalid name.
[[nodiscard]] result<> expect_server(::SSL* connection, const std::string& name);

/// The reason of a failed handshake: the verification error if there was one, else the error's text.
[[nodiscard]] failure handshake_failure(::SSL* connection, const std::string& name, boost::system::error_code code);

} // namespace kubecoro::detail
