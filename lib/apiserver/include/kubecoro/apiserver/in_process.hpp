#pragma once

#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/client/transport.hpp>

#include <memory>

namespace kubecoro::apiserver {

class embedded_server;
class server_engine;

/** A client transport that calls an embedded server directly, without sockets, TLS or threads.

    Runs are deterministic on an executor with one thread. The server's cut_connections() breaks open answers off;
    destroying the answer to a watch ends the watch. Thread safe. May outlive the embedded_server, and fails with
    cond::unreachable once that has stopped. */
class in_process_transport final : public transport
{
public:
    /// Shares ownership of the state of `server`, which may be destroyed first.
    /// @param user  The user of requests without an Authorization header.
    explicit in_process_transport(embedded_server& server, user_info user = {"system:admin", {"system:masters"}});
    ~in_process_transport() override;

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<kubecoro::answer>>> send(request r) override;

private:
    std::shared_ptr<server_engine> engine_;
    user_info user_;
};

} // namespace kubecoro::apiserver
