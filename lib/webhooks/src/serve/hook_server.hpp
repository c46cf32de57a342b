// Serves webhooks over HTTPS, with a certificate that may change.
#pragma once

#include "table/hook_table.hpp"

#include <kubecoro/client/detail/server_stream.hpp>
#include <kubecoro/http/detail/http_server.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace kubecoro::detail {

/// A server of one table. Its functions are called on one strand.
class hook_server
{
public:
    struct settings
    {
        std::string address;
        /// The TLS settings of a connection that arrives now; not null.
        std::function<std::shared_ptr<server_tls>()> tls;
        kept_executor strand;
        std::shared_ptr<time_source> time;
        logger log;
    };
    /// @param table  Must outlive it.
    hook_server(settings with, hook_table& table);

    /// Errors: misconfigured, with the address.
    [[nodiscard]] result<bound_address> start();
    /// Lets reviews in progress finish within two seconds. Completes when nothing runs any more.
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

private:
    class service;

    const settings with_;
    std::shared_ptr<connection_table> connections_;
    http_server server_;
};

} // namespace kubecoro::detail
