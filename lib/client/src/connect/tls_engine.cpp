#include "connect/tls_engine.hpp"

#include "connect/tls_context.hpp"

#include <boost/asio/ssl/error.hpp>

#include <algorithm>
#include <cstring>
#include <new>

#include <openssl/bio.h>
#include <openssl/err.h>

namespace kubecoro::detail {
namespace {

// A record with its head, and room for what protects it.
constexpr std::size_t longest_record = 17 * 1024;

} // namespace

/// OpenSSL's view of the engine: a BIO whose data is the engine.
struct tls_engine::bio_calls
{
    static int read(BIO* b, char* to, int size)
    {
        auto& e = engine(b);
        BIO_clear_retry_flags(b);
        const auto n = std::min(static_cast<std::size_t>(size), e.end_ - e.begin_);
        if (n == 0) {
            BIO_set_retry_read(b);
            return -1;
        }
        std::memcpy(to, e.input_.get() + e.begin_, n);
        e.begin_ += n;
        return static_cast<int>(n);
    }
    static int write(BIO* b, const char* from, int size)
    {
        BIO_clear_retry_flags(b);
        try {
            engine(b).output_.append(from, static_cast<std::size_t>(size));
            return size;
        } catch (const std::bad_alloc&) { // must not pass through OpenSSL
            return -1;
        }
    }
    static long control(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }
    static tls_engine& engine(BIO* b) { return *static_cast<tls_engine*>(BIO_get_data(b)); }

    static BIO_METHOD* method()
    {
        // Never freed: connections of a global client end after all static objects of functions.
        static BIO_METHOD* const made = [] {
            BIO_METHOD* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "kubecoro engine");
            if (m == nullptr) throw std::bad_alloc();
            BIO_meth_set_read(m, read);
            BIO_meth_set_write(m, write);
            BIO_meth_set_ctrl(m, control);
            return m;
        }();
        return made;
    }
};

tls_engine::tls_engine(SSL_CTX* context, side at) : ssl_(SSL_new(context))
{
    BIO* const bio = ssl_ ? BIO_new(bio_calls::method()) : nullptr;
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    if (at == side::client)
        SSL_set_connect_state(ssl_.get());
    else
        SSL_set_accept_state(ssl_.get());
}

tls_engine::~tls_engine()
{
    if (!error_ && SSL_is_server(ssl_.get()) == 0) keep_session_of(ssl_.get());
}

tls_engine::step tls_engine::outcome(int returned)
{
    switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_NONE:
        return step::done;
    case SSL_ERROR_WANT_READ:
        return step::input;
    case SSL_ERROR_ZERO_RETURN:
        return step::closed;
    default:
        break;
    }
    error_ = {static_cast<int>(ERR_get_error()), boost::asio::error::get_ssl_category()};
    if (!error_) error_ = boost::asio::ssl::error::unspecified_system_error;
    ERR_clear_error(); // the rest would be taken for an error of the application's own use of OpenSSL
    return step::failed;
}

tls_engine::step tls_engine::handshake()
{
    if (error_) return step::failed;
    ERR_clear_error();
    return outcome(SSL_do_handshake(ssl_.get()));
}

tls_engine::step tls_engine::write(std::string_view text)
{
    if (error_) return step::failed;
    std::size_t written = 0;
    ERR_clear_error();
    return outcome(SSL_write_ex(ssl_.get(), text.data(), text.size(), &written));
}

tls_engine::step tls_engine::read(std::span<char> to, std::size_t& n)
{
    n = 0;
    while (!error_ && n < to.size()) {
        // OpenSSL would make a buffer for input that is not there.
        if (n != 0 && !has_input() && SSL_has_pending(ssl_.get()) == 0) break;
        std::size_t got = 0;
        ERR_clear_error();
        const step s = outcome(SSL_read_ex(ssl_.get(), to.data() + n, to.size() - n, &got));
        // The next call reports it again.
        if (s != step::done) return n != 0 ? step::done : s;
        n += got;
    }
    return n == 0 && error_ ? step::failed : step::done;
}

void tls_engine::shut_down() noexcept
{
    if (error_) return;
    // OpenSSL treats the peer's as received.
    SSL_set_shutdown(ssl_.get(), SSL_RECEIVED_SHUTDOWN);
    (void)SSL_shutdown(ssl_.get());
    ERR_clear_error();
}

std::span<char> tls_engine::room(std::size_t wanted)
{
    wanted = std::max(wanted, longest_record);
    if (capacity_ != wanted) {
        input_ = std::make_unique_for_overwrite<char[]>(wanted);
        capacity_ = wanted;
    }
    begin_ = end_ = 0;
    return {input_.get(), capacity_};
}

bool tls_engine::is_quiet() const noexcept
{
    return !has_input() && SSL_has_pending(ssl_.get()) == 0 &&
           (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) == 0;
}

void tls_engine::rest() noexcept
{
    if (has_input()) return;
    input_.reset();
    capacity_ = begin_ = end_ = 0;
    output_.shrink_to_fit();
    (void)SSL_free_buffers(ssl_.get()); // keeps those in use
}

} // namespace kubecoro::detail
