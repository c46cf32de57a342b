// Accepts connections on sockets, enforces their deadlines, bounds their number, and selects the one to close for a new one.
#pragma once

#include "http/connection.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <list>
#include <mutex>

namespace kubecoro::apiserver {

/// The connections of all listeners. Thread safe. Holds weak references to them.
class connection_table
{
public:
    explicit connection_table(std::size_t limit) : limit_(limit) {}

    /// @return false when the table is full and no connection waits for its client, or when it is closed.
    [[nodiscard]] bool admit(const std::shared_ptr<connection>& made);
    /// Closes the connection that has waited longest for its client. @return false when none waits.
    bool make_room();

    /// Admits no further connections.
    void close();
    [[nodiscard]] bool closed() const;

    /// Returns the open connections.
    [[nodiscard]] std::vector<std::shared_ptr<connection>> living();
    void count(server_counters& into) const;

private:
    void forget_ended();
    bool close_longest_waiting();

    const std::size_t limit_;
    mutable std::mutex mutex_;
    std::list<std::weak_ptr<connection>> connections_;
    std::uint64_t admitted_ = 0;
    bool closed_ = false;
};

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
