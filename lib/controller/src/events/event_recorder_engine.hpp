#pragma once

#include "events/event_body.hpp"
#include "events/event_correlator_core.hpp"
#include "events/event_meters.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/event_recorder.hpp>
#include <kubecoro/controller/workqueue.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kubecoro::detail {

/** The implementation of an event_recorder; see there. Sends what event_correlator_core decides.

    The work queue holds the ids of events that are to be sent, and rests them between attempts; the id 0 stands for
    the sweep. */
class event_recorder_engine
{
public:
    event_recorder_engine(client cluster, event_recorder_options options);
    event_recorder_engine(const event_recorder_engine&) = delete;
    event_recorder_engine& operator=(const event_recorder_engine&) = delete;

    void start();
    void record(const event_target& regarding, event_type type, std::string_view reason, std::string_view action,
                std::string_view note, const event_target& related) noexcept;
    void request_stop();
    [[nodiscard]] static boost::asio::awaitable<result<>> stop(std::shared_ptr<event_recorder_engine> self);
    /// The last handle is gone.
    static void abandon(const std::shared_ptr<event_recorder_engine>& self) noexcept;
    [[nodiscard]] event_recorder_stats stats() const;

private:
    using id = event_series::id;
    static constexpr id sweep_id = 0;

    class flush_mark;

    /// The one end for every failure of a loop.
    void end_by(const std::string& task, const failure& why);
    static boost::asio::awaitable<result<>> serve(event_recorder_engine& self);
    /// Brings one event up to date. @return as event_correlator_core::ended().
    static boost::asio::awaitable<result<std::optional<duration>>> deliver(event_recorder_engine& self, id which);
    [[nodiscard]] boost::asio::awaitable<result<object>> request_for(id which);
    [[nodiscard]] boost::asio::awaitable<result<>> await_turn();
    /// Whether another sweep is needed.
    [[nodiscard]] bool sweep();
    static boost::asio::awaitable<result<>> flush(std::unique_ptr<flush_mark> mark);
    void finish() noexcept;
    void note_refusal(const failure& why);
    void note_drops(const event_recorder_stats& now);
    void queue_ready() noexcept;
    void show() noexcept { meters_.show(stats()); }

    client client_;
    event_recorder_options options_;
    std::shared_ptr<time_source> time_;
    event_reporter reporter_;
    resource_type resource_;
    kept_executor executor_;
    workqueue<id> queue_;
    event_meters meters_;
    /// Settled when the stop begins, and when it has ended.
    latch closing_;
    latch ended_;
    task_group working_;
    task_group stopping_;

    mutable std::mutex mutex_;
    event_correlator_core core_;             // under the mutex
    std::unique_ptr<rate_limiter> requests_; // under the mutex
    bool sweeping_ = false;                  // under the mutex
    std::optional<failure> ended_by_;        // under the mutex
    std::optional<time_point> complained_;   // under the mutex
    std::uint64_t reported_drops_ = 0;       // under the mutex
};

} // namespace kubecoro::detail
