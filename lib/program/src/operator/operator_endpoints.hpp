#pragma once
// The servers of an operator about itself.

#include <kubecoro/base/result.hpp>
#include <kubecoro/endpoints/endpoint_server.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/program/operator_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The metrics that are served: those of the connection, or new ones, which become those of the connection. Null when no
/// address serves them. Errors: misconfigured, when the connection's cannot be served.
[[nodiscard]] result<std::shared_ptr<prometheus_metrics>> operator_metrics(operator_options& o);

/// The program's own checks, and those that the options add. Refers to the manager. Throws what the options' function throws.
[[nodiscard]] health_checks checks_of(const operator_options& o, manager& m,
                                      const std::shared_ptr<prometheus_metrics>& numbers);

/// For the verbose answer of /readyz, which anyone may read: how many clusters are ready, and how many are not for each class of
/// reasons. Without their names, and empty without clusters.
[[nodiscard]] std::string clusters_in_short(const std::vector<cluster_stats>& all);

/// Whether only programs on this machine reach the address.
[[nodiscard]] bool is_loopback(std::string_view address);

/** The servers of health, metrics and debug pages: one if they have the same address. Refers to the manager. Has one
    owner, which awaits stop(). */
class operator_endpoints
{
public:
    operator_endpoints(const boost::asio::any_io_executor& executor, const operator_options& o,
                       std::shared_ptr<prometheus_metrics> numbers, manager& m);

    /// Begins to serve. Await stop() also after a failure.
    [[nodiscard]] result<> start();
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

private:
    std::vector<std::unique_ptr<endpoint_server>> servers_;
};

} // namespace kubecoro::detail
