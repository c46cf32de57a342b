#pragma once

#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/client/transport.hpp>

#include <cstddef>
#include <memory>

namespace kubecoro::apiserver {

class embedded_server;
class server_engine;

/// Options of an in_process_transport.
struct in_process_options
{
    /// The user of requests without an Authorization header.
    user_info user{"system:admin", {"system:masters"}};
    /// Maximum size of the pieces in which bodies arrive, so that tests can cover every split; 0: no limit.
    std::size_t piece = 0;
};

/** A client transport that calls an embedded server directly, without sockets, TLS or threads.

    Runs are deterministic on an executor with one thread. The server's cut_connections() breaks open answers off;
    destroying the answer to a watch ends the watch. Thread safe. May outlive the embedded_server, and fails with
    cond::unreachable once that has stopped. */
class in_process_transport final : public transport
{
public:
    /// Shares ownership of the state of `server`, which may be destroyed first.
    explicit in_process_transport(embedded_server& server, in_process_options options = {});
    ~in_process_transport() override;

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<kubecoro::answer>>> send(request r) override;

private:
    std::shared_ptr<server_engine> engine_;
    in_process_options options_;
};

} // namespace kubecoro::apiserver
