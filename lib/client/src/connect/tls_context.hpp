#pragma once
// Configures OpenSSL for one cluster and describes its failures.
// Resumes TLS sessions: a new connection to the same server then needs neither certificates nor signatures.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <openssl/ssl.h>
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

class session_store;

/** Keeps the last sessions of the connections that are made with a context, and only for these: a context has one server,
    one set of authorities and one client certificate. Thread safe.

    The context does not own them: OpenSSL frees none of what a context owns once its own clean-up at the program's end
    has run, and a global client ends after that. */
class kept_sessions
{
public:
    /// @param context  Its connections end before this does.
    explicit kept_sessions(SSL_CTX* context);
    kept_sessions(const kept_sessions&) = delete;
    kept_sessions& operator=(const kept_sessions&) = delete;
    ~kept_sessions();

private:
    SSL_CTX* context_;
    std::unique_ptr<session_store> store_;
};

/** Before the handshake: offers the server the newest session. A server that does not accept it makes a full handshake.

    A ticket of TLS 1.3 is offered once (RFC 8446, C.4). A session is not offered when the server's certificate has
    expired since. */
void offer_session(SSL* connection) noexcept;

/// Before a connection is freed that did not fail: without it, OpenSSL forgets the session of a connection that ends without
/// close_notify.
void keep_session_of(SSL* connection) noexcept;

} // namespace kubecoro::detail
