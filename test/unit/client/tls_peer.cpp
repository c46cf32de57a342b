#include "tls_peer.hpp"

#include "certificates.hpp"
#include "connect/tls_context.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/asio/buffer.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>

namespace kubecoro::test {

namespace asio = boost::asio;

tls_ends::tls_ends(int newest, const std::string& before)
    : server_(std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server))
{
    static const authority ours("ours");
    static const identity id = ours.issue("server", {"DNS:server"});
    server_->use_certificate_chain(asio::buffer(id.certificate));
    server_->use_private_key(asio::buffer(id.key), asio::ssl::context::pem);
    SSL_CTX_set_max_proto_version(server(), newest);
    cluster_config config;
    config.ca = before + ours.certificate();
    auto context = detail::make_tls_context(config);
    REQUIRE(context);
    client_ = std::make_shared<detail::tls_generation>(std::move(*context));
}

tls_peer::tls_peer(SSL_CTX* context) : ssl_(SSL_new(context)), in_(BIO_new(BIO_s_mem())), out_(BIO_new(BIO_s_mem()))
{
    SSL_set_bio(ssl_.get(), in_, out_);
    SSL_set_accept_state(ssl_.get());
}

std::string tls_peer::take(std::string_view bytes)
{
    BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
    std::string text;
    std::string part(4096, '\0');
    ERR_clear_error();
    for (std::size_t n = 0; SSL_read_ex(ssl_.get(), part.data(), part.size(), &n) == 1;) text.append(part, 0, n);
    ERR_clear_error();
    collect();
    return text;
}

void tls_peer::seal(std::string_view text)
{
    if (text.empty())
        (void)SSL_shutdown(ssl_.get());
    else
        REQUIRE(SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) > 0);
    collect();
}

std::string tls_peer::asked_name() const
{
    const char* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
    return name == nullptr ? "" : name;
}

void tls_peer::update_keys()
{
    REQUIRE(SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED) == 1);
    REQUIRE(SSL_do_handshake(ssl_.get()) == 1);
    collect();
}

void tls_peer::renegotiate()
{
    REQUIRE(SSL_renegotiate(ssl_.get()) == 1);
    (void)SSL_do_handshake(ssl_.get());
    collect();
}

void tls_peer::collect()
{
    std::string part(4096, '\0');
    for (int n = 0; (n = BIO_read(out_, part.data(), static_cast<int>(part.size()))) > 0;)
        output_.append(part, 0, static_cast<std::size_t>(n));
}

} // namespace kubecoro::test
