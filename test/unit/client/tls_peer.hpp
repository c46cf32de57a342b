#pragma once
// A TLS server without sockets: bytes in, bytes out.

#include "connect/tls_source.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

namespace kubecoro::test {

/// A server's settings with a new key, and those of a client that trusts it as "server".
class tls_ends
{
public:
    /// @param newest  TLS1_2_VERSION or TLS1_3_VERSION.
    /// @param before  Precedes the authority in the client's text.
    explicit tls_ends(int newest = TLS1_3_VERSION, const std::string& before = {});

    [[nodiscard]] SSL_CTX* server() const noexcept { return server_->native_handle(); }
    [[nodiscard]] const std::shared_ptr<detail::tls_generation>& client() const noexcept { return client_; }

private:
    std::shared_ptr<boost::asio::ssl::context> server_;
    std::shared_ptr<detail::tls_generation> client_;
};

/// One connection of the server.
class tls_peer
{
public:
    explicit tls_peer(SSL_CTX* context);

    /// Takes bytes of the client. @return the text that they complete.
    [[nodiscard]] std::string take(std::string_view bytes);
    /// Encrypts a text; an empty one ends TLS properly.
    void seal(std::string_view text);
    /// Asks for new keys: TLS 1.3.
    void update_keys();
    /// Asks for a new handshake: TLS 1.2.
    void renegotiate();
    /// The name that the client has asked for.
    [[nodiscard]] std::string asked_name() const;
    /// Bytes for the client, which are taken out of it.
    [[nodiscard]] std::string& output() noexcept { return output_; }

private:
    void collect();

    struct freed
    {
        void operator()(SSL* s) const noexcept { SSL_free(s); }
    };
    std::unique_ptr<SSL, freed> ssl_;
    BIO* in_ = nullptr;
    BIO* out_ = nullptr;
    std::string output_;
};

} // namespace kubecoro::test
