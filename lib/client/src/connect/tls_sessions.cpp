#include "connect/tls_sessions.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <openssl/x509.h>

namespace kubecoro::detail {

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
