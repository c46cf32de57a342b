#include "connect/tls_context.hpp"

#include "address/server_address.hpp"
#include "files/tls_pem.hpp"

#include <boost/asio/ssl/error.hpp>

#include <deque>
#include <mutex>
#include <new>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <utility>

namespace kubecoro::detail {

namespace {

/// "certificate-authority" or "certificate-authority (/path/of/file)".
std::string named(const char* what, const std::string& file)
{
    return file.empty() ? what : std::string(what) + " (" + file + ")";
}

result<> trust(SSL_CTX* context, const cluster_config& config)
{
    const auto what = named("certificate-authority", config.ca_file);
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    const auto found = read_certificates(config.ca);
    for (const auto& certificate : found.all)
        if (X509_STORE_add_cert(store, certificate.get()) != 1)
            return unusable_pem(what + ": a certificate cannot be used");
    if (found.all.empty()) return unusable_pem(what + ": not PEM text with a certificate");
    // As in Go: every certificate in the bundle is a trust anchor, including intermediates.
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
    return {};
}

result<> show_certificate(SSL_CTX* context, const cluster_config& config)
{
    const auto what = named("client-certificate", config.client_certificate_file);
    const auto key_what = named("client-key", config.client_key_file);
    const auto found = read_certificates(config.client_certificate);
    if (found.all.empty() || !use_certificates(context, found)) return unusable_pem(what + ": cannot be used");
    const auto key = read_key(config.client_key);
    if (!key) return failure(cond::misconfigured, key_what + ": cannot be used: " + key.error().message());
    if (SSL_CTX_use_PrivateKey(context, key->get()) != 1 || SSL_CTX_check_private_key(context) != 1)
        return unusable_pem(key_what + ": does not match the client certificate");
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

struct context_with_sessions
{
    boost::asio::ssl::context context{boost::asio::ssl::context::tls_client};
    kept_sessions sessions{context.native_handle()};
};

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
    auto both = std::make_shared<context_with_sessions>();
    std::shared_ptr<ssl::context> context(both, &both->context);
    SSL_CTX* native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    // As in Go: a peer's identity does not change within a connection, and a server cannot have it computed again and again.
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_verify(native, config.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, name_legacy_certificates);
    if (!config.ca.empty()) {
        if (auto done = trust(native, config); !done) return done.error();
    } else if (!config.insecure && SSL_CTX_set_default_verify_paths(native) != 1) {
        return unusable_pem("the system's certificate authorities cannot be used");
    }
    if (!config.client_certificate.empty())
        if (auto done = show_certificate(native, config); !done) return done.error();
    return context;
}

result<std::shared_ptr<boost::asio::ssl::context>> make_proxy_tls_context(const cluster_config& config)
{
    cluster_config anonymous;
    anonymous.ca = config.ca;
    anonymous.insecure = config.insecure;
    auto context = make_tls_context(anonymous);
    if (!context || config.ca.empty()) return context;
    // A system without authorities has the cluster's.
    if (SSL_CTX_set_default_verify_paths((*context)->native_handle()) != 1) ERR_clear_error();
    return context;
}

result<> expect_server(::SSL* connection, const std::string& name)
{
    X509_VERIFY_PARAM* wanted = SSL_get0_param(connection);
    bool good;
    if (is_address(name)) {
        good = X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1;
    } else {
        // As in Go: certificates and SNI have names without the dot that ends an absolute one.
        const auto host = name.substr(0, name.size() - (name.ends_with('.') ? 1 : 0));
        X509_VERIFY_PARAM_set_hostflags(wanted,
                                        X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
        // An empty name, with which OpenSSL would accept any certificate, is none for SNI; is_host() has refused others.
        good = X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size()) == 1 &&
               SSL_set_tlsext_host_name(connection, host.c_str()) == 1;
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

namespace {

// A server sends two tickets or so for each connection; a burst of connections uses one each.
constexpr std::size_t most_sessions = 8;

struct freed
{
    void operator()(SSL_SESSION* s) const noexcept { SSL_SESSION_free(s); }
};
using session = std::unique_ptr<SSL_SESSION, freed>;

} // namespace

class session_store
{
public:
    /// Takes the session, or leaves it as it is and throws.
    void add(session& s)
    {
        const std::lock_guard lock(mutex_);
        kept_.push_back(std::move(s));
        if (kept_.size() > most_sessions) kept_.pop_front();
    }

    /// The newest usable one, or null.
    session take() noexcept
    {
        const std::lock_guard lock(mutex_);
        while (!kept_.empty()) {
            SSL_SESSION* const newest = kept_.back().get();
            const bool once = SSL_SESSION_get_protocol_version(newest) >= TLS1_3_VERSION;
            const bool usable = is_usable(newest);
            session out;
            if (usable && SSL_SESSION_up_ref(newest) == 1) out.reset(newest);
            if (once || !usable) kept_.pop_back();
            if (out) return out;
        }
        return nullptr;
    }

private:
    static bool is_usable(const SSL_SESSION* s) noexcept
    {
        if (SSL_SESSION_is_resumable(s) == 0) return false;
        const X509* const server = SSL_SESSION_get0_peer(const_cast<SSL_SESSION*>(s));
        return server == nullptr || X509_cmp_current_time(X509_get0_notAfter(server)) > 0;
    }

    std::mutex mutex_;
    std::deque<session> kept_;
};

namespace {

int store_index()
{
    static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

session_store* store_of(SSL* connection) noexcept
{
    return static_cast<session_store*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), store_index()));
}

/// Called by OpenSSL. Returns 1 if the session is ours now.
int on_new_session(SSL* connection, SSL_SESSION* fresh)
{
    auto* const store = store_of(connection);
    if (store == nullptr) return 0;
    session ours(fresh);
    try {
        store->add(ours);
        return 1;
    } catch (...) { // must not pass through OpenSSL
        (void)ours.release();
        return 0;
    }
}

} // namespace

kept_sessions::kept_sessions(SSL_CTX* context) : context_(context), store_(std::make_unique<session_store>())
{
    if (SSL_CTX_set_ex_data(context, store_index(), store_.get()) != 1) throw std::bad_alloc();
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, on_new_session);
}

kept_sessions::~kept_sessions() { SSL_CTX_set_ex_data(context_, store_index(), nullptr); }

void offer_session(SSL* connection) noexcept
{
    auto* const store = store_of(connection);
    if (store == nullptr) return;
    if (const auto s = store->take()) SSL_set_session(connection, s.get());
}

void keep_session_of(SSL* connection) noexcept
{
    SSL_set_shutdown(connection, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

} // namespace kubecoro::detail
