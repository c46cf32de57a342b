#include "channel.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <csignal>
#include <sys/socket.h>
#include <sys/time.h>

namespace kubecoro::bench {
namespace {

/// Bytes gathered before encryption: some full TLS records.
constexpr std::size_t gathered = 64 * 1024;

class tls_channel final : public channel
{
public:
    tls_channel(int descriptor, SSL* session) : channel(descriptor), session_(session) {}
    ~tls_channel() override { SSL_free(session_); }

    using channel::write;

    std::size_t read_some(std::span<char> to) override
    {
        const int n = SSL_read(session_, to.data(), static_cast<int>(to.size()));
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }

    bool write(std::span<const std::string_view> parts) override
    {
        for (std::string_view part : parts) {
            if (part.size() >= gathered) {
                if (!flush() || !encrypt(part)) return false;
                continue;
            }
            if (buffer_.size() + part.size() > gathered && !flush()) return false;
            buffer_ += part;
        }
        return flush();
    }

    bool wait_readable(std::chrono::milliseconds limit) override
    {
        return SSL_pending(session_) > 0 || channel::wait_readable(limit);
    }

private:
    bool flush()
    {
        const bool written = encrypt(buffer_);
        buffer_.clear();
        return written;
    }

    bool encrypt(std::string_view bytes)
    {
        constexpr std::size_t longest = 1 << 30;
        while (!bytes.empty()) {
            const int n = SSL_write(session_, bytes.data(), static_cast<int>(std::min(bytes.size(), longest)));
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }

    SSL* session_;
    std::string buffer_;
};

/// In seconds; 0: none.
void set_read_timeout(int descriptor, int seconds)
{
    const timeval limit{seconds, 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/// Selects HTTP/1.1, also for clients that support HTTP/2.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in, unsigned int in_size,
                    void*)
{
    static constexpr unsigned char http1[] = "\x08http/1.1";
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, size, http1, sizeof http1 - 1, in, in_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

} // namespace

result<std::shared_ptr<tls_settings>> tls_settings::load(const std::string& directory)
{
    // OpenSSL writes to sockets without MSG_NOSIGNAL.
    std::signal(SIGPIPE, SIG_IGN);
    std::shared_ptr<tls_settings> made(new tls_settings);
    SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
    made->context_ = context;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    if (SSL_CTX_use_certificate_chain_file(context, (directory + "/server.crt").c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, (directory + "/server.key").c_str(), SSL_FILETYPE_PEM) != 1)
        return failure{cond::misconfigured, "no server.crt and server.key that fit in " + directory};
    return made;
}

tls_settings::~tls_settings() { SSL_CTX_free(static_cast<SSL_CTX*>(context_)); }

std::unique_ptr<channel> tls_settings::handshake(int descriptor) const
{
    SSL* const session = SSL_new(static_cast<SSL_CTX*>(context_));
    SSL_set_fd(session, descriptor);
    auto made = std::make_unique<tls_channel>(descriptor, session);
    // A client that never finishes its handshake must not block its thread.
    set_read_timeout(descriptor, 10);
    if (SSL_accept(session) != 1) return nullptr;
    set_read_timeout(descriptor, 0);
    return made;
}

} // namespace kubecoro::bench
