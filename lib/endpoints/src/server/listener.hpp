// Accepts the connections of one socket, whose address is text in the options.
#pragma once

#include "server/server_engine.hpp"

#include <kubecoro/base/result.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/client/detail/server_stream.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The address that a server listens on.
struct listen_address
{
    /// Nothing is served.
    bool off = false;
    /// Every interface, of both protocols where there are both.
    bool everywhere = false;
    boost::asio::ip::address address = {};
    std::uint16_t port = 0;
};

/// Parses what endpoint_options::address describes. Errors: misconfigured.
[[nodiscard]] result<listen_address> parse_listen_address(std::string_view text);

/// "http://127.0.0.1:8080".
[[nodiscard]] std::string url_of(const boost::asio::ip::address& address, std::uint16_t port, bool tls);

/// Strand-confined after open(). Destroyed with its execution context at the latest.
class listener : public std::enable_shared_from_this<listener>
{
public:
    /// Binds the address. Errors: misconfigured.
    [[nodiscard]] static result<std::shared_ptr<listener>>
    open(const boost::asio::any_io_executor& strand, endpoint_options options, std::shared_ptr<endpoint_meters> meters);

    [[nodiscard]] std::uint16_t port() const noexcept { return bound_.port(); }
    [[nodiscard]] std::string url() const { return url_of(bound_.address(), bound_.port(), bool(certificate_)); }

    /// @param loops  Runs those of the listener. @param connections  Those of clients. Both outlive the coroutines.
    bool start(task_group& loops, task_group& connections);
    /// Stops accepting, and winds the connections up.
    void stop();

private:
    listener(const boost::asio::any_io_executor& strand, std::shared_ptr<server_engine> engine);
    result<> bind(const listen_address& to);
    static boost::asio::awaitable<result<>> accept(std::shared_ptr<listener> self, task_group& connections);
    static boost::asio::awaitable<result<>> enforce(std::shared_ptr<listener> self, task_group& connections);
    /// Accepts those that wait, some at a time. @return why none can be accepted.
    boost::system::error_code accept_some(task_group& tasks);
    void take(boost::asio::ip::tcp::socket socket, task_group& tasks);

    boost::asio::any_io_executor strand_;
    std::shared_ptr<server_engine> engine_;
    /// Null without TLS.
    std::shared_ptr<server_certificate> certificate_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::ip::tcp::endpoint bound_;
};

} // namespace kubecoro::detail
