// The embedded API server as `serve` and `demo` run it: TLS, an admin's token, a kubeconfig.
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
    /// Each empty one is made for this server alone.
    std::optional<apiserver::tls_authority> authority = {};
    std::string admin_token = {};
    std::string limited_token = {};
    logger log = {};
};

/// A server with its authority and two users. Not listening before start(); to be stopped before it is destroyed.
class embedded
{
public:
    embedded(boost::asio::any_io_executor executor, embedded_options options);

    /// Errors: misconfigured for an address that cannot be listened on.
    [[nodiscard]] boost::asio::awaitable<result<>> listen();
    [[nodiscard]] apiserver::embedded_server& server() noexcept { return *server_; }

    /// Valid after listen().
    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    /// Of a user who may do everything.
    [[nodiscard]] std::string admin_kubeconfig() const { return kubeconfig(admin_token_); }
    /// Of a user who may read config maps and nothing else.
    [[nodiscard]] std::string limited_kubeconfig() const { return kubeconfig(limited_token_); }

    /// A client over the network, as any other program would be one.
    [[nodiscard]] result<client> connect() const;
    /// A client that no network fault reaches, for whoever plays the rest of the cluster.
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

/// The address is every interface of the machine: 0.0.0.0 or [::].
[[nodiscard]] bool is_every_interface(const std::string& address);

/// HOST:PORT, [HOST]:PORT or :PORT. Errors: invalid, naming the text.
[[nodiscard]] result<embedded_options> parse_listen(const std::string& text);

/** Loads files, and of directories every .yaml, .yml and .json file in the order of their names.

    @return how many objects. Errors: naming the file and, for what is inside it, the place. */
[[nodiscard]] boost::asio::awaitable<result<std::size_t>> load_files(apiserver::embedded_server& server,
                                                                     std::vector<std::string> paths);

} // namespace kubecoro::tool
