#pragma once
// Decides in which order a manager starts and stops its parts. Sans-io.

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/manager/manager_options.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace kubecoro::detail {

using part_id = std::uint64_t;

/// When a part runs. Stages start in this order and stop in the opposite one.
enum class part_stage
{
    /// From the beginning, before the informers.
    first,
    /// After the informers have synced.
    synced,
    /// While this replica leads.
    leading
};

/// Steps that a manager's driver takes.
namespace manager_step {

/// Wait for the next input, at most until `until`.
struct wait
{
    std::optional<time_point> until;
};
struct start_part
{
    part_id id;
};
/// Ask it to end; it reports its end.
struct stop_part
{
    part_id id;
};
struct cancel_part
{
    part_id id;
    /// Its time to end is over. False: it has none, by the options or because the leadership was lost.
    bool late = true;
};
struct start_informers
{
};
/// Tell which informers the start waits for.
struct report_waiting
{
};
/// The informers took too long: report why with fail().
struct give_up_sync
{
};
/// Report leading(), leadership_lost() and leadership_over().
struct seek_leadership
{
};
/// Nothing of the leader runs any more. Report leadership_over().
struct give_up_leadership
{
};
/// Everything that can run does.
struct announce_ready
{
};
/// Report informers_stopped().
struct stop_informers
{
};
struct finish
{
    result<> outcome;
};
using any = std::variant<wait, start_part, stop_part, cancel_part, start_informers, report_waiting, give_up_sync,
                         seek_leadership, give_up_leadership, announce_ready, stop_informers, finish>;

} // namespace manager_step

/** The phases of a manager and the states of its parts. Sans-io, not thread safe.

    After every input, and when a wait has expired, call next() until it returns wait or finish. */
class manager_core
{
public:
    struct settings
    {
        /// 0 = forever.
        duration sync_timeout;
        /// 0 = no reports.
        duration progress;
        duration grace;
        /// False: leads from the start.
        bool elects = false;
    };
    struct part_settings
    {
        std::string name = {};
        part_stage stage = part_stage::leading;
        std::optional<backoff_policy> retry = {};
        std::uint64_t seed = 1;
        /// A failure at the stop does not count: it is not one of this program. Its delays are reset only after has_worked().
        bool apart = false;
    };

    explicit manager_core(settings s) noexcept : settings_(s) {}

    // ---- inputs
    [[nodiscard]] part_id add(part_settings s);
    /// Stops it, and forgets it when it has ended. @return whether it runs, so that its end is still to come.
    bool remove(part_id id);
    /// False for a part that was removed, or ended well, before the stop.
    [[nodiscard]] bool knows(part_id id) const { return parts_.contains(id); }
    /// A part that stands apart has done what it is there for.
    void has_worked(part_id id);
    /// @return  when the part starts again, if it does.
    std::optional<time_point> part_ended(part_id id, const result<>& outcome, time_point now);

    void start(time_point now);
    void stop(time_point now);
    /// A failure that ends everything.
    void fail(const failure& why, time_point now);
    void informers_synced() noexcept { synced_ = true; }
    void leading() noexcept { leads_ = true; }
    /// The parts of the last stage have no time to end. leadership_over() follows after give_up_leadership.
    void leadership_lost(const failure& why, time_point now);
    /// No candidate any more. Without having been asked to, this is a failure.
    void leadership_over(const result<>& outcome, time_point now);
    void informers_stopped() noexcept { informers_over_ = true; }

    // ---- output
    [[nodiscard]] manager_step::any next(time_point now);

    [[nodiscard]] manager_phase phase() const noexcept { return phase_; }
    [[nodiscard]] manager_stats stats() const;
    /// Whether no further part may start.
    [[nodiscard]] bool closing() const noexcept { return phase_ >= manager_phase::stopping; }
    /// Whether the stop waits for the informers.
    [[nodiscard]] bool stops_informers() const noexcept { return informers_stopping_ && !informers_over_; }

private:
    struct part
    {
        part_settings set;
        backoff delays;
        part_state state = part_state::waiting;
        /// When it was started, or is started again.
        time_point at = {};
        bool wanted = true;
        bool asked = false;
        bool cancelled = false;
        bool worked = false;
        std::uint64_t restarts = 0;
        std::optional<failure> trouble = {};
    };
    using step = std::optional<manager_step::any>;

    /// The next start, end or cancellation of a part while stages up to this one run.
    [[nodiscard]] step next_of_parts(part_stage upto, time_point now);
    [[nodiscard]] step while_syncing(time_point now);
    [[nodiscard]] step while_standby(time_point now);
    [[nodiscard]] step while_stopping(time_point now);
    [[nodiscard]] step end_stage(part_stage stage, time_point now);
    [[nodiscard]] manager_step::any begin_part(part_id id, part& p, time_point now);
    [[nodiscard]] manager_step::any rest(std::optional<time_point> until = {}) const;
    void close(time_point now);

    settings settings_;
    manager_phase phase_ = manager_phase::created;
    std::map<part_id, part> parts_;
    part_id next_id_ = 1;
    std::optional<time_point> sync_until_;
    std::optional<time_point> next_report_;
    time_point stop_until_ = {};
    bool informers_begun_ = false;
    bool informers_over_ = false;
    bool informers_stopping_ = false;
    bool synced_ = false;
    bool seeks_ = false;
    bool leads_ = false;
    bool gives_up_ = false;
    bool lost_ = false;
    bool leadership_over_ = false;
    bool announced_ = false;
    result<> outcome_;
    std::string cancelled_;
};

} // namespace kubecoro::detail
