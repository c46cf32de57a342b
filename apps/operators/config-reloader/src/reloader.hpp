// The operator: three controllers over shared informers.
#pragma once

#include "workload_reconciler.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>

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
    /// Workloads looked at at once, of each kind.
    std::size_t workers = 4;
    /// One look at one workload.
    duration deadline = std::chrono::minutes{2};
    /// Its clock, log and metrics are the controllers' as well.
    factory_options informers = {};
};

/** Rolls Deployments, StatefulSets and DaemonSets that ask for it when what they read when they start has changed.

    All its memory of that is in the workloads' annotations: it may be stopped, restarted and run twice at any time.
    Everything runs on `executor`, which must run one handler at a time. One owner, which awaits stop() before destroying it. */
class reloader
{
public:
    reloader(boost::asio::any_io_executor executor, client cluster, reloader_options options = {});
    ~reloader();
    reloader(const reloader&) = delete;
    reloader& operator=(const reloader&) = delete;

    /// Begins. Once only.
    void start();
    /// As controller::ready(), for all three.
    [[nodiscard]] boost::asio::awaitable<result<>> ready() const;
    /// Ends the controllers in order, then the informers. Idempotent.
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /// What all three have done.
    [[nodiscard]] const reload_counts& counts() const noexcept { return *counts_; }
    [[nodiscard]] std::vector<shared_informer> informers() const { return informers_.informers(); }
    /// Lines for people.
    [[nodiscard]] std::string describe() const;

private:
    void control(const resource_type& kind, const client& cluster, const reloader_options& options);

    boost::asio::any_io_executor executor_;
    std::shared_ptr<reload_counts> counts_ = std::make_shared<reload_counts>();
    informer_factory informers_;
    shared_informer config_maps_;
    shared_informer secrets_;
    std::vector<std::unique_ptr<controller>> controllers_;
};

} // namespace kubecoro::config_reloader
