#pragma once
// A server that sends exactly the bytes given by a test, over TCP or TLS on its own loopback port.

#include "certificates.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::test {

/// One accepted connection. Used by its script only; an error of the peer ends the script.
class peer
{
public:
    virtual ~peer() = default;
    /// Reads head and body of the next request, by Content-Length.
    [[nodiscard]] virtual boost::asio::awaitable<std::string> request() = 0;
    [[nodiscard]] virtual boost::asio::awaitable<void> send(std::string bytes) = 0;
    /// Ends TLS, if used, and closes.
    [[nodiscard]] virtual boost::asio::awaitable<void> finish() = 0;
    /// Closes the socket without ending TLS.
    virtual void close() = 0;
    /// Closes with a reset.
    virtual void reset() = 0;
    /// Stops receiving: later packets are neither read nor acknowledged.
    virtual void go_deaf() = 0;
    /// Completes when the client has closed its side.
    [[nodiscard]] virtual boost::asio::awaitable<void> until_gone() = 0;
};

using peer_script = std::function<boost::asio::awaitable<void>(peer&)>;

struct server_tls
{
    identity self;
    /// PEM of the authority of client certificates; empty = none requested.
    std::string client_authority = {};
    /// Such as TLS1_2_VERSION; 0 = the newest.
    int version = 0;
    /// False: forgets every session.
    bool keeps_sessions = true;
};

/// Runs on its own thread from construction to destruction. Thread safe.
class byte_server
{
public:
    /// @param handshake  False: the connection is accepted and TLS never begins.
    explicit byte_server(std::optional<server_tls> tls = {}, bool handshake = true);
    ~byte_server();

    /// Sets the script of the next connection. Connections without one answer every request with `default_answer`.
    void next(peer_script script);
    [[nodiscard]] std::string url() const;
    [[nodiscard]] unsigned short port() const;
    /// Uses another certificate, and another authority of clients, for connections from now on.
    void use(const server_tls& tls);
    /// Called once, on the server's thread, for the next connection before TLS begins.
    void before_handshake(std::function<void()> call);
    /// The common names of the client certificates, one a handshake; empty = none was sent.
    [[nodiscard]] std::vector<std::string> clients() const;
    /// Connections accepted so far.
    [[nodiscard]] int accepted() const;
    /// Connections whose TLS began with the keys of an earlier one.
    [[nodiscard]] int resumed() const;
    /// Waits until this many scripts have ended: for events that the client does not report.
    void wait_for_ended(int scripts) const;
    /// Requests read so far, with heads and bodies.
    [[nodiscard]] std::vector<std::string> requests() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// A complete response with Content-Length.
[[nodiscard]] std::string answer_text(int status, const std::string& body, const std::string& headers = {});
/// The JSON of a pod with that name.
[[nodiscard]] std::string pod_text(const std::string& name);

} // namespace kubecoro::test
