// One look at one workload.
#pragma once

#include "adoption_pace.hpp"
#include "references.hpp"

#include <kubecoro/cache/lister.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::config_reloader {

/// What becomes of a workload that asks for the service and has no mark: nobody knows what its pods have read.
enum class adoption
{
    /// It is rolled once; from then on the checksum says what they have read.
    roll,
    /// They are taken to have read what is there when the operator first sees the workload.
    record
};

/// Shared by the reconcilers of one operator, whose executor runs one handler at a time.
struct reload_counts
{
    /// Template patches for a change, and for a workload without a mark.
    std::uint64_t rolled = 0;
    std::uint64_t adopted = 0;
    /// Workloads without a mark that were given one without a roll.
    std::uint64_t recorded = 0;
    /// Looks that ended because something that has to be there was not.
    std::uint64_t waiting = 0;
};

/** Compares what the workload was last rolled for with what it refers to now, and rolls it when the two differ.

    The contents are read from the server after the workload was, and the patch holds for that version of the workload: so
    none is ever rolled for a content that is older than the one before, whoever else writes, and however old the informer's
    copy is. */
class workload_reconciler
{
public:
    workload_reconciler(client cluster, resource_type kind, lister workloads, adoption first_sight,
                        std::shared_ptr<reload_counts> counts);

    boost::asio::awaitable<result<action>> operator()(object_key key, reconcile_context& context) const;

private:
    struct content
    {
        std::string sum = {};
        /// Not there although it has to be: the pods cannot start, and there is nothing to roll them for.
        const reference* missing = nullptr;
    };

    [[nodiscard]] boost::asio::awaitable<result<content>> read(const std::string& ns,
                                                               const std::vector<reference>& references) const;
    [[nodiscard]] boost::asio::awaitable<result<action>> compare(object workload, reconcile_context& context) const;
    [[nodiscard]] boost::asio::awaitable<result<action>> adopt(object workload, std::string sum,
                                                               reconcile_context& context) const;
    [[nodiscard]] boost::asio::awaitable<result<bool>> write(const object& workload, std::string patch,
                                                             reconcile_context& context) const;

    client cluster_;
    resource_type kind_;
    lister workloads_;
    adoption first_sight_;
    std::shared_ptr<reload_counts> counts_;
    std::shared_ptr<adoption_pace> pace_ = std::make_shared<adoption_pace>();
};

} // namespace kubecoro::config_reloader
