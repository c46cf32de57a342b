#pragma once
// When a controller begins and ends: decides, does nothing.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/controller_options.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/// What a controller's driver is to do next.
namespace controller_step {

/// Nothing before the next input, or this moment.
struct wait
{
    std::optional<time_point> until;
};
struct start_workers
{
};
/// Every source is to end; each reports it.
struct close_sources
{
};
/// No more runs; each worker reports its end.
struct close_queue
{
};
struct cancel_runs
{
};
struct finish
{
    result<> outcome;
};
using any = std::variant<wait, start_workers, close_sources, close_queue, cancel_runs, finish>;

} // namespace controller_step

/** The phases of a controller, and the readiness of its sources. Sans-io, not thread safe.

    After every input, and when the moment of a wait has come, next() is asked until it says wait or finish. */
class controller_core
{
public:
    struct settings
    {
        /// 0 = for ever.
        duration sync_timeout;
        duration grace;
        std::size_t workers;
    };
    using source_id = std::uint32_t;

    explicit controller_core(settings s) noexcept : settings_(s) {}

    // ---- inputs
    [[nodiscard]] source_id add_source(std::string name);
    void source_synced(source_id id);
    /// Its first list cannot be had at present.
    void source_in_trouble(source_id id, const failure& why);
    /// Its user does not want it any more: it is not waited for, but is there until it has ended.
    void source_removed(source_id id);
    void source_ended(source_id id);

    void start(time_point now);
    void stop() noexcept { stop_wanted_ = true; }
    /// Nobody is left to wait for a grace period.
    void abandon() noexcept;
    /// A worker that ends before anybody has asked for that ends the controller.
    void worker_ended();
    /// The answer to cancel_runs: the keys of the runs that it hit, as text.
    void runs_cancelled(const std::string& keys);

    // ---- output
    [[nodiscard]] controller_step::any next(time_point now);

    [[nodiscard]] controller_phase phase() const noexcept { return phase_; }
    /// No further source or run is to begin.
    [[nodiscard]] bool closing() const noexcept { return phase_ > controller_phase::running || stop_wanted_; }
    /// Why it ends by itself; success otherwise.
    [[nodiscard]] const result<>& outcome() const noexcept { return outcome_; }
    /// The cause, when the first list of a source cannot be had.
    [[nodiscard]] std::optional<failure> trouble(source_id id) const;

private:
    struct source
    {
        std::string name;
        bool synced = false;
        bool wanted = true;
        std::optional<failure> trouble = {};
    };
    [[nodiscard]] bool all_synced() const noexcept;
    [[nodiscard]] failure too_late() const;
    [[nodiscard]] controller_step::any while_syncing(time_point now);
    [[nodiscard]] controller_step::any begin_end();
    [[nodiscard]] controller_step::any while_stopping(time_point now);
    [[nodiscard]] controller_step::any ended();

    settings settings_;
    controller_phase phase_ = controller_phase::created;
    std::map<source_id, source> sources_;
    source_id next_id_ = 0;
    std::size_t workers_left_ = 0;
    bool stop_wanted_ = false;
    bool queue_closed_ = false;
    std::optional<time_point> until_;
    result<> outcome_;
};

} // namespace kubecoro::detail
