// Sends requests directly to the embedded server, unaffected by the faults of the demo.
#pragma once

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/transport.hpp>

namespace kubecoro::tool {

/** Performs requests with embedded_server::execute: cut or refused connections do not affect them. A PATCH is always
    a merge patch; watches are not supported. The server must outlive it. */
class direct_transport final : public transport
{
public:
    explicit direct_transport(apiserver::embedded_server& server) : server_(server) {}

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override;

private:
    apiserver::embedded_server& server_;
};

} // namespace kubecoro::tool
