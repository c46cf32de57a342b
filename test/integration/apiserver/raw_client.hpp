// A blocking HTTP client for tests, which can send arbitrary bytes.
#pragma once

#include <kubecoro/apiserver/server.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

struct received_answer
{
    int status = 0;
    /// Lower-case names.
    std::map<std::string, std::string> headers;
    std::string body;
    /// True when the connection ended before the answer was complete.
    bool broken = false;
};

/// Settings of the client, which always verifies a TLS server.
struct raw_tls
{
    std::string ca = {};
    std::string certificate = {};
    std::string key = {};
    /// The host name to verify in the server's certificate.
    std::string host = "127.0.0.1";
    /// The address that it connects from, with TLS or without; empty = any.
    std::string from = {};
};

/// One connection. A read that takes longer than ten seconds is treated as the end of the stream.
class raw_client
{
public:
    /// Throws boost::system::system_error when connecting or the handshake fails.
    explicit raw_client(const embedded_server::endpoint& at, const raw_tls& tls = {});
    ~raw_client();

    /// @return false when the connection is broken.
    bool send(std::string_view bytes);
    /// Receives more bytes; empty at the end of the stream.
    [[nodiscard]] std::string receive();
    /// Reads the next answer with its whole body.
    [[nodiscard]] received_answer answer();
    /// Reads the head of the next answer; body_until() and body_ended() then read the body.
    [[nodiscard]] received_answer head();
    /// Reads the body after head() until it contains `text`, or until the body or the connection ends.
    [[nodiscard]] std::string body_until(std::string_view text);
    /// Reads the rest of the body after head(). @return whether it ended properly.
    [[nodiscard]] bool body_ended();
    /// Discards input until the connection ends. @return whether the server closed it within the time limit.
    [[nodiscard]] bool closed_by_server();

    received_answer get(std::string_view target, std::string_view headers = {});
    received_answer request(std::string_view method, std::string_view target, std::string_view headers,
                            std::string_view body = {});

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::apiserver
