#pragma once
// Decides when a controller starts and stops. Sans-io.

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

/// Steps that a controller's driver takes.
namespace controller_step {

/// Wait for the next input, at most until `until`.
struct wait
{
    std::optional<time_point> until;
};
struct start_workers
{
};
/// Close every source; each reports its end.
struct close_sources
{
};
/// Begin no more runs; each worker reports its end.
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

    After every input, and when a wait has expired, call next() until it returns wait or finish. */
class controller_core
{
public:
    struct settings
    {
        /// 0 = forever.
        duration sync_timeout;
        duration grace;
        std::size_t workers;
    };
    using source_id = std::uint32_t;

    explicit controller_core(settings s) noexcept : settings_(s) {}

    // ---- inputs
    [[nodiscard]] source_id add_source(std::string name);
    void source_synced(source_id id);
    /// Its first list fails at present.
    void source_in_trouble(source_id id, const failure& why);
    /// Its user has removed it: it is no longer waited for, but remains registered until it has ended.
    void source_removed(source_id id);
    void source_ended(source_id id);
    /// A source does not fit: stops the controller, once it is started.
    void refuse(failure why);

    void start(time_point now);
    void stop() noexcept { stop_wanted_ = true; }
    /// stop() without the grace period, also after it began.
    void stop_at_once() noexcept;
    /// One of its loops has failed: stops the controller at once, for that reason.
    void fail(failure why);
    /// A worker that ends before it is asked to end stops the controller.
    void worker_ended();
    /// The result of cancel_runs: the keys of the cancelled runs, as text.
    void runs_cancelled(const std::string& keys);

    // ---- output
    [[nodiscard]] controller_step::any next(time_point now);

    [[nodiscard]] controller_phase phase() const noexcept { return phase_; }
    /// True when no further source or run may begin.
    [[nodiscard]] bool closing() const noexcept { return phase_ > controller_phase::running || stop_wanted_; }
    /// The reason why it stopped by itself; success otherwise.
    [[nodiscard]] const result<>& outcome() const noexcept { return outcome_; }
    /// The failure of a source's first list, if it fails.
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
    bool failed_ = false;
    bool queue_closed_ = false;
    std::optional<time_point> until_;
    result<> outcome_;
};

} // namespace kubecoro::detail
