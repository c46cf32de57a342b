#include "connect/tls_context.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace kubecoro::detail {

namespace {

struct closer
{
    void operator()(BIO* b) const noexcept { BIO_free(b); }
    void operator()(X509* c) const noexcept { X509_free(c); }
    void operator()(EVP_PKEY* k) const noexcept { EVP_PKEY_free(k); }
};
template<class T>
using owned = std::unique_ptr<T, closer>;

// Never prompts for a pass phrase on the terminal.
int no_pass_phrase(char*, int, int, void*) { return 0; }

owned<BIO> reader(const std::string& pem)
{
    return owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

failure unusable(const std::string& what)
{
    char text[256] = "cannot be parsed";
    if (const auto code = ERR_peek_last_error()) ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return failure(cond::misconfigured, what + ": " + text);
}

result<> trust(SSL_CTX* context, const std::string& pem)
{
    auto in = reader(pem);
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    bool any = false;
    while (owned<X509> certificate{PEM_read_bio_X509(in.get(), nullptr, no_pass_phrase, nullptr)}) {
        if (X509_STORE_add_cert(store, certificate.get()) != 1)
            return unusable("certificate-authority: a certificate cannot be used");
        any = true;
    }
    if (!any) return unusable("certificate-authority: not PEM text with a certificate");
    ERR_clear_error();
    // As in Go: every certificate in the bundle is a trust anchor, including intermediates.
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
    return {};
}

result<> show_certificate(SSL_CTX* context, const std::string& chain, const std::string& key)
{
    auto in = reader(chain);
    owned<X509> leaf{PEM_read_bio_X509(in.get(), nullptr, no_pass_phrase, nullptr)};
    if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1)
        return unusable("client-certificate: cannot be used");
    while (owned<X509> next{PEM_read_bio_X509(in.get(), nullptr, no_pass_phrase, nullptr)})
        if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) return unusable("client-certificate: cannot be used");
    ERR_clear_error();
    auto key_in = reader(key);
    owned<EVP_PKEY> secret{PEM_read_bio_PrivateKey(key_in.get(), nullptr, no_pass_phrase, nullptr)};
    if (!secret) return unusable("client-key: cannot be used (encrypted keys are not supported)");
    if (SSL_CTX_use_PrivateKey(context, secret.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
        return unusable("client-key: does not match the client certificate");
    return {};
}

/** Marks certificates without alternative names with a separate error, because their name is then in the Common
    Name, which current clients ignore. The certificate is accessible only here. */
int name_legacy_certificates(int good, X509_STORE_CTX* verification)
{
    const int error = X509_STORE_CTX_get_error(verification);
    const X509* certificate = X509_STORE_CTX_get_current_cert(verification);
    const bool wrong_name = error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH;
    if (good == 0 && wrong_name && certificate && X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) < 0)
        X509_STORE_CTX_set_error(verification, X509_V_ERR_APPLICATION_VERIFICATION);
    return good;
}

bool is_address(const std::string& name)
{
    boost::system::error_code ec;
    (void)boost::asio::ip::make_address(name, ec);
    return !ec;
}

} // namespace

result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const cluster_config& config)
{
    namespace ssl = boost::asio::ssl;
    if (config.insecure && !config.ca.empty())
        return failure(cond::misconfigured,
                       "a certificate authority and insecure-skip-tls-verify are mutually exclusive");
    if (config.client_certificate.empty() != config.client_key.empty())
        return failure(cond::misconfigured, "a client certificate and its key must be given together");
    ERR_clear_error();
    auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
    SSL_CTX* native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(native, config.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, name_legacy_certificates);
    if (!config.ca.empty()) {
        if (auto done = trust(native, config.ca); !done) return done.error();
    } else if (!config.insecure && SSL_CTX_set_default_verify_paths(native) != 1) {
        return unusable("the system's certificate authorities cannot be used");
    }
    if (!config.client_certificate.empty())
        if (auto done = show_certificate(native, config.client_certificate, config.client_key); !done)
            return done.error();
    return context;
}

result<> expect_server(::SSL* connection, const std::string& name)
{
    X509_VERIFY_PARAM* wanted = SSL_get0_param(connection);
    bool good;
    if (is_address(name)) {
        good = X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1;
    } else {
        X509_VERIFY_PARAM_set_hostflags(wanted,
                                        X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
        good = X509_VERIFY_PARAM_set1_host(wanted, name.data(), name.size()) == 1 &&
               SSL_set_tlsext_host_name(connection, name.c_str()) == 1;
    }
    if (good) return {};
    ERR_clear_error();
    return failure(cond::misconfigured, "\"" + name + "\" is not a valid name of a TLS server");
}

failure handshake_failure(::SSL* connection, const std::string& name, boost::system::error_code code)
{
    const long verdict = SSL_get_verify_result(connection);
    ERR_clear_error();
    const auto not_verified = [&](const char* why) {
        return failure(cond::unreachable, "the server's certificate is not valid for \"" + name + "\": " + why);
    };
    if (verdict == X509_V_ERR_APPLICATION_VERIFICATION)
        return not_verified("it relies on the legacy Common Name field and has no subject alternative names");
    if (verdict != X509_V_OK && SSL_get_verify_mode(connection) != SSL_VERIFY_NONE)
        return not_verified(X509_verify_cert_error_string(verdict));
    // OpenSSL reports "wrong version number" for a response whose first bytes are not TLS.
    if (code.category() == boost::asio::error::get_ssl_category() &&
        ERR_GET_REASON(static_cast<unsigned long>(code.value())) == SSL_R_WRONG_VERSION_NUMBER)
        return failure(cond::unreachable, "TLS handshake with " + name +
                                              ": the server does not respond in TLS; if it speaks plain HTTP, its "
                                              "address must begin with http://");
    return failure(code, "TLS handshake with " + name);
}

} // namespace kubecoro::detail
