#pragma once
// A server that sends exactly the bytes a test tells it to, over TCP or TLS on a loopback port of its own.

#include "certificates.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::test {

/// One accepted connection. Used by its script only; errors of the peer end the script.
class peer
{
public:
    virtual ~peer() = default;
    /// Head and body of the next request, by Content-Length.
    [[nodiscard]] virtual boost::asio::awaitable<std::string> request() = 0;
    [[nodiscard]] virtual boost::asio::awaitable<void> send(std::string bytes) = 0;
    /// Ends TLS, if there is any, and closes.
    [[nodiscard]] virtual boost::asio::awaitable<void> finish() = 0;
    /// Closes the socket in the middle of TLS.
    virtual void close() = 0;
    /// Closes with a reset.
    virtual void reset() = 0;
    /// Nothing that arrives from now on is seen or acknowledged.
    virtual void go_deaf() = 0;
    /// Returns when the client has closed its side.
    [[nodiscard]] virtual boost::asio::awaitable<void> until_gone() = 0;
};

using peer_script = std::function<boost::asio::awaitable<void>(peer&)>;

struct server_tls
{
    identity self;
    /// PEM of the authority of client certificates; empty = none asked for.
    std::string client_authority = {};
};

/// Runs on a thread of its own from construction to destruction. Thread safe.
class byte_server
{
public:
    /// @param handshake  Without it the connection is accepted and TLS never begins.
    explicit byte_server(std::optional<server_tls> tls = {}, bool handshake = true);
    ~byte_server();

    /// The script of the next connection. Without one, every request is answered by `default_answer`.
    void next(peer_script script);
    [[nodiscard]] std::string url() const;
    [[nodiscard]] unsigned short port() const;
    /// Connections accepted so far.
    [[nodiscard]] int accepted() const;
    /// Waits until this many scripts have ended: for what happens behind the client's back.
    void wait_for_ended(int scripts) const;
    /// Requests read so far, heads and bodies.
    [[nodiscard]] std::vector<std::string> requests() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// A whole answer with Content-Length.
[[nodiscard]] std::string answer_text(int status, const std::string& body, const std::string& headers = {});
/// A pod of that name.
[[nodiscard]] std::string pod_text(const std::string& name);

} // namespace kubecoro::test
