// The webhooks of one manager, which keeps them, and the parts of the manager that serve them.
#pragma once

#include "certificates/rotation_core.hpp"
#include "manifests/manifests_core.hpp"
#include "table/hook_table.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/detail/server_stream.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kubecoro::detail {

struct webhooks_state
{
    webhooks_state(manager& m, webhooks_options o, hook_place at);

    /// The program makes its certificates.
    [[nodiscard]] bool own_certificates() const noexcept { return options.certificate_file.empty(); }
    void declare_rights();
    void declare_rights_to(const resource_type& type, const std::string& name, bool create);
    /// See webhooks::manifests().
    [[nodiscard]] std::vector<boost::json::object> manifests() const;

    /// Parts of the manager. They end by the latch, or by cancellation.
    static boost::asio::awaitable<result<>> serve(std::shared_ptr<webhooks_state> self, latch stop);
    static boost::asio::awaitable<result<>> keep_certificates(std::shared_ptr<webhooks_state> self);
    /// Shows this certificate from the next connection on.
    void show(const rotation_core::identity& identity);

    manager& home;
    const webhooks_options options;
    const hook_place place;
    const client cluster;
    const kept_executor executor;
    hook_table table;

    std::mutex mutex;
    std::shared_ptr<server_tls> tls; // under the mutex
    std::string url;                 // under the mutex
    wake_signal has_tls;
};

} // namespace kubecoro::detail
