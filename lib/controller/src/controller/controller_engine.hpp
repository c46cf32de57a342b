#pragma once

#include "controller/controller_core.hpp"
#include "controller/controller_source.hpp"
#include "controller/run_ledger.hpp"
#include "controller/run_tracer.hpp"
#include "shards/run_gate.hpp"
#include "writes/own_writes.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/client/detail/request_scope.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/workqueue.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The implementation of a controller; see there. Executes the steps of controller_core.

    Its coroutines refer to it by reference: the handle keeps it alive, and a handle destroyed early leaves it to its
    task groups. */
class controller_engine : public std::enable_shared_from_this<controller_engine>
{
public:
    controller_engine(boost::asio::any_io_executor executor, reconciler reconcile, controller_options options);
    controller_engine(const controller_engine&) = delete;
    controller_engine& operator=(const controller_engine&) = delete;

    std::shared_ptr<controller_source> watch(shared_informer<object> informer, enqueue map, source_options options);
    void remove(controller_source& source);
    void trigger(object_key_view key, int priority)
    {
        if (traces_) traces_->triggered(key);
        queue_.add(key, priority);
    }

    void start();
    void request_stop();
    void request_stop_at_once();
    [[nodiscard]] boost::asio::awaitable<result<>> ready() const { return ready_.wait(); }
    /// Completes when nothing runs any more, with the outcome.
    [[nodiscard]] static boost::asio::awaitable<result<>> over(std::shared_ptr<controller_engine> self);
    /// Called when the handle is destroyed without having waited.
    static void abandon(const std::shared_ptr<controller_engine>& self);

    [[nodiscard]] controller_stats stats() const;
    [[nodiscard]] std::vector<std::string> tasks() const;
    [[nodiscard]] controller_stats::source stats(const controller_source& source) const;

private:
    using item = workqueue<object_key>::item;

    // controller_engine.cpp: start and stop
    static boost::asio::awaitable<result<>> supervise(controller_engine& self);
    static boost::asio::awaitable<result<>> drive(controller_engine& self, std::optional<controller_step::any>& next);
    /// The one end for every failure of a loop. Any thread.
    void end_by(const std::string& task, const failure& why);
    void ensure_supervisor();
    [[nodiscard]] controller_step::any decide();
    void perform(const controller_step::any& step);
    void start_workers();
    void close_sources();
    void cancel_runs();
    void finish(const result<>& outcome);
    [[nodiscard]] result<> outcome() const;

    // sources.cpp: events to keys
    class source_mark;
    void add(const std::shared_ptr<controller_source>& source);
    [[nodiscard]] std::optional<failure> misfit(const shared_informer<object>& informer, const enqueue& map) const;
    void open(const std::shared_ptr<controller_source>& source);
    static boost::asio::awaitable<result<>> follow(std::shared_ptr<source_mark> mark);
    static boost::asio::awaitable<result<>> await_first_list(std::shared_ptr<source_mark> mark);
    void take_in(controller_source& source, std::span<const notification<object>> events,
                 const std::optional<share_gain>& keys);
    void enqueue_batch(const key_batch& keys, int priority, const std::optional<share_gain>& which);
    void note_synced(controller_source& source);
    void note_trouble(const controller_source& source, const failure& why);
    void note_ended(controller_source& source);

    // gained_keys.cpp: keys that come with a change of the share
    static boost::asio::awaitable<result<>> follow_share(std::shared_ptr<source_mark> mark, run_gate::picture known);
    [[nodiscard]] boost::asio::awaitable<result<>> take_in_all(controller_source& source, share_gain keys);

    // runs.cpp: keys to runs
    class worker_mark;
    void spawn_worker();
    static boost::asio::awaitable<result<>> work(std::unique_ptr<worker_mark> mark);
    static boost::asio::awaitable<result<>> serve(controller_engine& self, request_scope* scope);
    [[nodiscard]] bool pass_over(item& key);
    /// Null without a trace.
    [[nodiscard]] std::unique_ptr<traced_run> begin_trace(const item& key, request_scope& scope);
    void end_trace(traced_run& run, const item& key, unsigned attempt, run_end end, const result<action>& outcome);
    [[nodiscard]] reconcile_context::settings context_of(const item& key, const traced_run* run) const;
    [[nodiscard]] boost::asio::awaitable<result<action>> attempt(const object_key& key, reconcile_context& context,
                                                                 const run_gate::pass& pass,
                                                                 std::exception_ptr& thrown) const;
    void finish(item& key, const reconcile_context& context, write_notes* notes, const result<action>& outcome,
                run_end end);
    void report(const object_key& key, const reconcile_context& context, const result<action>& outcome,
                run_end end) const;
    static void give_back(item& key, const result<action>& outcome, run_end end);

    // writes/awaiting.cpp: keys that wait for their own writes
    class write_watch;
    /// @param notes  Those of the worker; null = none.
    void remember_writes(object_key_view key, const reconcile_context& context, write_notes* notes);
    /// Adds a source for a kind that was written and has none.
    void show_writes_of(const noted_write& w);
    /// Ends the wait for a removal that the source's store shows.
    void look_for_removal(const controller_source& source, object_key_view key);
    bool requeue() noexcept;
    static boost::asio::awaitable<result<>> watch_writes(std::unique_ptr<write_watch> watch);

    kept_executor executor_;
    reconciler reconcile_;
    controller_options options_;
    std::shared_ptr<time_source> time_;
    workqueue<object_key> queue_;
    run_ledger ledger_;
    own_writes own_writes_;
    /// Null: all keys are this controller's.
    std::shared_ptr<run_gate> gate_;
    /// Null: no traces.
    std::unique_ptr<run_tracer> traces_;
    /// No further run may begin.
    std::atomic<bool> stopping_{false};
    /// Runs in progress must end.
    std::atomic<bool> cancelled_{false};

    mutable std::mutex mutex_;
    controller_core core_;                                    // under the mutex
    std::vector<std::shared_ptr<controller_source>> sources_; // under the mutex
    bool supervised_ = false;                                 // under the mutex
    bool failed_ = false;                                     // under the mutex
    /// The kinds that have a source because they were written: group and kind.
    std::set<std::pair<std::string, std::string>> shown_; // under the mutex
    std::size_t workers_begun_ = 0;                       // used by the supervisor only

    /// Notifies the supervisor of input to the core.
    wake_signal news_;
    latch ready_;
    latch ended_;
    task_group following_;
    task_group working_;
    task_group supervising_;
};

} // namespace kubecoro::detail
