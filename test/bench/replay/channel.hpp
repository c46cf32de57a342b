// Blocking connections, plain or under TLS, made for writing much.
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

/** One accepted connection. A write that makes no progress for a minute counts as a failure.

    One thread reads; writers take turns among themselves. shut_down() may come from anywhere. */
class channel
{
public:
    explicit channel(int descriptor);
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    virtual ~channel();

    /// Bytes read into `to`; 0 at the end, whatever its reason.
    [[nodiscard]] virtual std::size_t read_some(std::span<char> to);
    /// Writes all parts, in as few system calls as possible. False when the peer is gone.
    [[nodiscard]] virtual bool write(std::span<const std::string_view> parts);
    [[nodiscard]] bool write(std::string_view text) { return write(std::span(&text, 1)); }
    /// Waits until the peer sent something or went away; false when `limit` has passed before.
    [[nodiscard]] virtual bool wait_readable(std::chrono::milliseconds limit);
    /// Wakes whoever reads or writes; nothing works any more.
    void shut_down();

protected:
    int descriptor_;
};

/// A server certificate for channels; may be shared by any number of them.
class tls_settings
{
public:
    /** From `server.crt` and `server.key` (PEM) in that directory; a file `ca.crt` is for the clients. The process ignores
        SIGPIPE from then on.

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
    /// Port 0: one that is free. Errors: cond::misconfigured.
    [[nodiscard]] static result<std::unique_ptr<acceptor>> listen(const std::string& address, std::uint16_t port);
    acceptor(const acceptor&) = delete;
    acceptor& operator=(const acceptor&) = delete;
    ~acceptor();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// The next connection's descriptor, or -1 once closed.
    [[nodiscard]] int accept();
    /// Ends accept(), from any thread.
    void close();

private:
    acceptor() = default;

    int descriptor_ = -1;
    std::uint16_t port_ = 0;
};

} // namespace kubecoro::bench
