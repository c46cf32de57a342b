// The operator: three controllers over shared informers.
#pragma once

#include "workload_reconciler.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/secret.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::config_reloader {

struct reloader_options
{
    /// Empty = all.
    std::vector<std::string> namespaces = {};
    adoption first_sight = adoption::roll;
    /// Workloads of each kind processed concurrently.
    std::size_t workers = 4;
    /// Time limit for one run on one workload.
    duration deadline = std::chrono::minutes{2};
    /// Its clock, log and metrics are also used by the controllers.
    factory_options informers = {};
};

/** Rolls Deployments, StatefulSets and DaemonSets that opt in when the contents that their pods read at the start
    have changed.

    All its state is in the workloads' annotations: it may be stopped, restarted and run twice at any time.
    Everything runs on `executor`, which must run one handler at a time. Has one owner, which awaits stop() before
    destroying it. */
class reloader
{
public:
    reloader(boost::asio::any_io_executor executor, client cluster, reloader_options options = {});
    ~reloader();
    reloader(const reloader&) = delete;
    reloader& operator=(const reloader&) = delete;

    /// Starts the operator. Call it once only.
    void start();
    /// As controller::ready(), for all three controllers.
    [[nodiscard]] boost::asio::awaitable<result<>> ready() const;
    /// Stops the controllers in order, then the informers. Idempotent.
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /// Totals over all three controllers.
    [[nodiscard]] const reload_counts& counts() const noexcept { return *counts_; }
    [[nodiscard]] std::vector<shared_informer<object>> informers() const { return informers_.informers(); }
    /// A human-readable description.
    [[nodiscard]] std::string describe() const;

private:
    /// Adds the controller of one kind of workload.
    template<class Workload>
    void control(const client& cluster, const reloader_options& options);

    boost::asio::any_io_executor executor_;
    std::shared_ptr<reload_counts> counts_ = std::make_shared<reload_counts>();
    informer_factory informers_;
    shared_informer<core_v1::config_map> config_maps_;
    shared_informer<core_v1::secret> secrets_;
    /// By key, as a run forgets a workload that is gone.
    std::vector<std::unique_ptr<controller<object>>> controllers_;
};

} // namespace kubecoro::config_reloader
