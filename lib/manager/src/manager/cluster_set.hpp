#pragma once

#include "clusters/cluster_member.hpp"
#include "clusters/cluster_meters.hpp"
#include "clusters/cluster_set_core.hpp"
#include "clusters/shared_leadership.hpp"
#include "clusters/summed_metrics.hpp"
#include "manager/managed_part.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/manager/cluster_provider.hpp>
#include <kubecoro/manager/manager.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

class manager_engine;

/** The clusters of a manager. Executes the steps of cluster_set_core; every cluster is a part of the manager, with a manager
    of its own. Thread safe; the manager's engine owns it and outlives everything that runs. */
class cluster_set : public std::enable_shared_from_this<cluster_set>
{
public:
    cluster_set(manager_engine& home, std::shared_ptr<cluster_provider> from, manager_setup setup, clusters_options o);
    cluster_set(const cluster_set&) = delete;
    cluster_set& operator=(const cluster_set&) = delete;

    /// Adds the parts that run the set. @return the one whose removal ends it.
    [[nodiscard]] std::shared_ptr<managed_part> add_parts();
    /// Whether it was removed, and nothing of it runs any more.
    [[nodiscard]] bool over() const { return work_ && work_->gone.settled(); }

    // ---- what the sink calls
    void offer(cluster_offer cluster);
    void withdraw(std::string_view name);

    [[nodiscard]] std::vector<cluster_stats> stats() const;
    /// The managers that work in clusters at present, by name.
    [[nodiscard]] std::vector<std::shared_ptr<manager>> managers() const;
    /// The rights that the set-up needs in each cluster. Fills a manager that never starts. Errors: those of the set-up.
    [[nodiscard]] result<std::vector<access_right>> rights();
    [[nodiscard]] const std::string& name() const noexcept { return options_.name; }

private:
    struct seat
    {
        std::shared_ptr<cluster_member> member;
        /// Runs the work in the cluster.
        std::shared_ptr<managed_part> part;
    };
    static boost::asio::awaitable<result<>> run(cluster_set& self, latch stop);
    static boost::asio::awaitable<result<>> provide(cluster_set& self);
    static boost::asio::awaitable<result<>> drive(cluster_set& self, latch stop);
    [[nodiscard]] cluster_step::any decide();
    void perform(const cluster_step::any& step);
    void join(const std::string& name);
    void leave(const std::string& name);
    void keep_waiting(const cluster_step::keep_waiting& step) const;
    static boost::asio::awaitable<result<>> await_departure(cluster_set& self, seat of);
    void stop();

    // cluster_work.cpp: the work in one cluster
    static boost::asio::awaitable<result<>> work_in(cluster_set& self, std::shared_ptr<cluster_member> member,
                                                    latch stop);
    void has_worked(const std::string& name);
    /// It is ready, or an attempt has ended: another one may start.
    void has_started(const std::string& name);
    [[nodiscard]] result<std::shared_ptr<manager>> make_manager(const std::shared_ptr<cluster_member>& member);
    [[nodiscard]] manager_options member_options(const std::string& name, const logger& log) const;
    [[nodiscard]] result<> fill(manager& m);
    [[nodiscard]] result<client> connect(const std::string& name, const logger& log) const;

    manager_engine& home_;
    /// The sink may outlive the manager.
    const logger log_;
    const std::shared_ptr<cluster_provider> from_;
    const clusters_options options_;
    const std::shared_ptr<shared_leadership> leadership_ = std::make_shared<shared_leadership>();
    std::shared_ptr<managed_part> lead_, work_; // constant after add_parts()

    /// Set-ups of several clusters are not called at once.
    std::mutex filling_;
    const manager_setup setup_; // called under that mutex

    const summed_metrics sums_;
    const std::shared_ptr<cluster_meters> meters_;

    mutable std::mutex mutex_;
    cluster_set_core core_;                                    // under the mutex
    std::map<std::string, cluster_offer, std::less<>> offers_; // under the mutex
    std::map<std::string, seat, std::less<>> members_;         // under the mutex
    result<> provided_;                                        // under the mutex

    wake_signal news_;
    kept_executor executor_;
    task_group providing_;
    task_group departing_;
};

} // namespace kubecoro::detail
