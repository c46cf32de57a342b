// Requests straight into the embedded server, past every fault that the demo causes.
#pragma once

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/transport.hpp>

namespace kubecoro::tool {

/** Performs requests by embedded_server::execute: neither cut nor refused connections reach them. A PATCH is a merge
    patch; watches are not possible. The server must outlive it. */
class direct_transport final : public transport
{
public:
    explicit direct_transport(apiserver::embedded_server& server) : server_(server) {}

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override;

private:
    apiserver::embedded_server& server_;
};

} // namespace kubecoro::tool
