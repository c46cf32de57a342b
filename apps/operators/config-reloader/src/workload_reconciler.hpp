// Reconciles one workload.
#pragma once

#include "adoption_pace.hpp"
#include "references.hpp"
#include "reload_counts.hpp"

#include <kubecoro/apps_v1/daemon_set.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/apps_v1/stateful_set.hpp>
#include <kubecoro/cache/lister.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kubecoro::config_reloader {

/// Handling of a workload that opts in without a mark: it is unknown which contents its pods have read.
enum class adoption
{
    /// Roll it once; from then on the checksum records what the pods have read.
    roll,
    /// Assume that the pods have read the contents present when the operator first sees the workload.
    record
};

/** Compares the contents for which the workload was last rolled with those it refers to now, and rolls it when they
    differ.

    The contents are read from the server after the workload, and the patch is valid for that version of the workload
    only: so no workload is ever rolled for contents older than before, whatever other clients write, and however old
    the informer's copy is.

    @tparam Workload  apps_v1::deployment, stateful_set or daemon_set: all have a template of pods. */
template<class Workload>
class workload_reconciler
{
public:
    workload_reconciler(client cluster, lister<Workload> workloads, adoption first_sight,
                        std::shared_ptr<reload_counts> counts);

    boost::asio::awaitable<result<action>> operator()(object_key key, reconcile_context& context) const;

private:
    struct content
    {
        std::string sum = {};
        /// Missing although required: the pods cannot start, and a roll would be pointless.
        const reference* missing = nullptr;
    };

    [[nodiscard]] boost::asio::awaitable<result<content>> read(const std::string& ns,
                                                               const std::vector<reference>& references) const;
    [[nodiscard]] boost::asio::awaitable<result<action>> compare(typed_object<Workload> workload,
                                                                 reconcile_context& context) const;
    [[nodiscard]] boost::asio::awaitable<result<action>> adopt(typed_object<Workload> workload, std::string sum,
                                                               reconcile_context& context) const;
    [[nodiscard]] boost::asio::awaitable<result<bool>> write(typed_object<Workload> workload, std::string patch,
                                                             reconcile_context& context) const;

    client cluster_;
    lister<Workload> workloads_;
    adoption first_sight_;
    std::shared_ptr<reload_counts> counts_;
    std::shared_ptr<adoption_pace> pace_ = std::make_shared<adoption_pace>();
};

extern template class workload_reconciler<apps_v1::deployment>;
extern template class workload_reconciler<apps_v1::stateful_set>;
extern template class workload_reconciler<apps_v1::daemon_set>;

} // namespace kubecoro::config_reloader
