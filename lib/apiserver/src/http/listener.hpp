// Accepts connections on one socket and enforces their deadlines.
#pragma once

#include "http/connection_table.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace kubecoro::apiserver {

/// Thread safe. Its coroutines run in the task group passed to start().
class listener : public std::enable_shared_from_this<listener>
{
public:
    [[nodiscard]] static result<std::shared_ptr<listener>> open(const endpoint_options& options,
                                                                std::shared_ptr<server_engine> engine,
                                                                std::shared_ptr<connection_table> table);
    [[nodiscard]] const bound_endpoint& bound() const noexcept { return bound_; }

    bool start(task_group& tasks);
    /// Stops accepting and winds up the open connections. Those left after the grace period are closed.
    void stop();

private:
    listener(std::shared_ptr<server_engine> engine, std::shared_ptr<connection_table> table,
             const endpoint_options& options);
    static boost::asio::awaitable<result<>> accept(std::shared_ptr<listener> self, task_group& tasks);
    static boost::asio::awaitable<result<>> sweep(std::shared_ptr<listener> self);
    bool take(boost::asio::ip::tcp::socket socket, boost::asio::any_io_executor strand, task_group& tasks);
    [[nodiscard]] duration interval() const;

    std::shared_ptr<server_engine> engine_;
    boost::asio::any_io_executor strand_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::shared_ptr<detail::server_tls> tls_;
    connection_limits limits_;
    std::shared_ptr<connection_table> table_;
    bound_endpoint bound_;
    std::unique_ptr<timer> sweep_timer_;
};

} // namespace kubecoro::apiserver
