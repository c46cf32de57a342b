#pragma once
// OpenSSL's settings for one cluster, and its words for what went wrong.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

/// TLS 1.2 or later, verification on, trust and client certificate from the configuration.
/// Errors: cond::misconfigured naming the part that cannot be used.
[[nodiscard]] result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const cluster_config& config);

/// Sets SNI and the name or address the certificate must bear. Errors: cond::misconfigured for a name that cannot be one.
[[nodiscard]] result<> expect_server(::SSL* connection, const std::string& name);

/// Why a handshake failed: the verification's reason when that was it, else the error's text.
[[nodiscard]] failure handshake_failure(::SSL* connection, const std::string& name, boost::system::error_code code);

} // namespace kubecoro::detail
