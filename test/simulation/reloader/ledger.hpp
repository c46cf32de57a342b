#pragma once
// The expected rolls of each workload, derived from the server's history alone.

#include "journal.hpp"
#include "references.hpp"
#include "server_history.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::simulation {

/** Goes through the history in the server's order and finds a cause for every roll.

    A cause is the creation of a workload, a change of its references, a change of referenced content (a required
    reference that is deleted counts as unchanged), or the loss of its marks. Each roll needs its own cause, later than
    the roll before the last: the last roll was made with contents read after its predecessor. */
class ledger
{
public:
    /// @param records  Adoption by a record.
    ledger(bool records, journal& notes) : records_(records), notes_(&notes) {}

    /// Truths in the order of reloader_resources(). Requires that they have caught up.
    void check(const std::vector<std::unique_ptr<server_history>>& truths);

    [[nodiscard]] std::uint64_t rolls() const noexcept { return rolls_; }
    [[nodiscard]] std::uint64_t causes() const noexcept { return causes_; }

private:
    using content_id = std::pair<config_reloader::content_kind, object_key>;

    struct workload
    {
        object now = {};
        std::vector<config_reloader::reference> references = {};
        /// Versions. A roll removes its causes.
        std::set<std::uint64_t> causes = {};
        std::uint64_t last_roll = 0;
        std::uint64_t roll_before = 0;
    };

    void content_changed(content_id id, const object& now, std::uint64_t version);
    void workload_changed(const object& now, std::uint64_t version);
    void rolled(workload& w, std::uint64_t version);

    bool records_;
    journal* notes_;
    /// Existing contents, and the last state of deleted ones.
    std::map<content_id, object> contents_;
    std::set<content_id> there_;
    std::map<std::string, workload> workloads_;
    std::uint64_t rolls_ = 0;
    std::uint64_t causes_ = 0;
};

/// The checksum of the workload's references, which the operator should have applied by now. Empty when the workload
/// does not ask for reloads, refers to nothing, or lacks a reference.
[[nodiscard]] std::string wanted_checksum(const object& workload,
                                          const std::vector<std::unique_ptr<server_history>>& truths);

} // namespace kubecoro::simulation
