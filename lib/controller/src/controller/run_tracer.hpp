#pragma once

#include "controller/event_mapper.hpp"
#include "controller/run_causes_core.hpp"
#include "controller/run_end.hpp"

#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/tracer.hpp>
#include <kubecoro/cache/notification.hpp>
#include <kubecoro/client/detail/request_scope.hpp>
#include <kubecoro/controller/trace_options.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Requests made in the scope are no longer a part of the run.
struct leave_scope
{
    void operator()(request_scope* of) const { of->enter({}); }
};

/// A run that has a trace.
struct traced_run
{
    kubecoro::span span = {};
    /// The span that it is a part of.
    trace_context parent = {};
    time_point begun = {};
    /// The worker's requests are a part of the run, until it is destroyed.
    std::unique_ptr<request_scope, leave_scope> requests = {};
};

/// The ids of trace and run.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> log_fields(const trace_context& run);

/** Makes the spans of one controller's events and runs. Thread safe. */
class run_tracer
{
public:
    /// Null when the options have no tracer.
    [[nodiscard]] static std::unique_ptr<run_tracer> make(const trace_options& options, std::string controller,
                                                          metrics* sink, logger log);

    [[nodiscard]] const trace_options& options() const noexcept { return options_; }
    /// When events arrived, by the tracer's clock.
    [[nodiscard]] time_point now() const noexcept { return options_.tracer.time()->now(); }

    /** Remembers the events as causes of their keys, which are queued afterwards: a run that begins at once finds them. An
        event that arrives between the hand-out of its key and the beginning of the run counts for that run.

        @param ours  Whether a key is queued here; empty = all are.
        @return the spans, which end when they are destroyed. */
    [[nodiscard]] std::vector<span> note(const event_mapper& mapped, std::span<const notification<object>> events,
                                         std::string_view source, time_point arrived,
                                         const std::function<bool(object_key_view)>& ours);
    /// A run that the program asks for.
    void triggered(object_key_view key);

    /// A run begins. Null: without a trace. @param attempt  Its number since the last success.
    [[nodiscard]] std::unique_ptr<traced_run> begin(object_key_view key, unsigned attempt);
    /// It has ended. Called before the key is given back, because the next run may begin at once.
    void ended(traced_run& run, object_key_view key, unsigned attempt, run_end end, const result<action>& outcome);
    /// The key is given up: another replica's.
    void drop(object_key_view key);

private:
    run_tracer(const trace_options& options, std::string controller, metrics* sink, logger log);

    [[nodiscard]] bool note(object_key_view key, const run_cause& why, time_point now);
    /// Forgets the causes of the key.
    [[nodiscard]] std::optional<run_causes> take(object_key_view key);
    void set_names(span& s) const;
    [[nodiscard]] span span_of(const notification<object>& event, std::string_view source, std::size_t keys,
                               const trace_context& as, time_point arrived) const;

    trace_options options_;
    std::string controller_;
    logger log_;
    /// Null without metrics.
    std::shared_ptr<metrics::counter> no_room_;

    std::mutex mutex_;
    run_causes_core causes_; // under the mutex
    /// The marks of the keys with causes, since there were none. Where few traces are sampled, most runs see here that they have no
    /// cause, and take no lock. Written under the mutex; the queue orders it before the run of the key.
    std::atomic<std::uint64_t> marks_ = 0;
};

} // namespace kubecoro::detail
