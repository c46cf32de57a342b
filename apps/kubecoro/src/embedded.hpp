// The embedded API server as run by `serve` and `demo`: with TLS, an admin token and a kubeconfig.
#pragma once

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/client.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::tool {

struct embedded_options
{
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;
    /// Changes kept for watches; empty = the server's default.
    std::optional<std::size_t> history = {};
    /// An empty one is generated for this server only.
    std::optional<apiserver::tls_authority> authority = {};
    std::string admin_token = {};
    std::string limited_token = {};
    /// See cluster_options::namespace_defaults.
    bool namespace_defaults = false;
    /// See server_options::live_nodes.
    std::optional<std::size_t> live_nodes = {};
    logger log = {};
};

/// A server with its authority and two users. Does not listen before start(); must be stopped before destruction.
class embedded
{
public:
    embedded(boost::asio::any_io_executor executor, embedded_options options);

    /// Errors: misconfigured for an address that cannot be bound.
    [[nodiscard]] boost::asio::awaitable<result<>> listen();
    [[nodiscard]] apiserver::embedded_server& server() noexcept { return *server_; }

    /// Valid after listen().
    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    /// Kubeconfig of a user with all rights.
    [[nodiscard]] std::string admin_kubeconfig() const { return kubeconfig(admin_token_); }
    /// Kubeconfig of a user who may only read config maps.
    [[nodiscard]] std::string limited_kubeconfig() const { return kubeconfig(limited_token_); }

    /// A client over the network, like that of any other program.
    [[nodiscard]] result<client> connect() const;
    /// A client unaffected by network faults, for the part of the cluster played by the demo.
    [[nodiscard]] client direct() const;

private:
    [[nodiscard]] std::string kubeconfig(const std::string& token) const;

    boost::asio::any_io_executor executor_;
    embedded_options options_;
    std::string admin_token_;
    std::string limited_token_;
    std::string ca_;
    std::string url_;
    std::unique_ptr<apiserver::embedded_server> server_;
};

/// Whether the address means all interfaces: 0.0.0.0 or [::].
[[nodiscard]] bool is_every_interface(const std::string& address);

/// HOST:PORT, [HOST]:PORT or :PORT. Errors: invalid, naming the text.
[[nodiscard]] result<embedded_options> parse_listen(const std::string& text);

/** Loads files, and every .yaml, .yml and .json file of directories in the order of their names.

    @return the number of objects. Errors: name the file and, for errors in its content, the position. */
[[nodiscard]] boost::asio::awaitable<result<std::size_t>> load_files(apiserver::embedded_server& server,
                                                                     std::vector<std::string> paths);

} // namespace kubecoro::tool
