// Blocking connections, plain or under TLS, optimised for writing.
#pragma once

#include <kubecoro/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kubecoro::bench {

/** One accepted connection. A write that makes no progress for a minute fails.

    One thread reads; writers take turns. shut_down() may be called from any thread. */
class channel
{
public:
    explicit channel(int descriptor);
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    virtual ~channel();

    /// Reads bytes into `to`; 0 at the end, for any reason.
    [[nodiscard]] virtual std::size_t read_some(std::span<char> to);
    /// Writes all parts, in as few system calls as possible. false = the peer is gone.
    [[nodiscard]] virtual bool write(std::span<const std::string_view> parts);
    [[nodiscard]] bool write(std::string_view text) { return write(std::span(&text, 1)); }
    /// Waits until the peer has sent something or is gone; false when `limit` has passed before.
    [[nodiscard]] virtual bool wait_readable(std::chrono::milliseconds limit);
    /// Wakes blocked readers and writers; all later calls fail.
    void shut_down();

protected:
    int descriptor_;
};

/// A server certificate for channels; may be shared by any number of them.
class tls_settings
{
public:
    /** Loads `server.crt` and `server.key` (PEM) from that directory; its `ca.crt` is for the clients. The process
        ignores SIGPIPE from then on.

        Errors: cond::misconfigured. */
    [[nodiscard]] static result<std::shared_ptr<tls_settings>> load(const std::string& directory);
    ~tls_settings();

    /// Takes over the descriptor. Null when the handshake fails.
    [[nodiscard]] std::unique_ptr<channel> handshake(int descriptor) const;

private:
    tls_settings() = default;

    void* context_ = nullptr;
};

/// Accepts TCP connections.
class acceptor
{
public:
    /// Port 0: a free one. Errors: cond::misconfigured.
    [[nodiscard]] static result<std::unique_ptr<acceptor>> listen(const std::string& address, std::uint16_t port);
    acceptor(const acceptor&) = delete;
    acceptor& operator=(const acceptor&) = delete;
    ~acceptor();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// The next connection's descriptor, or -1 once closed.
    [[nodiscard]] int accept();
    /// Ends accept(). Any thread.
    void close();

private:
    acceptor() = default;

    int descriptor_ = -1;
    std::uint16_t port_ = 0;
};

} // namespace kubecoro::bench
