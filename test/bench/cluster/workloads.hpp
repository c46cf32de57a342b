#pragma once

#include "plan.hpp"
#include "real_cluster.hpp"
#include "runner.hpp"

#include "driver/results.hpp"

#include <boost/json.hpp>

namespace kubecoro::bench::live {

/// The surroundings of a session; they outlive it.
struct session
{
    const session_plan& plan;
    const std::vector<subject>& subjects;
    const run_options& options;
    const places& where;
    real_cluster& cluster;
    sample_book& book;

    [[nodiscard]] const subject& who() const { return subjects[plan.subject]; }
    [[nodiscard]] duration limit() const;
    [[nodiscard]] std::string log() const;
    void add(std::string_view metric, std::string_view unit, double value) const
    {
        book.add(plan.cell_of(subjects, metric, unit), value);
    }
};

/// Runs the plan's workload. @param held  Set to the most memory that the subject held.
result<> run_session(const session& s, std::uint64_t& held);

/// From the start of the process until every object has passed handler, queue, worker and lister; then its memory at
/// rest.
result<> run_sync(const session& s, std::uint64_t& held);
/// After a sync: one in a hundred objects changes while the server is away, and it comes back without a history. From
/// there until the client has the new list.
result<> run_relist(const session& s, std::uint64_t& held);
/// The plan's number of informers, one a process, over the largest namespace, while its objects change.
result<> run_updates(const session& s, std::uint64_t& held);
/// Gets or creates of small objects, one at a time and then 32 at once.
result<> run_requests(const session& s, std::uint64_t& held);
/// Idle watches of one object each, in one process: opened, held, and then an event for each change of the objects.
result<> run_watches(const session& s, std::uint64_t& held);

/// A number of an answer. Errors: corrupt when missing.
[[nodiscard]] result<double> number_in(const boost::json::object& answer, std::string_view name);

} // namespace kubecoro::bench::live
