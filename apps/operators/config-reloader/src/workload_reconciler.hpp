// Reconciles one workload.
#pragma once

#include "adoption_pace.hpp"
#include "known_contents.hpp"
#include "references.hpp"
#include "reload_counts.hpp"
#include "settling.hpp"

#include <kubecoro/apps_v1/daemon_set.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/apps_v1/stateful_set.hpp>
#include <kubecoro/cache/lister.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/reconciler.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/secret.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
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

/// The informers' copies of the referenced kinds: names and versions without contents.
struct content_listers
{
    lister<core_v1::config_map> config_maps;
    lister<core_v1::secret> secrets;

    /// The version of an object, empty when it does not exist.
    [[nodiscard]] std::string version_of(std::string_view ns, const reference& of) const;
};

/** Compares the contents for which the workload was last rolled with those it refers to now, and rolls it when they
    differ.

    Contents are read from the server after the workload, and the patch is valid for that version of the workload only: so
    no workload is ever rolled for contents older than before, whatever other clients write, and however old the
    informers' copies are. Objects whose versions are those of the last check are not read again, as long as the workload
    still has the checksum of that check.

    @tparam Workload  apps_v1::deployment, stateful_set or daemon_set: all have a template of pods. */
template<class Workload>
class workload_reconciler
{
public:
    /// @param settle  Time without a change of contents before a known workload is compared.
    workload_reconciler(client cluster, lister<Workload> workloads, content_listers contents, adoption first_sight,
                        duration settle, std::shared_ptr<reload_counts> counts);

    boost::asio::awaitable<result<action>> operator()(object_key key, reconcile_context& context) const;

private:
    struct content
    {
        std::string sum = {};
        known_content_list parts = {};
        /// Missing although required: the pods cannot start, and a roll would be pointless.
        const reference* missing = nullptr;
    };

    /// @param known  Contents that need not be read again while their versions are the same; may be null.
    [[nodiscard]] boost::asio::awaitable<result<content>>
    read(const std::string& ns, const std::vector<reference>& references, const known_content_list* known) const;
    [[nodiscard]] boost::asio::awaitable<result<known_content>> request(const std::string& ns,
                                                                        const reference& of) const;
    [[nodiscard]] boost::asio::awaitable<result<action>> compare(typed_object<Workload> workload,
                                                                 reconcile_context& context) const;
    [[nodiscard]] duration settling_wait(const typed_object<Workload>& workload,
                                         const std::vector<reference>& references, const known_content_list& known,
                                         reconcile_context& context) const;
    [[nodiscard]] duration adoption_wait(const typed_object<Workload>& workload, reconcile_context& context) const;
    [[nodiscard]] boost::asio::awaitable<result<action>> adopt(typed_object<Workload> workload, content now,
                                                               reconcile_context& context) const;
    [[nodiscard]] boost::asio::awaitable<result<bool>> write(typed_object<Workload> workload, std::string patch,
                                                             reconcile_context& context) const;

    client cluster_;
    lister<Workload> workloads_;
    content_listers contents_;
    adoption first_sight_;
    std::shared_ptr<reload_counts> counts_;
    std::shared_ptr<adoption_pace> pace_ = std::make_shared<adoption_pace>();
    std::shared_ptr<settling> settling_;
    std::shared_ptr<known_contents> known_ = std::make_shared<known_contents>();
};

extern template class workload_reconciler<apps_v1::deployment>;
extern template class workload_reconciler<apps_v1::stateful_set>;
extern template class workload_reconciler<apps_v1::daemon_set>;

} // namespace kubecoro::config_reloader
