// A blocking HTTP client that can misbehave: what the server must cope with is written out byte by byte.
#pragma once

#include <kubecoro/apiserver/server.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

struct raw_answer
{
    int status = 0;
    /// Lower-case names.
    std::map<std::string, std::string> headers;
    std::string body;
    /// The connection ended before the answer did.
    bool broken = false;
};

/// What this client has of the TLS identity: it always verifies the server.
struct raw_tls
{
    std::string ca = {};
    std::string certificate = {};
    std::string key = {};
    /// Verified against the certificate.
    std::string host = "127.0.0.1";
};

/** One connection. Nothing waits longer than ten seconds: a read that takes longer counts as the end. */
class raw_client
{
public:
    /// Throws boost::system::system_error when connecting or the handshake fails.
    explicit raw_client(const bound_endpoint& at, const raw_tls& tls = {});
    ~raw_client();

    /// @return false when the server no longer takes it.
    bool send(std::string_view bytes);
    /// More bytes; empty at the end of the stream.
    [[nodiscard]] std::string receive();
    /// The next answer with its whole body.
    [[nodiscard]] raw_answer answer();
    /// The head of the next answer; the body is then read by body().
    [[nodiscard]] raw_answer head();
    /// Bytes of the body begun by head() until they contain `text`, or the body or connection ended.
    [[nodiscard]] std::string body_until(std::string_view text);
    /// Whether the body begun by head() came to its proper end.
    [[nodiscard]] bool body_ended();
    /// True when the server closes within the time limit; reads away what it sends.
    [[nodiscard]] bool closed_by_server();

    raw_answer get(std::string_view target, std::string_view headers = {});
    raw_answer request(std::string_view method, std::string_view target, std::string_view headers,
                       std::string_view body = {});

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::apiserver
