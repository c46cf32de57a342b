// Accepts connections on one socket and sees to their deadlines.
#pragma once

#include "connection.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <list>
#include <mutex>

namespace kubecoro::apiserver {

/// Thread safe. Its coroutines run in the task group it is given.
class listener : public std::enable_shared_from_this<listener>
{
public:
    [[nodiscard]] static result<std::shared_ptr<listener>> open(const endpoint_options& options,
                                                                std::shared_ptr<server_engine> engine);
    [[nodiscard]] const bound_endpoint& bound() const noexcept { return bound_; }

    bool start(task_group& tasks);
    /// No further connections; those there are wind up. What is left at the end of the grace period is cut.
    void stop();
    void cut_connections();
    void count(server_counters& into) const;

private:
    listener(std::shared_ptr<server_engine> engine, const endpoint_options& options);
    static boost::asio::awaitable<result<>> accept(std::shared_ptr<listener> self, task_group& tasks);
    static boost::asio::awaitable<result<>> sweep(std::shared_ptr<listener> self);
    bool take(boost::asio::ip::tcp::socket socket, boost::asio::any_io_executor strand, task_group& tasks);
    [[nodiscard]] duration interval() const;
    /// The connections that are alive, each held.
    std::vector<std::shared_ptr<connection>> living();

    std::shared_ptr<server_engine> engine_;
    boost::asio::any_io_executor strand_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::shared_ptr<tls_context> tls_;
    connection_limits limits_;
    std::size_t max_connections_;
    bound_endpoint bound_;
    std::unique_ptr<timer> sweep_timer_;

    mutable std::mutex mutex_;
    std::list<std::weak_ptr<connection>> connections_;
    std::uint64_t accepted_ = 0;
    bool stopping_ = false;
};

} // namespace kubecoro::apiserver
