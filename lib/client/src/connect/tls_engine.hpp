#pragma once
// One end of a TLS connection without its socket.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <openssl/ssl.h>

namespace kubecoro::detail {

/** Encrypts and decrypts with OpenSSL. Bytes from the peer go in through room() and received(), bytes for the peer come
    out of output().

    Asio's TLS stream reads 17 KB at most and hands out a record at a time; this one takes all that has arrived. */
class tls_engine
{
public:
    /// The need of a step, once output() has been sent.
    enum class step
    {
        done,
        /// More bytes of the peer.
        input,
        /// The peer has ended the connection properly.
        closed,
        /// See error().
        failed
    };

    enum class side
    {
        client,
        server
    };

    /// @param context  Outlives the engine.
    explicit tls_engine(SSL_CTX* context, side at = side::client);

    ~tls_engine();
    tls_engine(const tls_engine&) = delete;
    tls_engine& operator=(const tls_engine&) = delete;

    [[nodiscard]] SSL* native_handle() const noexcept { return ssl_.get(); }

    [[nodiscard]] step handshake();
    /// Encrypts the text.
    [[nodiscard]] step write(std::string_view text);
    /// Decrypts as much as has arrived and `to` can hold. @param n  Number of bytes; if it is not 0, the step is done.
    [[nodiscard]] step read(std::span<char> to, std::size_t& n);
    /// Ends the output, without waiting for the peer's end.
    void shut_down() noexcept;
    /// Whether the handshake was a short one, with the keys of an earlier connection.
    [[nodiscard]] bool is_resumed() const noexcept { return SSL_session_reused(ssl_.get()) == 1; }
    /// The reason of the first failed step.
    [[nodiscard]] const boost::system::error_code& error() const noexcept { return error_; }

    /// After a step that needs input: the space for it, which holds a record at least.
    [[nodiscard]] std::span<char> room(std::size_t wanted);
    /// Reports that n bytes were received into the room.
    void received(std::size_t n) noexcept { end_ = n; }
    /// True if everything from the peer has been read, and the peer has not ended the connection.
    [[nodiscard]] bool is_quiet() const noexcept;
    /// Releases the buffers, OpenSSL's too, if nothing is in them.
    void rest() noexcept;

    /// Bytes for the peer.
    [[nodiscard]] std::string_view output() const noexcept { return output_; }
    /// Reports that all of output() has been sent.
    void sent() noexcept { output_.clear(); }
    /// Passes on output(), while more of it may be made.
    [[nodiscard]] std::string take_output() noexcept { return std::exchange(output_, {}); }

private:
    struct freed
    {
        void operator()(SSL* s) const noexcept { SSL_free(s); }
    };
    struct bio_calls;

    [[nodiscard]] step outcome(int returned);
    /// True if bytes of the peer wait to be decrypted.
    [[nodiscard]] bool has_input() const noexcept { return begin_ != end_; }

    std::unique_ptr<SSL, freed> ssl_;
    std::unique_ptr<char[]> input_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::string output_;
    boost::system::error_code error_;
};

} // namespace kubecoro::detail
