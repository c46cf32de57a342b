#pragma once
// What should have happened to each workload, reckoned from the server's history alone.

#include "journal.hpp"
#include "references.hpp"
#include "truth.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::simulation {

/** Goes through the history in the server's order and finds a cause for every roll.

    A cause is a workload's creation, a change of what it refers to, of the content of that (a required one that is away has
    the content it had), and the loss of its marks. Each roll has a cause of its own, that came after the roll before the last: that one was
    made with what was read after its predecessor. */
class ledger
{
public:
    /// @param records  Adoption is by a record.
    ledger(bool records, journal& notes) : records_(records), notes_(&notes) {}

    /// In the order of reloader_resources(). To be called when they have caught up.
    void check(const std::vector<std::unique_ptr<truth>>& truths);

    [[nodiscard]] std::uint64_t rolls() const noexcept { return rolls_; }
    [[nodiscard]] std::uint64_t causes() const noexcept { return causes_; }

private:
    using content_id = std::pair<config_reloader::content_kind, object_key>;

    struct workload
    {
        object now = {};
        std::vector<config_reloader::reference> references = {};
        /// Versions. Those that a roll was found for are gone.
        std::set<std::uint64_t> causes = {};
        std::uint64_t last_roll = 0;
        std::uint64_t roll_before = 0;
    };

    void content_changed(content_id id, const object& now, std::uint64_t version);
    void workload_changed(const object& now, std::uint64_t version);
    void rolled(workload& w, std::uint64_t version);

    bool records_;
    journal* notes_;
    /// What there is, and what there was last of what has gone.
    std::map<content_id, object> contents_;
    std::set<content_id> there_;
    std::map<std::string, workload> workloads_;
    std::uint64_t rolls_ = 0;
    std::uint64_t causes_ = 0;
};

/// What the operator should have applied by now: the checksum of what the workload refers to. Empty when it does not ask, refers to
/// nothing, or misses something.
[[nodiscard]] std::string wanted_checksum(const object& workload, const std::vector<std::unique_ptr<truth>>& truths);

} // namespace kubecoro::simulation
