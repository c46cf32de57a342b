#pragma once
// Resumes TLS sessions: a new connection to the same server then needs neither certificates nor signatures.

#include <openssl/ssl.h>

#include <memory>

namespace kubecoro::detail {

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
