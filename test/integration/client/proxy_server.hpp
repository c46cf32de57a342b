#pragma once
// A proxy on its own loopback port: HTTP (also inside TLS) or SOCKS5. It takes every name for this machine.

#include "byte_server.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::test {

struct proxy_behaviour
{
    /// SOCKS5 instead of HTTP.
    bool socks = false;
    /// HTTP inside TLS.
    std::optional<server_tls> tls = {};
    /// The login it asks for, "user:password"; empty = none.
    std::string login = {};
};

/// Runs on its own thread from construction to destruction. Thread safe.
class proxy_server
{
public:
    explicit proxy_server(proxy_behaviour behaviour = {});
    ~proxy_server();

    /// @param login  "user:password", put into the URL.
    [[nodiscard]] std::string url(const std::string& login = {}) const;
    /// The servers that it was asked to connect to, "name:port", and the request lines it was sent itself.
    [[nodiscard]] std::vector<std::string> asked() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::test
