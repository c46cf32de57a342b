#pragma once

#include <kubecoro/apiserver/http_types.hpp>
#include <kubecoro/client/transport.hpp>

#include <cstddef>
#include <memory>

namespace kubecoro::apiserver {

class embedded_server;
class server_engine;

/// Options of an in_process_transport.
struct in_process_options
{
    /// Who asks when a request has no Authorization header.
    user_info user{"system:admin", {"system:masters"}};
    /// Bodies arrive in pieces of at most this size, so that tests see every split; 0 = as large as they are.
    std::size_t piece = 0;
};

/** A client's transport straight into an embedded server: no sockets, no TLS, no threads, no waiting.

    On an executor with one thread runs repeat exactly. A cut_connections() of the server breaks answers off, and so
    does destroying an answer for the server. Thread safe; keeps what it needs of the server alive, and fails with
    unreachable once that has stopped. */
class in_process_transport final : public transport
{
public:
    explicit in_process_transport(embedded_server& server, in_process_options options = {});
    ~in_process_transport() override;

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<kubecoro::answer>>> send(request r) override;

private:
    std::shared_ptr<server_engine> engine_;
    in_process_options options_;
};

} // namespace kubecoro::apiserver
